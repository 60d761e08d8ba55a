//! Words that do not belong: postponed work, skipped tests, and paths that
//! lead out of the repository.

use super::links::joined;
use super::names::groups;
use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

const POSTPONED: Rule = Rule {
    name: "nothing is postponed",
    mend: "do it now, or leave it out",
};

const SKIPPED: Rule = Rule {
    name: "no test is skipped",
    mend: "make it pass, or delete it",
};

const OUTSIDE: Rule = Rule {
    name: "paths stay inside the repository",
    mend: "name what it is, or bring it in",
};

/// Notes to oneself; put together here so that this file has none.
const NOTES: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files() {
        check_notes(file, violations);
        if !file.is_test() && !file.has_extension("json") {
            check_paths(workspace, file, violations);
        }
    }
    for file in workspace.rust() {
        if let Some(syntax) = file.syntax() {
            groups(syntax.to_token_stream(), &mut |before, group| {
                let is_attribute =
                    matches!(before, Some(TokenTree::Punct(it)) if it.as_char() == '#');
                if is_attribute && begins_with(group.stream(), "ignore") {
                    let line = group.span_open().start().line;
                    violations.push(SKIPPED.broken(file, line, "`ignore`"));
                }
            });
        }
    }
}

fn check_notes(file: &File, violations: &mut Vec<Violation>) {
    for (index, line) in file.text.lines().enumerate() {
        let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
        if let Some(note) = words.find(|word| NOTES.contains(word)) {
            violations.push(POSTPONED.broken(file, index + 1, note));
        }
    }
}

/// Paths that begin with `../`, wherever they stand, must lead to something.
fn check_paths(workspace: &Workspace, file: &File, violations: &mut Vec<Violation>) {
    let tests = file.test_lines();
    let ends = |it: char| it.is_whitespace() || "\"'`()[]<>,;:|#{}$*".contains(it);
    for (index, line) in file.text.lines().enumerate() {
        if tests.iter().any(|lines| lines.contains(&(index + 1))) {
            continue;
        }
        let paths = line.split(ends).filter(|word| word.starts_with("../"));
        for path in paths.map(|path| path.trim_end_matches(['.', '/'])) {
            let bare = path.split('/').all(|part| part == ".." || part.is_empty());
            if !bare && !joined(file, path).is_some_and(|path| workspace.exists(&path)) {
                violations.push(OUTSIDE.broken(file, index + 1, format!("`{path}`")));
            }
        }
    }
}

fn begins_with(tokens: TokenStream, name: &str) -> bool {
    matches!(tokens.into_iter().next(), Some(TokenTree::Ident(word)) if word == name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn notes_to_oneself_are_found_in_every_text() {
        let note = concat!("a\nb TO", "DO: c\n");
        let files = [
            ("README.md", note),
            ("a/src/lib.rs", concat!("// FIX", "ME\n")),
        ];
        assert_eq!(places(check, &files), ["README.md:2", "a/src/lib.rs:1"]);
        let clean = [("README.md", "A server for todo lists; MASTODON.\n")];
        assert!(places(check, &clean).is_empty());
    }

    #[test]
    fn skipped_tests_are_found() {
        let source = "mod m {\n    #[test]\n    #[ignore = \"slow\"]\n    fn t() {}\n}\n";
        assert_eq!(
            places(check, &[("a/tests/t.rs", source)]),
            ["a/tests/t.rs:3"]
        );
        let clean = "#[test]\nfn ignore() {\n    let ignored = [ignore];\n}\n";
        assert!(places(check, &[("a/tests/t.rs", clean)]).is_empty());
    }

    #[test]
    fn paths_lead_to_something_inside() {
        let text = "See `../b/c.md`, ../README.md or `../..`.\n../../elsewhere/x\n";
        let files = [("a/d.md", text), ("b/c.md", ""), ("README.md", "")];
        assert_eq!(places(check, &files), ["a/d.md:2"]);
        assert!(places(check, &[("a/tests/d.rs", "const P: &str = \"../../x\";")]).is_empty());
    }
}
