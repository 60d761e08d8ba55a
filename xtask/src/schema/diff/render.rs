//! Two revisions in, a report out: for a terminal, or as Markdown.

use super::compare::{Section, compare};
use super::load::load;
use super::model::Title;
use super::words::code;
use anyhow::Result;
use itertools::Itertools;
use std::collections::BTreeMap;
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
    Ok(report(&format!("{from} → {to}"), &sections, as_markdown))
}

/// Markdown has a heading per section and a list item per phrase; plain text is indented by two
/// per level.
fn report(title: &str, sections: &BTreeMap<Title, Section>, as_markdown: bool) -> String {
    let mut report = format!("{title}\n");
    for (title, section) in sections {
        let added = &section.added;
        let removed = &section.removed;
        if as_markdown {
            report.push_str(&format!("\n## {title:?}\n"));
            list(&mut report, "\nAdded:\n\n", "- ", added);
            list(&mut report, "\nRemoved:\n\n", "- ", removed);
        } else {
            report.push_str(&format!("\n{title:?}\n"));
            list(&mut report, "", "  added    ", added);
            list(&mut report, "", "  removed  ", removed);
        }
        for change in &section.changed {
            let names = change.names.iter().map(|name| code(name)).join(", ");
            let (heading, start) = if as_markdown {
                (format!("\n### {names}\n\n"), "- ")
            } else {
                (format!("  changed  {names}\n"), "    ")
            };
            list(&mut report, &heading, start, &change.phrases);
        }
    }
    if sections.is_empty() {
        report.push_str(if as_markdown {
            "\nNo difference.\n"
        } else {
            "\nno difference\n"
        });
    }
    if as_markdown {
        format!("# {report}")
    } else {
        report.replace('`', "")
    }
}

/// Adds a line for each phrase, below a heading if there are some.
fn list(report: &mut String, heading: &str, start: &str, phrases: &[String]) {
    if !phrases.is_empty() {
        report.push_str(heading);
    }
    for phrase in phrases {
        let _ = writeln!(report, "{start}{phrase}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::common::Change;
    use super::*;

    fn sections() -> BTreeMap<Title, Section> {
        let methods = Section {
            added: vec!["`new`".into()],
            removed: vec!["`old`".into()],
            changed: vec![Change {
                names: vec!["call".into(), "list".into()],
                phrases: vec!["`name` became required".into()],
            }],
        };
        BTreeMap::from([(Title::Methods, methods)])
    }

    #[test]
    fn text_is_indented() {
        assert_eq!(
            report("A → B", &sections(), false),
            "A → B\n\nMethods\n  added    new\n  removed  old\n  changed  call, list\n    \
             name became required\n"
        );
    }

    #[test]
    fn markdown_has_headings_and_lists() {
        assert_eq!(
            report("A → B", &sections(), true),
            "# A → B\n\n## Methods\n\nAdded:\n\n- `new`\n\nRemoved:\n\n- `old`\n\n\
             ### `call`, `list`\n\n- `name` became required\n"
        );
    }

    #[test]
    fn equal_revisions_say_so() {
        let none = BTreeMap::new();
        let [text, markdown] = [false, true].map(|as_markdown| report("A → A", &none, as_markdown));
        assert_eq!(text, "A → A\n\nno difference\n");
        assert_eq!(markdown, "# A → A\n\nNo difference.\n");
    }
}
