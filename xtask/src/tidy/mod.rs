//! `cargo xtask tidy`: checks the house rules.
//!
//! [`workspace`] reads the files, each group of rules adds a [`Violation`] for each place that violates a
//! rule, and [`check`] prints the violations. The purpose of a rule is described at the rule.

mod check;
mod circles;
mod comments;
mod dependencies;
mod generated;
mod items;
mod lines;
mod links;
mod manifests;
mod modules;
mod names;
mod prose;
mod reserved;
#[cfg(test)]
mod testing;
mod types;
mod workspace;

pub(crate) use check::run;
pub(crate) use names::is_test_module;
pub(crate) use workspace::{File, Workspace};

/// A place that violates a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {found}\n    {rule}\n")]
struct Violation {
    /// Path from the root.
    file: String,
    /// Line, from 1.
    line: usize,
    /// Description of the violation.
    found: String,
    /// The rule, and the way to fix the violation.
    rule: &'static str,
}

impl Violation {
    fn new(file: &File, line: usize, found: String, rule: &'static str) -> Self {
        Self {
            file: file.path.clone(),
            line,
            found,
            rule,
        }
    }
}
