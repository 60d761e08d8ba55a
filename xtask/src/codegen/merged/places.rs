//! Places of the model, as entries of `overlay.toml` and readers of the schemas name them.

use super::merge::{Merged, MergedType, Set};
use itertools::Itertools;
use std::collections::BTreeMap;

impl Merged {
    /// The place of an inline type, as entries name it; none for a definition.
    pub(crate) fn place(&self, ty: &MergedType) -> Option<String> {
        let (revision, pointer) = ty.origins.last_key_value()?;
        let types = self.types.iter();
        let origins = types.filter_map(|(name, ty)| Some((name, ty.origins.get(revision)?)));
        place_of(pointer, origins)
    }

    /// Some of the revisions with the JSON pointer of something in all of them.
    pub(crate) fn origin(&self, known: &Set, pointer: &str) -> String {
        let mut revisions = known.iter().map(|index| &self.revisions[*index]);
        format!("{} at {pointer}", revisions.join(", "))
    }

    /// The revisions of `known`, each with the JSON pointer of `part` of a type.
    pub(crate) fn origin_of(&self, ty: &MergedType, known: &Set, part: &str) -> String {
        let mut pointers: BTreeMap<_, Set> = BTreeMap::new();
        for index in known {
            let revisions = pointers.entry(ty.origins.get(index)).or_default();
            revisions.insert(*index);
        }
        let mut origins = pointers.into_iter().map(|(pointer, known)| {
            let pointer = pointer.map(|pointer| format!("{pointer}{part}"));
            self.origin(&known, &pointer.unwrap_or_default())
        });
        origins.join("; ")
    }
}

/// The place of the inline type at a JSON pointer, as entries name it: `Type.field[]`; none for a
/// definition.
///
/// `types` are the pointers of all types of the same revision.
pub(super) fn place_of<'a>(
    pointer: &str,
    mut types: impl Iterator<Item = (&'a String, &'a String)>,
) -> Option<String> {
    let (holder, field) = pointer.rsplit_once("/properties/")?;
    let (holder, _) = types.find(|(_, at)| *at == holder)?;
    let (field, inside) = field.split_once('/').unwrap_or((field, ""));
    let inside = inside.replace("items", "[]").replace('/', "");
    let inside = inside.replace("additionalProperties", "{}");
    Some(format!("{holder}.{}{inside}", unescape(field)))
}

/// The name of the definition at a JSON pointer.
pub(crate) fn definition(pointer: &str) -> String {
    unescape(pointer.trim_start_matches("/$defs/"))
}

/// A key as it is, from its form in a JSON pointer.
fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
