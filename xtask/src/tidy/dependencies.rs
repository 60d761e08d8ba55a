//! The layers of the runtime, and which of them may import which.

use super::modules;
use super::violation::Violation;
use super::workspace::{File, Workspace};

const RULE: &str = "the runtime's layers depend in one direction: \
                    return a value that says what to do, and let the layer above do it";

/// Layers of the runtime, and the folders that they may not import.
const LAYERS: &[(&str, &[&str])] = &[
    ("protocol", &["client", "connection", "server", "transport"]),
    ("connection", &["client", "server"]),
    ("transport", &["client", "server"]),
];

/// HTTP pairs each request with its answer, so there the transport takes the driver's place and
/// calls the server itself; and what listens for many clients serves each of them.
const ABOVE_THE_SERVER: &[&str] = &[
    "mcp-runtime/src/transport/http/",
    "mcp-runtime/src/transport/socket/",
    "mcp-runtime/src/transport/websocket/server.rs",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let layered = |path: &str| !ABOVE_THE_SERVER.iter().any(|above| path.starts_with(above));
    for file in workspace.sources().filter(|file| layered(&file.path)) {
        for (_, above) in LAYERS.iter().filter(|(layer, _)| is_in(file, layer)) {
            for name in &file.names {
                let imported = modules::of(workspace, file, name);
                if above.iter().any(|layer| is_in(imported, layer)) {
                    let found = format!("names `{}`", name.segments.join("::"));
                    violations.push(Violation::new(file, name.line, found, RULE));
                }
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

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn the_protocol_knows_no_transport() {
        let source = "use crate::protocol::Pending;\nuse super::super::transport::Frame;\n\
            fn f() {\n    super::lifecycle::g();\n}\n";
        assert_eq!(
            runtime("mcp-runtime/src/protocol/pending.rs", source),
            ["mcp-runtime/src/protocol/pending.rs:2"]
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
