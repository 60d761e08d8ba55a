//! Paths that only some files may use.
//!
//! The revision and the era are determined once per connection and then passed on as values. Any other
//! code that depends on them would have to be found and changed for the next revision.

use super::Violation;
use super::workspace::Workspace;

/// Paths that only some files may use.
struct Reserved {
    /// Parts of paths.
    names: &'static [&'static str],
    /// Prefix of the files that the rule applies to.
    files: &'static str,
    /// Prefixes of the files that may use the paths.
    except: &'static [&'static str],
    rule: &'static str,
}

const RESERVED: [Reserved; 3] = [
    Reserved {
        names: &["::Revision::V2"],
        files: "",
        except: &[
            "mcp-extensions/src/skills/types.rs",
            "mcp-runtime/src/protocol/",
            "mcp-types/",
        ],
        rule: "revisions are named in one place: ask the availability table, or `protocol`, a question",
    },
    Reserved {
        names: &["::Era::"],
        files: "mcp-",
        except: &[
            "mcp-extensions/src/tasks/types.rs",
            "mcp-runtime/src/client/connect",
            "mcp-runtime/src/protocol/",
            "mcp-runtime/src/proxy/",
            "mcp-runtime/src/server/input/",
            "mcp-runtime/src/transport/http/",
            "mcp-types/",
        ],
        rule: "eras are told apart in few places: let `protocol` decide, and carry its answer",
    },
    Reserved {
        names: &["::Instant::now", "::SystemTime::now", "::tokio"],
        files: "mcp-runtime/src/protocol/",
        except: &[],
        rule: "the protocol knows neither clock nor tasks: let the layer above act on a value",
    },
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        for reserved in RESERVED {
            let is_free = |path: &&str| file.path.starts_with(path);
            if !file.path.starts_with(reserved.files) || reserved.except.iter().any(is_free) {
                continue;
            }
            for name in &file.names {
                let path = format!("::{}", name.segments.join("::"));
                if reserved.names.iter().any(|it| path.contains(it)) {
                    let found = format!("names `{}`", &path[2..]);
                    violations.push(Violation::new(file, name.line, found, reserved.rule));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    const NAMING: &str = "fn f() -> Revision {\n    Revision::V2025_11_25\n}";
    const MATCHING: &str = "fn f(era: Era) {\n    match era {\n        Era::Stateless => {}\n        _ => {}\n    }\n}";

    #[test]
    fn revisions_are_named_only_by_the_protocol_and_tests() {
        let objections = places(
            check,
            &[
                ("mcp-runtime/src/server/router.rs", NAMING),
                ("mcp-runtime/src/protocol/admit.rs", NAMING),
                ("mcp-runtime/tests/revisions.rs", NAMING),
                ("mcp-types/src/revision.rs", NAMING),
            ],
        );
        assert_eq!(objections, ["mcp-runtime/src/server/router.rs:2"]);
    }

    #[test]
    fn latest_and_other_questions_are_free() {
        let source = "use mcp_types::Era;\nfn f() { g(Revision::LATEST, Revision::ALL) }";
        assert!(places(check, &[("mcp-runtime/src/lib.rs", source)]).is_empty());
    }

    #[test]
    fn eras_are_named_only_where_listed() {
        let objections = places(
            check,
            &[
                ("mcp-runtime/src/server/router.rs", MATCHING),
                ("mcp-runtime/src/server/input/run.rs", MATCHING),
                ("mcp-runtime/src/transport/http/session.rs", MATCHING),
            ],
        );
        assert_eq!(objections, ["mcp-runtime/src/server/router.rs:3"]);
    }

    #[test]
    fn the_protocol_knows_neither_clock_nor_tasks() {
        let source = "use std::time::{Duration, Instant};\nuse tokio::sync::mpsc;\n\
            fn f(now: Instant) {\n    let _ = Instant::now();\n}\n";
        let path = "mcp-runtime/src/protocol/pending.rs";
        let expected = [2, 4].map(|line| format!("{path}:{line}"));
        assert_eq!(places(check, &[(path, source)]), expected);
        assert!(places(check, &[("mcp-runtime/src/client/calls.rs", source)]).is_empty());
    }
}
