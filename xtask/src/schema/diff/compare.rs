//! Compares two revisions, and groups the changes into sections.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use itertools::{EitherOrBoth, Itertools};
use serde_json::Value;

use super::changes::changes;
use super::model::{Item, Title, items};
use super::words::{code, words};

#[derive(Default)]
pub(super) struct Section {
    /// Additions, one phrase each.
    pub(super) added: Vec<String>,
    /// Removals, one phrase each.
    pub(super) removed: Vec<String>,
    /// Changes of definitions that both revisions have.
    pub(super) changed: Vec<Change>,
}

/// Compares the definitions of two revisions. Sections without changes are left out.
pub(super) fn compare(older: &Value, newer: &Value) -> BTreeMap<Title, Section> {
    let mut sections: BTreeMap<Title, Section> = BTreeMap::new();
    let old = items(older).into_iter();
    let new = items(newer);
    for pair in old.merge_join_by(new, |(old, _), (new, _)| old.cmp(new)) {
        match pair {
            EitherOrBoth::Left(((_, name), item)) => {
                let section = sections.entry(item.title).or_default();
                section.removed.push(described(&name, &item));
            }
            EitherOrBoth::Right(((_, name), item)) => {
                let section = sections.entry(item.title).or_default();
                section.added.push(described(&name, &item));
            }
            EitherOrBoth::Both(((_, name), old), (_, new)) => {
                let now = new.notes.difference(&old.notes);
                let mut phrases: Vec<_> = now.map(|note| format!("now {note}")).collect();
                let gone = old.notes.difference(&new.notes);
                phrases.extend(gone.map(|note| format!("no longer {note}")));
                phrases.extend(changes((older, &old.schema), (newer, &new.schema)));
                if !phrases.is_empty() {
                    let section = sections.entry(old.title.min(new.title)).or_default();
                    let names = vec![name];
                    section.changed.push(Change { names, phrases });
                }
            }
        }
    }
    sections.remove(&Title::Params);
    for section in sections.values_mut() {
        section.changed = gather(&section.changed);
    }
    sections
}

/// Describes a definition that one revision lacks: its notes, and its schema unless it is a message.
fn described(name: &str, item: &Item) -> String {
    let mut phrase = code(name);
    if !item.notes.is_empty() {
        phrase = format!("{phrase} ({})", item.notes.iter().join(", "));
    }
    if item.title != Title::Methods {
        phrase = format!("{phrase}: {}", words(&item.schema));
    }
    phrase
}

/// Number of places from which on a change is a common change, such as a change of a base type that the
/// schema does not show.
const MANY: usize = 3;

/// The same changes in one or more places.
pub(super) struct Change {
    /// Names of methods or types.
    pub(super) names: Vec<String>,
    /// One phrase per change.
    pub(super) phrases: Vec<String>,
}

/// Groups changes: first the common changes, sorted by the number of their places, then the others in
/// the order of `places`. Places without changes are left out.
pub(super) fn gather(places: &[Change]) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for place in places {
        for phrase in &place.phrases {
            let sharing = places.iter().filter(|it| it.phrases.contains(phrase));
            let mut names: Vec<_> = sharing.flat_map(|it| it.names.clone()).collect();
            if names.len() < MANY {
                names.clone_from(&place.names);
            }
            match changes.iter_mut().find(|change| change.names == names) {
                Some(change) if change.phrases.contains(phrase) => {}
                Some(change) => change.phrases.push(phrase.clone()),
                None => changes.push(Change {
                    names,
                    phrases: vec![phrase.clone()],
                }),
            }
        }
    }
    changes.sort_by_key(|change| Reverse(change.names.len()));
    changes
}
