//! Changes that many methods or types share, named once.

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
    let mut by_phrase: Vec<Change> = Vec::new();
    for (name, phrases) in &places {
        for phrase in phrases {
            let known = by_phrase.iter_mut().find(|it| it.phrases[0] == *phrase);
            match known {
                Some(change) if change.names.last() == Some(name) => {}
                Some(change) => change.names.push(name.clone()),
                None => by_phrase.push(Change {
                    names: vec![name.clone()],
                    phrases: vec![phrase.clone()],
                }),
            }
        }
    }
    by_phrase.retain(|change| change.names.len() >= MANY);
    let mut common: Vec<Change> = Vec::new();
    for change in by_phrase {
        for (_, phrases) in &mut places {
            phrases.retain(|phrase| *phrase != change.phrases[0]);
        }
        match common.iter_mut().find(|it| it.names == change.names) {
            Some(known) => known.phrases.extend(change.phrases),
            None => common.push(change),
        }
    }
    common.sort_by_key(|change| std::cmp::Reverse(change.names.len()));
    places.retain(|(_, phrases)| !phrases.is_empty());
    common.extend(places.into_iter().map(|(name, phrases)| Change {
        names: vec![name],
        phrases,
    }));
    common
}
