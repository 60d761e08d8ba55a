//! Rules for the manifests of crates.

use toml::{Table, Value};

use super::Violation;
use super::workspace::Workspace;

const CRATES: &str =
    "crates depend in one direction: move the code to the crate that may depend on it";
const LINTS: &str =
    "every crate takes the workspace's lints: add `[lints]` with `workspace = true`";
const UNSAFE: &str = "unsafe code is forbidden: \
                      set `unsafe_code = \"forbid\"` under `[workspace.lints.rust]`";

/// Crates, and the only packages they may depend on.
const ONLY: &[(&str, &str)] = &[
    ("mcp-types", "base64 indexmap memchr serde serde_json"),
    ("mcp-macros", "proc-macro2 quote regex-lite syn"),
    (
        "mcp-bindgen",
        "heck indexmap percent-encoding prettyplease proc-macro2 quote serde serde_json \
         syn thiserror typify",
    ),
    (
        "mcp-auth",
        "base64 bytes form_urlencoded http iri-string keyring-core mcp-runtime ring \
         serde serde_json subtle thiserror tokio tower-layer tower-service tracing",
    ),
    (
        "mcp-config",
        "dotenvy jsonc-parser mcp-runtime serde serde-saphyr serde_json tempfile thiserror toml toml_edit",
    ),
    (
        "mcp-extensions",
        "getrandom granit-parser humantime iri-string mcp-runtime regex-lite ring rusqlite rustix \
         serde serde_json thiserror tokio tower-service tracing",
    ),
    (
        "mcp-stores",
        "bytes getrandom mcp-extensions mcp-runtime redis rusqlite rustls serde_json thiserror \
         tokio tracing",
    ),
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let manifests = workspace.files.values();
    for file in manifests.filter(|file| file.name() == "Cargo.toml" && !file.is_test()) {
        let Ok(manifest) = file.text.parse().map(Value::Table) else {
            continue;
        };
        let at = |path: &str| {
            path.split('.')
                .try_fold(&manifest, |value, key| value.get(key))
        };
        let mut object = |found: &str, rule| {
            violations.push(Violation::new(file, 1, found.to_owned(), rule));
        };
        let unsafe_code = at("workspace.lints.rust.unsafe_code").and_then(Value::as_str);
        if at("workspace").is_some() && unsafe_code != Some("forbid") {
            object("the workspace allows it", UNSAFE);
        }
        if at("package").is_some() && at("lints.workspace") != Some(&Value::Boolean(true)) {
            object("this crate does not", LINTS);
        }
        let package = file.folder();
        let only = ONLY.iter().find(|(name, _)| *name == package);
        let tables = ["dependencies", "build-dependencies"]
            .into_iter()
            .filter_map(at);
        for name in tables.filter_map(Value::as_table).flat_map(Table::keys) {
            let foreign = only.is_some_and(|(_, allowed)| allowed.split(' ').all(|it| it != name));
            if foreign || name == "typify" && package != "mcp-bindgen" {
                object(&format!("`{package}` depends on `{name}`"), CRATES);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn lints_and_forbidden_unsafe_are_required() {
        let workspace = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
        let lax = "[workspace.lints.rust]\nunsafe_code = \"warn\"\n";
        let package = "[package]\nname = \"a\"\n[lints]\nworkspace = true\n";
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
            ["Cargo.toml:1", "a/Cargo.toml:1"]
        );
    }

    #[test]
    fn the_types_stay_small_and_typify_stays_in_mcp_bindgen() {
        let types = "[package]\nname = \"mcp-types\"\n[lints]\nworkspace = true\n[dependencies]\nserde.workspace = true\ntokio = \"1\"\n\n[dev-dependencies]\nproptest = \"1\"\n";
        let runtime = "[dependencies]\nmcp-types = \"0\"\ntypify = \"0\"\n";
        let macros = "[dependencies]\nsyn = \"3\"\nmcp-types.workspace = true\n";
        let bindgen = "[dependencies]\ntypify = \"0\"\n";
        let xtask = "[dependencies]\nmcp-bindgen = \"0\"\n[dev-dependencies]\ntypify = \"0\"\n";
        let files = [
            ("mcp-types/Cargo.toml", types),
            ("mcp-runtime/Cargo.toml", runtime),
            ("mcp-macros/Cargo.toml", macros),
            ("mcp-bindgen/Cargo.toml", bindgen),
            ("xtask/Cargo.toml", xtask),
        ];
        assert_eq!(
            places(check, &files),
            [
                "mcp-macros/Cargo.toml:1",
                "mcp-runtime/Cargo.toml:1",
                "mcp-types/Cargo.toml:1"
            ]
        );
    }
}
