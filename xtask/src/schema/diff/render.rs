//! Prints the report about two revisions, as plain text or as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use itertools::Itertools;
use serde_json::Value;

use super::super::import::check_revision;
use super::compare::{Section, compare};
use super::model::Title;
use super::words::code;

pub(in super::super) fn run(
    root: &Path,
    from: &str,
    to: &str,
    as_markdown: bool,
) -> Result<String> {
    let sections = compare(&load(root, from)?, &load(root, to)?);
    Ok(report(&format!("{from} → {to}"), &sections, as_markdown))
}

/// Formats the report. Markdown has a heading per section and a list item per phrase; plain text is
/// indented by two spaces per level.
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

/// Adds a heading and a line for each phrase, unless there are no phrases.
fn list(report: &mut String, heading: &str, start: &str, phrases: &[String]) {
    if !phrases.is_empty() {
        report.push_str(heading);
    }
    for phrase in phrases {
        let _ = writeln!(report, "{start}{phrase}");
    }
}

/// Reads the definitions of a stored revision.
pub(super) fn load(root: &Path, revision: &str) -> Result<Value> {
    check_revision(revision)?;
    let folder = root.join("schema");
    let file = folder.join(format!("{revision}.json"));
    if !file.exists() {
        let stored = stored(&folder).join(", ");
        bail!("{}: no such revision; stored are: {stored}", file.display());
    }
    let name = || file.display().to_string();
    let bytes = std::fs::read(&file).with_context(name)?;
    let mut document: Value = serde_json::from_slice(&bytes)
        .context("not JSON")
        .with_context(name)?;
    document.sort_all_objects();
    Ok(document["$defs"].clone())
}

/// Returns the stored revisions, oldest first.
pub(in super::super) fn stored(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let revisions = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
    revisions.sorted().collect()
}

#[cfg(test)]
mod tests {
    use super::super::compare::Change;
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
