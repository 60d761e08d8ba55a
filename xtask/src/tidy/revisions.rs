//! Files that may depend on the revision or the era.
//!
//! That is decided once per connection and then carried as a value. Code that
//! asks again is code that the next revision has to find.

use super::violation::{Rule, Violation};
use super::workspace::Workspace;

const REVISION: Rule = Rule {
    name: "revisions are named in one place",
    mend: "ask the availability table, or `protocol`, a question instead",
};

const ERA: Rule = Rule {
    name: "eras are told apart in few places",
    mend: "let `protocol` decide, and carry its answer",
};

/// Files that may name a single revision.
const NAMES_REVISIONS: &[&str] = &["mcp-runtime/src/protocol/", "mcp-types/"];

/// Files that may depend on the era.
const TELLS_ERAS: &[&str] = &[
    "mcp-runtime/src/client/connect.rs",
    "mcp-runtime/src/client/connect/",
    "mcp-runtime/src/protocol/",
    "mcp-runtime/src/server/input/",
    "mcp-runtime/src/transport/http/",
    "mcp-types/",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        let within = |places: &[&str]| places.iter().any(|place| file.path.starts_with(place));
        let (revisions, eras) = (within(NAMES_REVISIONS), within(TELLS_ERAS));
        for name in file.names() {
            if !revisions && name.has("Revision", is_revision) {
                let found = format!("`{}`", name.segments.join("::"));
                violations.push(REVISION.broken(file, name.line, found));
            }
            if !eras && name.decides && name.has("Era", |_| true) {
                let found = format!("`{}`", name.segments.join("::"));
                violations.push(ERA.broken(file, name.line, found));
            }
        }
    }
}

/// `V` and a date.
fn is_revision(name: &str) -> bool {
    let date = name.strip_prefix('V').unwrap_or_default();
    date.starts_with(|it: char| it.is_ascii_digit()) && date.contains('_')
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
        let source = "fn f() { g(Revision::LATEST, Revision::ALL, Era::Stateless) }";
        assert!(places(check, &[("mcp-runtime/src/lib.rs", source)]).is_empty());
    }

    #[test]
    fn eras_are_matched_only_where_listed() {
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
}
