//! The order of the folders in each crate: a folder imports only folders below it.

use super::workspace::{File, Workspace};
use super::{Violation, modules};

const RULE: &str = "a folder names only folders below it in its crate's list, `dependencies.rs`: \
                    return a value that says what to do, and let the folder above do it";
const UNLISTED: &str = "every folder has a place in its crate's list, `dependencies.rs`";
const UNUSED: &str = "this exception is not needed: remove it from the list in `dependencies.rs`";

/// The order of one crate.
struct Order {
    sources: &'static str,
    /// Folders from the lowest to the highest, including files of the root. A folder includes its
    /// subfolders that are not listed separately. The empty name is for all other files of the root.
    folders: &'static [&'static str],
    /// Files, each with the higher folder that it may import.
    exceptions: &'static [(&'static str, &'static str)],
}

const ORDERS: &[Order] = &[
    Order {
        sources: "mcp-runtime/src/",
        folders: &[
            // Limits, schemas, the log and other helpers.
            "",
            "error",
            "protocol",
            "connection",
            "store",
            "advice",
            "schema",
            // Transports that only move frames.
            "transport",
            "layer",
            // Tools, prompts, resources and everything else that serves a request. The subfolders import
            // each other: a handler takes the context of its call, and the context has the server.
            "server",
            // HTTP pairs each request with its answer, so it calls the server itself.
            "transport/http",
            "transport/http/client",
            "client",
            // Servers that relay to other servers, through clients.
            "proxy",
            "transport/child_process",
            // Listeners serve each of their clients.
            "transport/socket",
            "transport/websocket",
            "testing",
            // For users, and for the code that the macros generate.
            "prelude",
            "__private",
        ],
        exceptions: &[
            // A layer sees the context of a request, and the answer.
            ("layer/request.rs", "server"),
            ("layer/response.rs", "server"),
        ],
    },
    Order {
        sources: "mcp-auth/src/",
        folders: &[
            "",
            "metadata",
            "jwt",
            "challenge",
            "authentication",
            "client",
            "server",
            "proxy",
        ],
        exceptions: &[],
    },
    Order {
        sources: "mcp-extensions/src/",
        folders: &[
            "",
            "tasks",
            "tasks/store",
            "tasks/store/sqlite",
            "tasks/client",
            "tasks/server",
            "apps",
            "apps/host",
            "apps/server",
            "skills",
            "skills/front_matter",
            "skills/client",
            "skills/server",
            "testing",
        ],
        exceptions: &[],
    },
    Order {
        sources: "mcp-stores/src/",
        folders: &["", "redis"],
        exceptions: &[],
    },
    Order {
        sources: "mcp-types/src/",
        folders: &["", "generated", "union", "reading", "jsonrpc", "ext"],
        exceptions: &[
            // The generated tables.
            ("availability.rs", "generated"),
            // Helpers of the generated code, for unions among others.
            ("conform.rs", "union"),
            ("support.rs", "union"),
        ],
    },
    Order {
        sources: "xtask/src/",
        folders: &[
            "process",
            "tidy",
            "codegen",
            "conformance",
            "schema",
            "bindings",
            "pictures",
            "",
        ],
        exceptions: &[],
    },
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for order in ORDERS {
        order.check(workspace, violations);
    }
}

impl Order {
    fn check(&self, workspace: &Workspace, violations: &mut Vec<Violation>) {
        let is_ours = |file: &&File| file.path.starts_with(self.sources) && !modules::is_map(file);
        let mut unused = self.exceptions.to_vec();
        for file in workspace.sources().filter(is_ours) {
            let Some(place) = self.place(file) else {
                let found = "its folder is not listed".to_owned();
                violations.push(Violation::new(file, 1, found, UNLISTED));
                continue;
            };
            for name in &file.names {
                let imported = modules::of(workspace, file, name);
                let Some(above) = self.place(imported).filter(|above| *above > place) else {
                    continue;
                };
                let above = self.folders[above];
                let exception = (&file.path[self.sources.len()..], above);
                if self.exceptions.contains(&exception) {
                    unused.retain(|it| *it != exception);
                } else {
                    let name_text = name.segments.join("::");
                    let found = format!("names `{name_text}` of `{above}`, which is above it");
                    violations.push(Violation::new(file, name.line, found, RULE));
                }
            }
        }
        for (path, above) in unused {
            let path = format!("{}{path}", self.sources);
            if let Some(file) = workspace.files.get(&path) {
                let found = format!("names nothing of `{above}`");
                violations.push(Violation::new(file, 1, found, UNUSED));
            }
        }
    }

    /// Returns the place of a file's innermost folder in the list; `None` for the root of a crate.
    fn place(&self, file: &File) -> Option<usize> {
        let path = file.path.strip_prefix(self.sources)?;
        if matches!(path, "lib.rs" | "main.rs") {
            return None;
        }
        let is_in = |folder: &str| match path.strip_prefix(folder) {
            Some(rest) if folder.is_empty() => !rest.contains('/'),
            Some(rest) => rest.starts_with('/') || rest == ".rs",
            None => false,
        };
        let places = self.folders.iter().enumerate();
        let found = places.filter(|(_, folder)| is_in(folder));
        found.max_by_key(|(_, folder)| folder.len()).map(|it| it.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    /// Returns the violations in a runtime with the file `path`.
    fn runtime(path: &str, source: &str) -> Vec<String> {
        let path = format!("mcp-runtime/src/{path}");
        let root = "mod client;\nmod protocol;\nmod server;\nmod transport;\n";
        let files = [
            (path.as_str(), source),
            ("mcp-runtime/src/lib.rs", root),
            ("mcp-runtime/src/layer/mod.rs", ""),
            ("mcp-runtime/src/protocol/mod.rs", ""),
            ("mcp-runtime/src/server/mod.rs", ""),
            ("mcp-runtime/src/transport/mod.rs", ""),
        ];
        places(check, &files)
    }

    #[test]
    fn a_folder_names_only_folders_below() {
        let source = "use crate::protocol::Pending;\nuse super::super::transport::Frame;\n\
            fn f() {\n    super::lifecycle::g();\n}\n";
        let found = runtime("protocol/pending.rs", source);
        assert_eq!(found, ["mcp-runtime/src/protocol/pending.rs:2"]);
        assert!(runtime("client/calls.rs", source).is_empty());
    }

    #[test]
    fn the_innermost_folder_decides() {
        let source = "use crate::protocol::Pending;\nuse crate::server::Router;\n";
        assert!(runtime("transport/http/server/service.rs", source).is_empty());
        let found = runtime("transport/memory.rs", source);
        assert_eq!(found, ["mcp-runtime/src/transport/memory.rs:2"]);
    }

    #[test]
    fn every_folder_is_listed() {
        let found = runtime("new/thing.rs", "");
        assert_eq!(found, ["mcp-runtime/src/new/thing.rs:1"]);
        assert!(runtime("thing.rs", "").is_empty());
    }

    #[test]
    fn an_exception_is_for_one_file_and_needed() {
        let source = "use crate::server::Context;\n";
        assert!(runtime("layer/request.rs", source).is_empty());
        let found = runtime("layer/next.rs", source);
        assert_eq!(found, ["mcp-runtime/src/layer/next.rs:1"]);
        let found = runtime("layer/request.rs", "");
        assert_eq!(found, ["mcp-runtime/src/layer/request.rs:1"]);
    }
}
