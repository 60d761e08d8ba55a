//! Changes that many methods or types share, named once.

use std::collections::{BTreeMap, BTreeSet};

/// As many places as make a change a common one: three have a base that the
/// schema does not show, or could have.
const MANY: usize = 3;

/// The same changes in one or more places.
pub(super) struct Change {
    /// Names of methods or types.
    pub(super) names: Vec<String>,
    /// A phrase per change.
    pub(super) phrases: Vec<String>,
}

/// Common changes first, those of most places at the top; then the others by
/// name. Places without changes are left out.
pub(super) fn gather(mut places: Vec<(String, Vec<String>)>) -> Vec<Change> {
    let mut by_phrase: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut order = Vec::new();
    for (name, phrases) in &places {
        for phrase in phrases.iter().collect::<BTreeSet<_>>() {
            by_phrase
                .entry(phrase.clone())
                .or_default()
                .push(name.clone());
        }
        order.extend(phrases.iter().cloned());
    }
    by_phrase.retain(|_, names| names.len() >= MANY);
    for (_, phrases) in &mut places {
        phrases.retain(|phrase| !by_phrase.contains_key(phrase));
    }
    let mut common: Vec<Change> = Vec::new();
    for phrase in order {
        let Some(names) = by_phrase.remove(&phrase) else {
            continue;
        };
        match common.iter_mut().find(|change| change.names == names) {
            Some(change) => change.phrases.push(phrase),
            None => common.push(Change {
                names,
                phrases: vec![phrase],
            }),
        }
    }
    common.sort_by_key(|change| std::cmp::Reverse(change.names.len()));
    let single = places.into_iter().map(|(name, phrases)| Change {
        names: vec![name],
        phrases,
    });
    common.extend(single.filter(|change| !change.phrases.is_empty()));
    common
}
