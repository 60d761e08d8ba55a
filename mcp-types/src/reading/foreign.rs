//! Members that other revisions have, found by their names in the text of a value.

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem::Finder;

use super::walk::{is_known, payload};
use crate::Revision;

/// The names, searched for by a value of one type in one revision.
type Names = OnceLock<Vec<Finder<'static>>>;

/// The names of each type, by the index of the type and of the revision.
static NAMES: LazyLock<Vec<[Names; Revision::ALL.len()]>> = LazyLock::new(|| {
    let types = Revision::types().iter();
    types.map(|_| Default::default()).collect()
});

/// Returns false if no part of `json`, a value of the type called `name`, has a member of another
/// revision under a name that its type does not have in `revision`.
pub(super) fn may_occur(json: &str, name: &str, revision: Revision) -> bool {
    let types = Revision::types();
    let index = types.binary_search_by(|info| info.name.cmp(name));
    let names = index
        .ok()
        .and_then(|index| NAMES.get(index)?.get(revision.index()));
    let Some(names) = names else { return false };
    let names = names.get_or_init(|| finders(name, revision));
    names
        .iter()
        .any(|name| name.find(json.as_bytes()).is_some())
}

fn finders(name: &str, revision: Revision) -> Vec<Finder<'static>> {
    let (mut seen, mut names) = (BTreeSet::new(), BTreeSet::new());
    collect(name, revision, &mut seen, &mut names);
    let mut texts: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    // Names are ASCII: an escape may hide one.
    if names.iter().any(|name| name.contains('/')) {
        texts.push("\\/".to_owned());
    }
    if !names.is_empty() {
        texts.push("\\u00".to_owned());
    }
    let finders = texts.iter().map(|text| Finder::new(text).into_owned());
    finders.collect()
}

/// Adds the names that `revision` lacks in a type and in those that its values contain.
fn collect(
    kind: &str,
    revision: Revision,
    seen: &mut BTreeSet<&'static str>,
    names: &mut BTreeSet<&'static str>,
) {
    let name = kind.trim_end_matches(|end: char| !end.is_alphanumeric());
    let Some(info) = Revision::type_info(name) else {
        return;
    };
    if !seen.insert(info.name) {
        return;
    }
    for field in info.fields {
        match is_known(info, field, revision) {
            true => collect(field.kind, revision, seen, names),
            false => _ = names.insert(field.name),
        }
    }
    for variant in info.variants {
        collect(payload(variant), revision, seen, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_other_revisions() {
        let occurs = |json, revision| may_occur(json, "ListToolsResult", revision);
        for name in [
            r#""resultType""#,
            r#""icons""#,
            r#""execution""#,
            r#""\u0072esultType""#,
        ] {
            assert!(occurs(name, Revision::V2025_06_18), "{name}");
        }
        assert!(!occurs(
            r#""tools" "title" "annotations""#,
            Revision::V2025_06_18
        ));
        assert!(occurs(r#""annotations""#, Revision::V2024_11_05));
        assert!(occurs(r#""execution""#, Revision::V2026_07_28));
        assert!(!occurs(r#""resultType""#, Revision::V2026_07_28));
    }
}
