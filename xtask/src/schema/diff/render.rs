//! Two revisions in, a report out: for a terminal, or as Markdown.

use super::common::Change;
use super::compare::{Section, compare};
use super::load::load;
use super::words::code;
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;

/// Compares the stored revisions `from` and `to`; returns the report.
pub(in super::super) fn run(
    root: &Path,
    from: &str,
    to: &str,
    as_markdown: bool,
) -> Result<String> {
    let sections = compare(&load(root, from)?, &load(root, to)?);
    let title = format!("{from} → {to}");
    Ok(match as_markdown {
        true => markdown(&title, &sections),
        false => text(&title, &sections),
    })
}

/// Plain text, indented by two per level.
fn text(title: &str, sections: &[Section]) -> String {
    let mut report = format!("{title}\n");
    for section in sections.iter().filter(|section| !is_empty(section)) {
        let _ = writeln!(report, "\n{}", section.title);
        for (word, items) in [("added  ", &section.added), ("removed", &section.removed)] {
            for item in items {
                let _ = writeln!(report, "  {word}  {item}");
            }
        }
        for change in &section.changed {
            let _ = writeln!(report, "  changed  {}", names(change));
            for phrase in &change.phrases {
                let _ = writeln!(report, "    {phrase}");
            }
        }
    }
    if sections.iter().all(is_empty) {
        report.push_str("\nno difference\n");
    }
    report.replace('`', "")
}

/// Markdown: a heading per section, a list item per phrase.
fn markdown(title: &str, sections: &[Section]) -> String {
    let mut report = format!("# {title}\n");
    for section in sections.iter().filter(|section| !is_empty(section)) {
        let _ = writeln!(report, "\n## {}", section.title);
        for (word, items) in [("Added", &section.added), ("Removed", &section.removed)] {
            if !items.is_empty() {
                let _ = writeln!(report, "\n{word}:\n");
            }
            for item in items {
                let _ = writeln!(report, "- {item}");
            }
        }
        for change in &section.changed {
            let _ = writeln!(report, "\n### {}\n", names(change));
            for phrase in &change.phrases {
                let _ = writeln!(report, "- {phrase}");
            }
        }
    }
    if sections.iter().all(is_empty) {
        report.push_str("\nNo difference.\n");
    }
    report
}

fn names(change: &Change) -> String {
    let names: Vec<_> = change.names.iter().map(|name| code(name)).collect();
    names.join(", ")
}

fn is_empty(section: &Section) -> bool {
    section.added.is_empty() && section.removed.is_empty() && section.changed.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections() -> Vec<Section> {
        vec![
            Section {
                title: "Methods",
                added: vec!["`new`".into()],
                removed: vec!["`old`".into()],
                changed: vec![Change {
                    names: vec!["call".into(), "list".into()],
                    phrases: vec!["`name` became required".into()],
                }],
            },
            Section {
                title: "Types",
                added: vec![],
                removed: vec![],
                changed: vec![],
            },
        ]
    }

    #[test]
    fn text_is_indented_and_skips_empty_sections() {
        assert_eq!(
            text("A → B", &sections()),
            "A → B\n\nMethods\n  added    new\n  removed  old\n  changed  call, list\n    \
             name became required\n"
        );
    }

    #[test]
    fn markdown_has_headings_and_lists() {
        assert_eq!(
            markdown("A → B", &sections()),
            "# A → B\n\n## Methods\n\nAdded:\n\n- `new`\n\nRemoved:\n\n- `old`\n\n\
             ### `call`, `list`\n\n- `name` became required\n"
        );
    }

    #[test]
    fn equal_revisions_say_so() {
        let sections = &sections()[1..];
        assert_eq!(text("A → A", sections), "A → A\n\nno difference\n");
        assert_eq!(markdown("A → A", sections), "# A → A\n\nNo difference.\n");
    }
}
