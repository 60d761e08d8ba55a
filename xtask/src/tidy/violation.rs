//! One broken rule.

use super::workspace::File;
use std::fmt::{self, Display, Formatter};

/// Where a rule is broken, which, how, and what to do about it.
#[derive(Debug, PartialEq)]
pub(super) struct Violation {
    /// Path from the root.
    pub(super) file: String,
    /// Line, from 1.
    pub(super) line: usize,
    /// The rule in a few words.
    pub(super) rule: &'static str,
    /// What was found.
    pub(super) found: String,
    /// What to do.
    pub(super) mend: &'static str,
}

/// A rule, and what to do where it is broken.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) mend: &'static str,
}

impl Rule {
    /// The rule is broken in `file`.
    pub(super) fn broken(&self, file: &File, line: usize, found: impl Into<String>) -> Violation {
        self.broken_at(&file.path, line, found)
    }

    /// The rule is broken at a path that may not exist.
    pub(super) fn broken_at(&self, file: &str, line: usize, found: impl Into<String>) -> Violation {
        Violation {
            file: file.to_owned(),
            line,
            rule: self.name,
            found: found.into(),
            mend: self.mend,
        }
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            rule,
            found,
            mend,
        } = self;
        writeln!(f, "{file}:{line}: {rule}: {found}\n    mend: {mend}")
    }
}
