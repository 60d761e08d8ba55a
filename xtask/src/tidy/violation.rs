//! One broken rule.

use super::workspace::File;

/// A place where a rule is broken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {found}\n    {rule}\n")]
pub(super) struct Violation {
    /// Path from the root.
    pub(super) file: String,
    /// Line, from 1.
    pub(super) line: usize,
    /// The breach, as it was found.
    found: String,
    /// The rule, and the way to mend a breach.
    rule: &'static str,
}

impl Violation {
    pub(super) fn new(file: &File, line: usize, found: String, rule: &'static str) -> Self {
        Self {
            file: file.path.clone(),
            line,
            found,
            rule,
        }
    }
}
