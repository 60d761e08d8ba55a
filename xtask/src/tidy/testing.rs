//! Helper of the tests of rules.

use super::Violation;
use super::workspace::{File, Workspace};

/// Returns the places, as `file:line`, that violate a group of rules.
pub(super) fn places(
    group: fn(&Workspace, &mut Vec<Violation>),
    files: &[(&str, &str)],
) -> Vec<String> {
    let file = |(path, text): &(&str, &str)| File::new((*path).into(), (*text).into());
    let workspace = Workspace::new(files.iter().map(file).collect());
    let mut violations = Vec::new();
    group(&workspace, &mut violations);
    let place = |it: &Violation| format!("{}:{}", it.file, it.line);
    violations.iter().map(place).collect()
}
