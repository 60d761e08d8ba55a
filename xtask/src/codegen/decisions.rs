//! Decisions that the schemas leave open, collected by every step and reported at once.

use super::error::{Error, Result};
use std::cell::RefCell;
use std::fmt;

/// A question that no rule answers and no entry of `overlay.toml` settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// `Type.field`, a type, a method, or `schema/<revision>.json` with a JSON pointer.
    pub(crate) place: String,
    /// The disagreement or gap, with each revision's type in the words of its schema.
    pub(crate) what: String,
    /// An entry of `overlay.toml` that settles it, ready to paste.
    pub(crate) entry: String,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.what)?;
        self.entry
            .lines()
            .try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// The decisions found so far. A step that asks goes on with the likeliest answer.
#[derive(Debug, Default)]
pub(crate) struct Decisions(RefCell<Vec<Decision>>);

impl Decisions {
    /// Asks for a decision, unless the same one has been asked for.
    pub(crate) fn ask(
        &self,
        place: impl Into<String>,
        what: impl Into<String>,
        entry: impl Into<String>,
    ) {
        let decision = Decision {
            place: place.into(),
            what: what.into(),
            entry: entry.into(),
        };
        let mut open = self.0.borrow_mut();
        if !open.contains(&decision) {
            open.push(decision);
        }
    }

    /// Fails with all open decisions, if there are any.
    pub(crate) fn settled(&self) -> Result<()> {
        let open = self.0.take();
        if open.is_empty() {
            Ok(())
        } else {
            Err(Error::Open { decisions: open })
        }
    }
}
