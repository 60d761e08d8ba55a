//! The house rules, as code: `cargo xtask tidy`.
//!
//! [`workspace`] reads the tree once, each group of rules looks at it and adds
//! a [`Violation`] for what it finds, and [`check`] prints them. What a rule
//! protects is written at the rule.

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
mod phrases;
mod prose;
mod reserved;
#[cfg(test)]
mod testing;
mod types;
mod workspace;

pub(crate) use check::{report_prose, run};
pub(crate) use names::is_test_module;
pub(crate) use workspace::{File, Workspace};

/// A place where a rule is broken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{file}:{line}: {found}\n    {rule}\n")]
struct Violation {
    /// Path from the root.
    file: String,
    /// Line, from 1.
    line: usize,
    /// The breach, as it was found.
    found: String,
    /// The rule, and the way to mend a breach.
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
