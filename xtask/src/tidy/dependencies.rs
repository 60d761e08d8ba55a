//! Which crate, and which part of the runtime, may know which.

use super::names::{Named, names};
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

/// Layers of the runtime, and the paths that they may not name.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "protocol",
        &[
            "Instant::now",
            "SystemTime::now",
            "crate::client",
            "crate::driver",
            "crate::server",
            "crate::transport",
            "tokio::",
        ],
    ),
    ("connection", &["crate::client", "crate::server"]),
    ("transport", &["crate::client", "crate::server"]),
];

/// HTTP pairs each request with its answer, so there the transport takes the driver's place and
/// calls the server itself; and what listens for many clients serves each of them.
const ABOVE_THE_SERVER: &[&str] = &[
    "mcp-runtime/src/transport/http/",
    "mcp-runtime/src/transport/socket/",
    "mcp-runtime/src/transport/websocket/server/",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files() {
        if let Some(package) = file.path.strip_suffix("/Cargo.toml") {
            check_manifest(file, package, violations);
        }
    }
    let layered = |path: &str| !ABOVE_THE_SERVER.iter().any(|above| path.starts_with(above));
    for file in workspace.sources().filter(|file| layered(&file.path)) {
        for (layer, forbidden) in LAYERS {
            let path = format!("mcp-runtime/src/{layer}");
            let rest = file.path.strip_prefix(&path);
            if rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/')) {
                check_layer(file, forbidden, violations);
            }
        }
    }
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

fn check_layer(file: &File, forbidden: &[&str], violations: &mut Vec<Violation>) {
    let Some(syntax) = file.syntax() else {
        return;
    };
    for name in names(syntax) {
        let path = resolved(file, &name);
        let hit = forbidden.iter().any(|it| match it.strip_suffix("::") {
            Some(package) => path.split("::").next() == Some(package),
            None => format!("::{path}::").contains(&format!("::{it}::")),
        });
        if hit {
            violations.push(MODULES.broken(file, name.line, format!("names `{path}`")));
        }
    }
}

/// The path with `super` spelled out.
fn resolved(file: &File, name: &Named) -> String {
    let ups = name.segments.iter().take_while(|it| *it == "super").count();
    if ups == 0 {
        return name.segments.join("::");
    }
    let folder = file.folder().split_once("src").map_or("", |(_, rest)| rest);
    let mut module: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    if file.name() != "mod.rs" {
        module.push(file.name().trim_end_matches(".rs"));
    }
    module.truncate(module.len().saturating_sub(ups));
    let rest = name.segments[ups..].iter().map(String::as_str);
    let path: Vec<_> = ["crate"].into_iter().chain(module).chain(rest).collect();
    path.join("::")
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
                "mcp-types/Cargo.toml:6",
                "mcp-runtime/Cargo.toml:3",
                "mcp-macros/Cargo.toml:3"
            ]
        );
    }

    #[test]
    fn the_protocol_knows_neither_clock_nor_transport() {
        let source = "use std::time::{Duration, Instant};\nuse crate::protocol::Pending;\n\
            use super::super::transport::Frame;\nuse tokio::sync::mpsc;\n\
            fn f(now: Instant) {\n    let _ = Instant::now();\n    super::lifecycle::g(now);\n}\n";
        assert_eq!(
            places(check, &[("mcp-runtime/src/protocol/pending.rs", source)]),
            [3, 4, 6].map(|line| format!("mcp-runtime/src/protocol/pending.rs:{line}"))
        );
        assert!(places(check, &[("mcp-runtime/src/client/calls.rs", source)]).is_empty());
    }

    #[test]
    fn a_transport_knows_no_handler() {
        let source = "use crate::driver::run;\nuse crate::server::Router;\n";
        assert_eq!(
            places(
                check,
                &[
                    ("mcp-runtime/src/transport/http/server.rs", source),
                    ("mcp-runtime/src/transport/memory.rs", source),
                ]
            ),
            ["mcp-runtime/src/transport/memory.rs:2"]
        );
    }
}
