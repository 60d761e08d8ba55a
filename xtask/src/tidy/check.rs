//! Runs every group of rules and reports.

use super::violation::Violation;
use super::workspace::Workspace;
use super::{
    cfg, dependencies, documents, duplicates, generated, links, manifests, maps, revisions, sizes,
    wire, words,
};
use std::fmt::Write;
use std::path::Path;

/// A group of rules.
type Group = fn(&Workspace, &mut Vec<Violation>);

/// All groups, in the order of their reports.
const GROUPS: &[Group] = &[
    dependencies::check,
    manifests::check,
    documents::check,
    links::check,
    words::check,
    maps::check,
    sizes::check,
    cfg::check,
    revisions::check,
    wire::check,
    generated::check,
    duplicates::check,
];

/// Why the tree is not tidy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file could not be read.
    #[error("{file}: {source}")]
    Io {
        file: String,
        source: std::io::Error,
    },
    /// Rules are broken; the text lists where, and what to do.
    #[error("{0}")]
    Violations(String),
}

/// Checks the workspace at `root`; returns a line for the user.
pub(crate) fn run(root: &Path) -> Result<String, Error> {
    let workspace = Workspace::read(root)?;
    let violations = check(&workspace);
    if violations.is_empty() {
        return Ok(format!("tidy: {} files\n", workspace.files().len()));
    }
    let mut report = format!("{} violations of the house rules\n", violations.len());
    for violation in violations {
        let _ = write!(report, "\n{violation}");
    }
    Err(Error::Violations(report))
}

fn check(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for group in GROUPS {
        group(workspace, &mut violations);
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_place_rule_and_mend() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::fs::write(root.path().join("src/mod.rs"), "mod a;\nfn f() {}\n").unwrap();
        let report = run(root.path()).unwrap_err().to_string();
        assert!(
            report.contains("\nsrc/mod.rs:2: mod.rs is a map: "),
            "{report}"
        );
        assert!(report.contains("\n    mend: "), "{report}");
    }
}
