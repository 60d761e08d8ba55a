//! Rules for the manifests of crates.

use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};
use toml::{Table, Value};

const LINTS: Rule = Rule {
    name: "every crate takes the workspace's lints",
    mend: "add `[lints]` with `workspace = true`",
};

const UNSAFE: Rule = Rule {
    name: "unsafe code is forbidden",
    mend: "set `unsafe_code = \"forbid\"` under `[workspace.lints.rust]`",
};

const LICENSE: Rule = Rule {
    name: "every crate names its licence",
    mend: "add `license.workspace = true`",
};

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let manifests = workspace.files().iter();
    for file in manifests.filter(|file| file.name() == "Cargo.toml" && !file.is_test()) {
        if let Ok(manifest) = file.text.parse::<Table>() {
            check_manifest(file, &manifest, violations);
        }
    }
}

fn check_manifest(file: &File, manifest: &Table, violations: &mut Vec<Violation>) {
    if manifest.contains_key("workspace") {
        let level = at(manifest, &["workspace", "lints", "rust", "unsafe_code"]);
        if level.and_then(Value::as_str) != Some("forbid") {
            violations.push(UNSAFE.broken(file, 1, "the workspace allows it"));
        }
    }
    if manifest.contains_key("package") {
        if at(manifest, &["lints", "workspace"]) != Some(&Value::Boolean(true)) {
            violations.push(LINTS.broken(file, 1, "this crate does not"));
        }
        if at(manifest, &["package", "license"]).is_none() {
            violations.push(LICENSE.broken(file, 1, "this crate does not"));
        }
    }
}

fn at<'a>(manifest: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let start = manifest.get(*first)?;
    rest.iter().try_fold(start, |value, key| value.get(*key))
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn lints_licence_and_forbidden_unsafe_are_required() {
        let workspace = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
        let lax = "[workspace.lints.rust]\nunsafe_code = \"warn\"\n";
        let package = "[package]\nlicense.workspace = true\n[lints]\nworkspace = true\n";
        let bare = "[package]\nname = \"bare\"\n";
        assert!(
            places(
                check,
                &[("Cargo.toml", workspace), ("a/Cargo.toml", package)]
            )
            .is_empty()
        );
        assert_eq!(
            places(check, &[("Cargo.toml", lax), ("a/Cargo.toml", bare)]),
            ["Cargo.toml:1", "a/Cargo.toml:1", "a/Cargo.toml:1"]
        );
    }
}
