//! Runs every group of rules and reports.

use super::violation::Violation;
use super::workspace::Workspace;
use super::{circles, dependencies, generated, items, lines, links, manifests, reserved};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// A group of rules.
type Group = fn(&Workspace, &mut Vec<Violation>);

/// All groups.
const GROUPS: &[Group] = &[
    dependencies::check,
    manifests::check,
    links::check,
    lines::check,
    items::check,
    circles::check,
    reserved::check,
    generated::check,
];

/// Checks the workspace at `root`; returns a line for the user.
///
/// # Errors
///
/// When a file can't be read, or rules are broken; the text lists the violations, sorted.
pub(crate) fn run(root: &Path) -> Result<String, Box<dyn Error>> {
    let workspace = Workspace::read(root)?;
    let violations = check(&workspace);
    if violations.is_empty() {
        return Ok(format!("tidy: {} files\n", workspace.files.len()));
    }
    let mut report = format!("{} violations of the house rules\n", violations.len());
    for violation in violations {
        let _ = write!(report, "\n{violation}");
    }
    Err(report.into())
}

fn check(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for group in GROUPS {
        group(workspace, &mut violations);
    }
    violations.sort();
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
            report
                .contains("\nsrc/mod.rs:2: more than `mod` and `use`\n    mod.rs is a map: move "),
            "{report}"
        );
    }
}
