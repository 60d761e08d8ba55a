//! Repeats the history of this project: starting with its first three revisions, it adopts the next two,
//! and must ask for each entry of the overlay that they need.
#![allow(clippy::unwrap_used)]

mod entries;
mod guide;
mod later;
#[allow(dead_code, reason = "shared with the tests of the generator")]
#[path = "../codegen/package.rs"]
mod package;
mod project;
#[allow(dead_code, reason = "shared with the tests of the generator")]
#[path = "../codegen/workspace.rs"]
mod workspace;

use entries::Entry;
use later::{JULY, LATER, NOVEMBER, REPLACED, Source};
use project::{Project, entries_until, full, later};
use workspace::{generated, root};

/// The newest of the first three revisions.
const FIRST: &str = "2025-06-18";

/// The line before the part of a report that requires no action.
const NOTES: &str = "\nfor information:";

/// A program for the four revisions until 2025-11-25.
const USER: &str = r##"
use mcp_types::*;

#[test]
fn an_old_peer_gets_a_form_for_a_page() {
    let mut question: ElicitRequestParams =
        ElicitRequestUrlParams::new("Sign in.", "1", "https://example.com/").into();
    question.conform(Revision::V2025_11_25);
    assert!(matches!(question, ElicitRequestParams::Url(_)));
    question.conform(Revision::V2025_06_18);
    assert!(matches!(question, ElicitRequestParams::Form(_)));
}
"##;

#[test]
fn the_table_of_revisions_names_entries_that_exist() {
    let full = full();
    for (_, _, kind, place) in LATER {
        assert!(
            full.iter().any(|entry| entry.is(kind, place)),
            "{kind} {place}: no such entry"
        );
    }
    let replaced = entries::read(include_str!("overlay.toml"));
    for (_, _, kind, place) in REPLACED {
        assert!(
            replaced.iter().any(|entry| entry.is(kind, place)),
            "{kind} {place}: no such entry"
        );
    }
}

/// An entry that only later revisions need would be unused, and a missing entry would lead to a question.
#[test]
fn the_first_three_revisions_need_the_other_entries() {
    let project = Project::of(FIRST, "history-1");
    project.xtask(&["codegen"]).success();
}

#[test]
fn the_fourth_revision_asks_for_its_entries() {
    let project = Project::of(FIRST, "history-2");
    package::complete(&project.0, USER);
    let report = adopt(&project, FIRST, NOVEMBER);
    assert_names_are_noted(&report, NOVEMBER);
}

#[test]
fn the_fifth_revision_asks_for_its_entries_and_gives_the_code_as_committed() {
    let project = Project::of(NOVEMBER, "history-3");
    package::complete(&project.0, "");
    let report = adopt(&project, NOVEMBER, JULY);
    assert_names_are_noted(&report, JULY);
    assert_eq!(entries_until(JULY), full());
    assert_eq!(generated(project.0.path()), generated(&root()));
}

/// Adopts `revision` in a project with the revisions until `before`. The generator must ask exactly for
/// the entries that the table has for this revision, except for the entries that no schema shows.
fn adopt(project: &Project, before: &str, revision: &str) -> String {
    let file = root().join(format!("schema/{revision}.json"));
    let first_report = project
        .xtask(&["schema", "adopt", file.to_str().unwrap()])
        .failure();

    // Names that replace a default name have separate places.
    let older = entries_until(before);
    let newer = entries_until(revision);
    let (answers, others): (Vec<_>, Vec<_>) = newer
        .iter()
        .filter(|entry| !older.contains(entry))
        .cloned()
        .partition(is_asked_for);
    project.set_entries(&[older.clone(), others].concat());
    let report = project.xtask(&["codegen"]).failure();
    let asked = proposed(&report);
    let missing = answers
        .iter()
        .filter(|entry| !asked.iter().any(|asked| entry.answers(asked)));
    let surplus = asked
        .iter()
        .filter(|asked| !answers.iter().any(|entry| entry.answers(asked)));
    let names = |entries: Vec<&Entry>| {
        entries
            .into_iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let missing = names(missing.collect());
    let surplus = names(surplus.collect());
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "not asked for: {missing:#?}\nunexpectedly asked for: {surplus:#?}\n{report}"
    );
    for gone in older.iter().filter(|entry| !newer.contains(entry)) {
        let line = format!("{}: {}", gone.kind, gone.place);
        assert!(
            report.lines().any(|it| it.starts_with(&line)),
            "{line}\n{report}"
        );
    }

    project.set_entries(&newer);
    project.add_docs();
    project.xtask(&["schema", "adopt"]).success();
    first_report
}

/// Tests that a report notes the places of names that replace a default name.
fn assert_names_are_noted(report: &str, revision: &str) {
    let (_, notes) = report.split_once(NOTES).unwrap();
    let noted = entries_in(notes);
    for entry in full() {
        if entry.kind == "name" && later(&entry) == Some((revision, Source::Taste)) {
            let is_noted = noted.iter().any(|note| entry.answers(note));
            assert!(is_noted, "{entry}: not in\n{notes}");
        }
    }
}

fn is_asked_for(entry: &Entry) -> bool {
    later(entry).is_none_or(|(_, source)| source == Source::Asked)
}

/// Returns the entries that a report asks for, without the notes.
fn proposed(report: &str) -> Vec<Entry> {
    entries_in(report.split(NOTES).next().unwrap())
}

/// Parses the blocks of indented lines.
fn entries_in(report: &str) -> Vec<Entry> {
    let lines: Vec<_> = report
        .lines()
        .map(|line| line.strip_prefix("    "))
        .collect();
    let blocks = lines.split(Option::is_none);
    let blocks = blocks.map(|block| {
        block
            .iter()
            .flatten()
            .copied()
            .collect::<Vec<_>>()
            .join("\n")
    });
    blocks.flat_map(|block| entries::read(&block)).collect()
}
