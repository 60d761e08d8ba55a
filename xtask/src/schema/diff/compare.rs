//! Two revisions in, sections of phrases out.

use super::changes::changes;
use super::common::{Change, gather};
use super::model::{Item, Model};
use super::words::{code, words};
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that changed among definitions of one kind.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// Additions, one phrase each.
    pub(super) added: Vec<String>,
    /// Removals, one phrase each.
    pub(super) removed: Vec<String>,
    /// Changes of what both revisions have.
    pub(super) changed: Vec<Change>,
}

/// The differences between two revisions' definitions, in the order of the official
/// changelogs. Sections may be empty.
pub(super) fn compare(older: &Value, newer: &Value) -> Vec<Section> {
    let (old, new) = (Model::new(older), Model::new(newer));
    let titles = ["Methods", "Capabilities", "Results", "Errors", "Types"];
    let sections = titles.map(|title| {
        let pick = |model: &Model| match title {
            "Methods" => model.methods.clone(),
            _ => {
                let own = |name: &String| title_of(name, [&old, &new]) == Some(title);
                let others = model.others.clone().into_iter();
                others.filter(|(name, _)| own(name)).collect()
            }
        };
        section(title, (older, &pick(&old)), (newer, &pick(&new)))
    });
    sections.into()
}

/// The section of a definition that is no message; `None` for params that belong
/// to a message wherever they exist.
fn title_of(name: &str, models: [&Model; 2]) -> Option<&'static str> {
    let with = models
        .into_iter()
        .filter(|model| model.others.contains_key(name));
    if with.clone().all(|model| model.params.contains(name)) {
        return None;
    }
    let has_code = with
        .clone()
        .any(|model| !model.others[name].notes.is_empty());
    Some(match name {
        "ClientCapabilities" | "ServerCapabilities" => "Capabilities",
        _ if name.ends_with("Result") || name.ends_with("ResultResponse") => "Results",
        _ if name.ends_with("Error") || name.ends_with("ErrorResponse") || has_code => "Errors",
        _ => "Types",
    })
}

type Side<'a> = (&'a Value, &'a BTreeMap<String, Item>);

fn section(title: &'static str, older: Side<'_>, newer: Side<'_>) -> Section {
    let only = |these: Side<'_>, those: Side<'_>| {
        let only = these
            .1
            .iter()
            .filter(|(name, _)| !those.1.contains_key(*name));
        only.map(|(name, item)| described(title, name, item))
            .collect()
    };
    let both = newer.1.iter().filter_map(|(name, new)| {
        let old = older.1.get(name)?;
        let now = new.notes.difference(&old.notes);
        let mut phrases: Vec<_> = now.map(|note| format!("now {note}")).collect();
        let gone = old.notes.difference(&new.notes);
        phrases.extend(gone.map(|note| format!("no longer {note}")));
        phrases.extend(changes((older.0, &old.schema), (newer.0, &new.schema)));
        Some((name.clone(), phrases))
    });
    Section {
        title,
        added: only(newer, older),
        removed: only(older, newer),
        changed: gather(both.collect()),
    }
}

/// A definition that one revision lacks: its notes, and its schema unless it is a message.
fn described(title: &str, name: &str, item: &Item) -> String {
    let notes: Vec<_> = item.notes.iter().map(String::as_str).collect();
    let mut phrase = code(name);
    if !notes.is_empty() {
        phrase = format!("{phrase} ({})", notes.join(", "));
    }
    if title != "Methods" {
        phrase = format!("{phrase}: {}", words(&item.schema));
    }
    phrase
}
