//! Rules for the lines of files: forbidden words, and the number of lines.

use super::Violation;
use super::workspace::Workspace;

const POSTPONED: &str = "notes about open work are not allowed: do the work now, or leave it out";
const UNMERGED: &str = "a merge conflict is not resolved: choose one side, or join both";
const SKIPPED: &str = "tests are not skipped: make the test pass, or delete it";
const UNTAGGED: &str =
    "no decoding by trial: decode by a discriminator, or by which keys are present";
const LONG: &str = "files have at most 500 lines: split it by concept";

/// Markers of open work. They are split to hide them from the rule itself.
const NOTES: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// Maximum lines of a file of the crates in [`SHORT`], including its tests.
const MAX_LINES: usize = 500;

/// Folders of the crates with a limit for the length of files.
const SHORT: [&str; 3] = ["mcp-extensions/", "mcp-runtime/", "mcp-stores/"];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.files.values() {
        let is_rust = file.path.ends_with(".rs");
        let mut object = |line: usize, found: &str, rule| {
            violations.push(Violation::new(file, line, found.to_owned(), rule));
        };
        for (number, line) in (1..).zip(file.text.lines()) {
            if let Some(note) = words(line).find(|word| NOTES.contains(word)) {
                object(number, note, POSTPONED);
            }
            if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
                object(number, "a conflict marker", UNMERGED);
            }
            if is_rust && line.trim_start().starts_with("#[ignore") {
                object(number, "`ignore`", SKIPPED);
            }
        }
        if !is_rust || !file.path.starts_with("mcp-") || file.is_test() {
            continue;
        }
        for (number, line) in file.code() {
            if words(line).any(|word| word == "untagged") {
                object(number, "an untagged enum", UNTAGGED);
            }
        }
        let lines = file.text.lines().count();
        let must_be_short = SHORT.iter().any(|it| file.path.starts_with(it));
        if must_be_short && lines > MAX_LINES {
            object(MAX_LINES, &format!("{lines} lines"), LONG);
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|it: char| !it.is_alphanumeric() && it != '_')
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

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
    fn halves_of_a_merge_are_found() {
        let text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> d\n";
        let found = places(check, &[("CHANGELOG.md", text)]);
        assert_eq!(found, ["CHANGELOG.md:2", "CHANGELOG.md:6"]);
        assert!(places(check, &[("README.md", "Title\n=======\n")]).is_empty());
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
    fn untagged_is_found_in_attributes_and_in_emitted_code() {
        let attribute = "#[derive(Deserialize)]\n#[serde(\n    untagged\n)]\nenum E {}";
        let emitted = "fn f() {\n    quote!(#[serde(untagged)] enum E {})\n}";
        let files = [
            ("mcp-types/src/generated/model.rs", attribute),
            ("mcp-macros/src/expand.rs", emitted),
        ];
        let mut found = places(check, &files);
        found.sort();
        let expected = [
            "mcp-macros/src/expand.rs:2",
            "mcp-types/src/generated/model.rs:3",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn other_enums_and_other_crates_are_free() {
        let tagged = "/// Not serde(untagged).\n#[serde(tag = \"type\")]\nenum E {}";
        let untagged = "#[serde(untagged)]\nenum E {}";
        let files = [("mcp-types/src/a.rs", tagged), ("xtask/src/b.rs", untagged)];
        assert!(places(check, &files).is_empty());
    }

    #[test]
    fn files_of_the_runtime_and_of_extensions_are_not_long() {
        let fits = "use a;\n".repeat(500);
        let long = "use a;\n".repeat(501);
        let files = [
            ("mcp-runtime/src/a.rs", fits.as_str()),
            ("mcp-runtime/src/b.rs", &long),
            ("mcp-extensions/src/c.rs", &long),
            ("xtask/src/d.rs", &long),
        ];
        assert_eq!(
            places(check, &files),
            ["mcp-extensions/src/c.rs:500", "mcp-runtime/src/b.rs:500"]
        );
    }
}
