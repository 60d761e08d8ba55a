//! Objects whose members do not come in the order in which they stand.
//!
//! What tells the members of a union apart comes first, wherever it stands, so that nothing has to
//! be held back until it is found: reading over text is cheap, and all of it is there.

use super::scan::Scanner;

/// Asks for an object as a struct of that name and with these fields: the name of a field, and
/// the values that it may have.
pub(crate) const BY_FIELD: &str = "$mcp_types::ByField";
/// Asks for an object as a struct of that name, any of whose fields is to come first.
pub(crate) const BY_KEY: &str = "$mcp_types::ByKey";

/// A member that comes before those that stand before it.
pub(super) struct Ahead {
    /// Where its name stands.
    name: usize,
    turn: Turn,
}

/// What comes next.
enum Turn {
    /// The member.
    This,
    /// The others, from that place on.
    Back(usize),
    /// The rest of the others; the member ends at that place.
    Others(usize),
}

impl Ahead {
    /// The member that is asked for, unless it comes first by itself or there is none.
    ///
    /// `scanner` stands before the object, which nests up to `limit` levels.
    #[inline]
    pub(super) fn find(
        scanner: &Scanner<'_>,
        limit: usize,
        asked: &str,
        names: &'static [&'static str],
    ) -> Option<Self> {
        let name = match (asked, names) {
            (BY_FIELD, [field, values @ ..]) if !scanner.begins_with_member(field) => {
                let mut scanner = scanner.clone();
                let name = member(&mut scanner, limit, std::slice::from_ref(field))?;
                values.contains(&&*scanner.string()?.text()).then_some(name)
            }
            (BY_KEY, names) => member(&mut scanner.clone(), limit, names),
            _ => None,
        };
        name.map(|name| Self {
            name,
            turn: Turn::This,
        })
    }

    /// Goes to the member if its name is to be read next, and back when it has been read.
    pub(super) fn go_on(&mut self, scanner: &mut Scanner<'_>) -> bool {
        match self.turn {
            Turn::This => {
                self.turn = Turn::Back(scanner.place());
                scanner.go(self.name);
                true
            }
            Turn::Back(place) => {
                self.turn = Turn::Others(scanner.place());
                scanner.go(place);
                false
            }
            Turn::Others(_) => false,
        }
    }

    /// Reads over the member, if it is what comes next.
    pub(super) fn skip(&self, scanner: &mut Scanner<'_>) -> bool {
        scanner.peek();
        match self.turn {
            Turn::Others(end) if scanner.place() == self.name => {
                scanner.go(end);
                true
            }
            _ => false,
        }
    }
}

/// Where the first member stands that has one of these names; goes to its value.
fn member(scanner: &mut Scanner<'_>, limit: usize, names: &[&str]) -> Option<usize> {
    if !scanner.eat(b'{') {
        return None;
    }
    loop {
        scanner.peek();
        let place = scanner.place();
        let name = scanner.string().filter(|_| scanner.eat(b':'))?;
        let found = match name.escaped {
            true => names.contains(&&*name.text()),
            false => names.contains(&name.inner),
        };
        if found {
            return Some(place);
        }
        scanner.value(limit)?;
        if !scanner.eat(b',') {
            return None;
        }
    }
}
