//! Runs all groups of rules, and reports their violations.

use super::workspace::Workspace;
use super::{
    circles, dependencies, generated, items, lines, links, manifests, prose, reserved, types,
};
use anyhow::ensure;
use itertools::Itertools;
use std::path::Path;

/// Checks the workspace at `root`, and returns a line for the user.
///
/// # Errors
///
/// When a file can't be read, or rules are violated. The message lists the violations.
pub(crate) fn run(root: &Path) -> anyhow::Result<String> {
    let workspace = Workspace::read(root)?;
    let mut violations = Vec::new();
    for group in [
        dependencies::check,
        manifests::check,
        links::check,
        lines::check,
        items::check,
        circles::check,
        reserved::check,
        prose::check,
        types::check,
        generated::check,
    ] {
        group(&workspace, &mut violations);
    }
    violations.sort();
    ensure!(
        violations.is_empty(),
        "{} violations of the house rules\n\n{}",
        violations.len(),
        violations.iter().format("\n")
    );
    Ok(format!("tidy: {} files\n", workspace.files.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_place_rule_and_mend() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        let long = format!("mod a;\nfn f() {{{}}}\n", "\n".repeat(10));
        std::fs::write(root.path().join("src/mod.rs"), long).unwrap();
        let report = run(root.path()).unwrap_err().to_string();
        assert!(
            report.contains("\nsrc/mod.rs:2: 11 lines\n    mod.rs is a map, whose functions have "),
            "{report}"
        );
    }
}
