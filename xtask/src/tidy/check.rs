//! Runs every group of rules and reports.

use super::workspace::Workspace;
use super::{
    circles, dependencies, generated, items, lines, links, manifests, prose, reserved, types,
};
use anyhow::ensure;
use itertools::Itertools;
use std::path::Path;

/// Checks the workspace at `root`; returns a line for the user.
///
/// # Errors
///
/// When a file can't be read, or rules are broken; the text lists the violations, sorted.
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

/// Checks only the prose of the files whose path begins with `folder`; returns a report.
///
/// # Errors
///
/// When a file can't be read.
pub(crate) fn report_prose(root: &Path, folder: &str) -> anyhow::Result<String> {
    let mut workspace = Workspace::read(root)?;
    workspace.files.retain(|path, _| path.starts_with(folder));
    let mut violations = Vec::new();
    prose::check(&workspace, &mut violations);
    violations.sort();
    let parts = violations.iter().counts_by(|it| it.file.split('/').next());
    let parts = parts
        .into_iter()
        .sorted()
        .map(|(part, count)| format!("{count:>6}  {}\n", part.unwrap_or_default()));
    Ok(format!(
        "{}\n{}{:>6}\n",
        violations.iter().format("\n"),
        parts.format(""),
        violations.len()
    ))
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
