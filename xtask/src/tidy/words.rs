//! Words that do not belong: postponed work, skipped tests, and paths that
//! lead out of the repository.

use super::links::joined;
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

/// Where macros that stand for code are no promise: samples that must not
/// compile.
const SAMPLES: &str = "/tests/ui/";

/// Macros that stand for code to come.
const STAND_INS: &[&str] = &["todo", "unimplemented"];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files() {
        check_notes(file, violations);
        if !file.is_test() && !file.has_extension("json") {
            check_paths(workspace, file, violations);
        }
    }
    let samples = |file: &&File| file.path.contains(SAMPLES);
    for file in workspace.rust().filter(|file| !samples(file)) {
        if let Some(syntax) = file.syntax() {
            check_tokens(file, syntax.to_token_stream(), violations);
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

/// Finds `#[ignore]` and the macros that stand for code to come.
fn check_tokens(file: &File, tokens: TokenStream, violations: &mut Vec<Violation>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let followed_by = |sign: char| matches!(tokens.get(index + 1), Some(TokenTree::Punct(it)) if it.as_char() == sign);
        match token {
            TokenTree::Ident(word) if STAND_INS.iter().any(|it| word == it) && followed_by('!') => {
                let line = word.span().start().line;
                violations.push(POSTPONED.broken(file, line, format!("`{word}!`")));
            }
            TokenTree::Group(group) => {
                let is_attribute = index > 0
                    && matches!(&tokens[index - 1], TokenTree::Punct(it) if it.as_char() == '#');
                if is_attribute && begins_with(group.stream(), "ignore") {
                    let line = group.span_open().start().line;
                    violations.push(SKIPPED.broken(file, line, "`ignore`"));
                }
                check_tokens(file, group.stream(), violations);
            }
            _ => {}
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
    fn stand_ins_and_skipped_tests_are_found() {
        let source = "fn f() {\n    todo!()\n}\n\n#[test]\n#[ignore = \"slow\"]\nfn t() {}\n";
        assert_eq!(
            places(check, &[("a/tests/t.rs", source)]),
            ["a/tests/t.rs:2", "a/tests/t.rs:6"]
        );
        assert!(places(check, &[("a/tests/ui/t.rs", source)]).is_empty());
        let clean = "#[test]\nfn ignore() {\n    let todo = ignore;\n}\n";
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
