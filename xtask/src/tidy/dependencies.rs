//! Which crate, and which part of the runtime, may know which.

use super::modules;
use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};

const CRATES: Rule = Rule {
    name: "crates depend in one direction",
    mend: "move the code to the crate that may depend on it",
};

const MODULES: Rule = Rule {
    name: "the runtime's layers depend in one direction",
    mend: "return a value that says what to do, and let the layer above do it",
};

/// Crates, and the only packages they may depend on.
const ONLY: &[(&str, &[&str])] = &[
    (
        "mcp-types",
        &["base64", "indexmap", "memchr", "serde", "serde_json"],
    ),
    ("mcp-macros", &["proc-macro2", "quote", "regex-lite", "syn"]),
];

/// Packages that a single crate may depend on.
const RESERVED: &[(&str, &str)] = &[("typify", "xtask")];

/// Layers of the runtime, the folders that they may not import, and the paths that they may not name.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    (
        "protocol",
        &["client", "connection", "server", "transport"],
        &["Instant::now", "SystemTime::now", "tokio"],
    ),
    ("connection", &["client", "server"], &[]),
    ("transport", &["client", "server"], &[]),
];

/// HTTP pairs each request with its answer, so there the transport takes the driver's place and
/// calls the server itself; and what listens for many clients serves each of them.
const ABOVE_THE_SERVER: &[&str] = &[
    "mcp-runtime/src/transport/http/",
    "mcp-runtime/src/transport/socket/",
    "mcp-runtime/src/transport/websocket/server.rs",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files() {
        if let Some(package) = file.path.strip_suffix("/Cargo.toml") {
            check_manifest(file, package, violations);
        }
    }
    let layered = |path: &str| !ABOVE_THE_SERVER.iter().any(|above| path.starts_with(above));
    for file in workspace.sources().filter(|file| layered(&file.path)) {
        for (layer, folders, paths) in LAYERS {
            if is_in(file, layer) {
                check_layer(workspace, file, folders, paths, violations);
            }
        }
    }
}

/// Whether the file is in a folder of the runtime.
fn is_in(file: &File, folder: &str) -> bool {
    let rest = file.path.strip_prefix("mcp-runtime/src/");
    let rest = rest.and_then(|rest| rest.strip_prefix(folder));
    rest.is_some_and(|rest| rest.starts_with(['/', '.']))
}

/// Dependencies for tests alone are free.
fn check_manifest(file: &File, package: &str, violations: &mut Vec<Violation>) {
    let Ok(manifest) = file.text.parse::<toml::Table>() else {
        return;
    };
    let only = ONLY.iter().find(|(name, _)| *name == package);
    for table in ["dependencies", "build-dependencies"] {
        let names = manifest.get(table).and_then(toml::Value::as_table);
        for name in names.into_iter().flat_map(toml::Table::keys) {
            let foreign = only.is_some_and(|(_, allowed)| !allowed.contains(&name.as_str()));
            let reserved = RESERVED
                .iter()
                .any(|(it, owner)| it == name && *owner != package);
            if foreign || reserved {
                let found = format!("`{package}` depends on `{name}`");
                violations.push(CRATES.broken(file, line_of(&file.text, name), found));
            }
        }
    }
}

/// Line on which a manifest first names a dependency.
fn line_of(text: &str, name: &str) -> usize {
    let starts = |line: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    text.lines().position(starts).map_or(1, |index| index + 1)
}

fn check_layer(
    workspace: &Workspace,
    file: &File,
    folders: &[&str],
    paths: &[&str],
    violations: &mut Vec<Violation>,
) {
    for name in file.names() {
        let path = name.segments.join("::");
        let is_named = |it: &&str| format!("::{path}::").contains(&format!("::{it}::"));
        let imported = modules::of(workspace, file, name);
        let is_imported = |folder: &&str| imported.iter().any(|it| is_in(it, folder));
        if paths.iter().any(is_named) || folders.iter().any(is_imported) {
            violations.push(MODULES.broken(file, name.line, format!("names `{path}`")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn the_types_stay_small_and_typify_stays_in_xtask() {
        let types = "[package]\nname = \"mcp-types\"\n\n[dependencies]\nserde.workspace = true\ntokio = \"1\"\n\n[dev-dependencies]\nproptest = \"1\"\n";
        let runtime = "[dependencies]\nmcp-types = \"0\"\ntypify = \"0\"\n";
        let macros = "[dependencies]\nsyn = \"3\"\nmcp-types.workspace = true\n";
        let xtask = "[dependencies]\ntypify = \"0\"\n";
        let files = [
            ("mcp-types/Cargo.toml", types),
            ("mcp-runtime/Cargo.toml", runtime),
            ("mcp-macros/Cargo.toml", macros),
            ("xtask/Cargo.toml", xtask),
        ];
        assert_eq!(
            places(check, &files),
            [
                "mcp-macros/Cargo.toml:3",
                "mcp-runtime/Cargo.toml:3",
                "mcp-types/Cargo.toml:6"
            ]
        );
    }

    #[test]
    fn the_protocol_knows_neither_clock_nor_transport() {
        let source = "use std::time::{Duration, Instant};\nuse crate::protocol::Pending;\n\
            use super::super::transport::Frame;\nuse tokio::sync::mpsc;\n\
            fn f(now: Instant) {\n    let _ = Instant::now();\n    super::lifecycle::g(now);\n}\n";
        assert_eq!(
            runtime("mcp-runtime/src/protocol/pending.rs", source),
            [3, 4, 6].map(|line| format!("mcp-runtime/src/protocol/pending.rs:{line}"))
        );
        assert!(runtime("mcp-runtime/src/client/calls.rs", source).is_empty());
    }

    #[test]
    fn a_transport_knows_no_handler() {
        let source = "use crate::protocol::Pending;\nuse crate::server::Router;\n";
        assert!(runtime("mcp-runtime/src/transport/http/server.rs", source).is_empty());
        assert_eq!(
            runtime("mcp-runtime/src/transport/memory.rs", source),
            ["mcp-runtime/src/transport/memory.rs:2"]
        );
    }

    /// The violations in a runtime with the file `path`.
    fn runtime(path: &str, source: &str) -> Vec<String> {
        let root = "mod client;\nmod protocol;\nmod server;\nmod transport;\n";
        let files = [
            (path, source),
            ("mcp-runtime/src/lib.rs", root),
            ("mcp-runtime/src/protocol/mod.rs", ""),
            ("mcp-runtime/src/server/mod.rs", ""),
            ("mcp-runtime/src/transport/mod.rs", ""),
        ];
        places(check, &files)
    }
}
