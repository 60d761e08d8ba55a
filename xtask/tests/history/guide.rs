//! Tests that docs/regenerate.md explains each kind of entry, with examples from the overlay.

use crate::entries::{self, Entry};
use crate::project::full;
use crate::workspace::{Workspace, root};

/// Returns the kinds of entries, which the error about an unknown kind lists.
fn kinds() -> Vec<String> {
    let workspace = Workspace::new();
    let file = workspace.path().join("schema/overlay.toml");
    std::fs::write(file, "unheard_of = []\n").unwrap();
    let error = workspace.xtask(&["codegen"]).unwrap_err();
    let (_, kinds) = error.split_once("expected one of").unwrap();
    let kinds = kinds.split('`').skip(1).step_by(2);
    kinds.map(str::to_owned).collect()
}

/// Returns the sections of the document, each with its kind of entry.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = text.split("\n### `").skip(1);
    sections.map(|section| {
        let (kind, text) = section.split_once('`').unwrap();
        (kind, text.split("\n## ").next().unwrap())
    })
}

fn examples(section: &str) -> impl Iterator<Item = Vec<Entry>> {
    let blocks = section.split("```toml\n").skip(1);
    blocks.map(|block| entries::read(block.split("```").next().unwrap()))
}

#[test]
fn each_kind_of_entry_is_explained_with_a_true_example() {
    let text = std::fs::read_to_string(root().join("docs/regenerate.md")).unwrap();
    let mut explained: Vec<_> = sections(&text).map(|(kind, _)| kind.to_owned()).collect();
    let mut kinds = kinds();
    explained.sort();
    kinds.sort();
    assert_eq!(explained, kinds);

    let full = full();
    for (kind, section) in sections(&text) {
        let examples: Vec<_> = examples(section).flatten().collect();
        assert!(
            examples.iter().all(|entry| entry.kind == kind),
            "{kind}: an example of another kind"
        );
        if full.iter().any(|entry| entry.kind == kind) {
            let is_true = !examples.is_empty() && examples.iter().all(|entry| full.contains(entry));
            assert!(
                is_true,
                "{kind}: no example, or none of schema/overlay.toml"
            );
        }
    }
}
