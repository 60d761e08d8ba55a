//! One broken rule.

use super::workspace::File;
use std::fmt::{self, Display, Formatter};

/// A place where a rule is broken.
#[derive(Debug)]
pub(super) struct Violation {
    /// Path from the root.
    pub(super) file: String,
    /// Line, from 1.
    pub(super) line: usize,
    pub(super) rule: &'static Rule,
    /// The breach, as it was found.
    pub(super) found: String,
}

/// A rule, and the way to mend a breach.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) mend: &'static str,
}

impl Rule {
    /// The rule is broken in `file`.
    pub(super) fn broken(
        &'static self,
        file: &File,
        line: usize,
        found: impl Into<String>,
    ) -> Violation {
        self.broken_at(&file.path, line, found)
    }

    /// The rule is broken at a path that may not exist.
    pub(super) fn broken_at(
        &'static self,
        file: &str,
        line: usize,
        found: impl Into<String>,
    ) -> Violation {
        Violation {
            file: file.to_owned(),
            line,
            rule: self,
            found: found.into(),
        }
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (
            Self {
                file, line, found, ..
            },
            Rule { name, mend },
        ) = (self, self.rule);
        writeln!(f, "{file}:{line}: {name}: {found}\n    mend: {mend}")
    }
}
