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
    /// Where the others begin, once it is being read.
    others: Option<usize>,
}

/// A member that has been read before its turn: where it begins and ends.
#[derive(Clone, Copy)]
pub(super) struct Done {
    pub(super) name: usize,
    pub(super) end: usize,
}

impl Done {
    /// None: no member ends there.
    pub(super) const NONE: Self = Self {
        name: usize::MAX,
        end: usize::MAX,
    };
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
        name.map(|name| Self { name, others: None })
    }

    /// Goes to the member if its name is to be read next, and else back to the others.
    pub(super) fn go_on(&mut self, scanner: &mut Scanner<'_>) -> Option<Done> {
        let place = scanner.place();
        let Some(others) = self.others else {
            self.others = Some(place);
            scanner.go(self.name);
            return None;
        };
        scanner.go(others);
        Some(Done {
            name: self.name,
            end: place,
        })
    }
}

/// Where the first member stands that has one of these names; goes to its value.
fn member(scanner: &mut Scanner<'_>, limit: usize, names: &[&str]) -> Option<usize> {
    if !scanner.eat(b'{') {
        return None;
    }
    let mut comma = None;
    loop {
        let usual = scanner.place() + usize::from(comma.is_some());
        let (place, found) = match scanner.usual_name(comma) {
            Some(name) => (usual, names.contains(&name)),
            None => unusual_name(scanner, comma, names)?,
        };
        if found {
            return Some(place);
        }
        scanner.skip(limit)?;
        comma = Some(b',');
    }
}

/// Where the next name stands, and whether it is one of these.
#[inline(never)]
fn unusual_name(
    scanner: &mut Scanner<'_>,
    comma: Option<u8>,
    names: &[&str],
) -> Option<(usize, bool)> {
    if comma.is_some_and(|comma| !scanner.eat(comma)) {
        return None;
    }
    scanner.peek();
    let place = scanner.place();
    let name = scanner.string().filter(|_| scanner.eat(b':'))?;
    Some((place, names.contains(&&*name.text())))
}
