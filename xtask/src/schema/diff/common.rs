//! Changes that many methods or types share, named once.

use std::cmp::Reverse;

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

/// Common changes first, those of most places at the top; then the others in the
/// order of `places`. Places without changes are left out.
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
