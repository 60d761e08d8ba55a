//! Names for places of the model, in `overlay.toml` and in the schemas.

use super::merge::{Merged, MergedType, Set};
use itertools::Itertools;
use std::collections::BTreeMap;

impl Merged {
    /// Returns the place of an inline type as in `overlay.toml`; `None` for a definition.
    pub(crate) fn place(&self, ty: &MergedType) -> Option<String> {
        let (revision, pointer) = ty.origins.last_key_value()?;
        let types = self.types.iter();
        let origins = types.filter_map(|(name, ty)| Some((name, ty.origins.get(revision)?)));
        place_of(pointer, origins)
    }

    /// Describes a place in some of the revisions, with its JSON pointer.
    pub(crate) fn origin(&self, known: &Set, pointer: &str) -> String {
        let mut revisions = known.iter().map(|index| &self.revisions[*index]);
        format!("{} at {pointer}", revisions.join(", "))
    }

    /// Describes the revisions of `known`, with the JSON pointers to a part of a type.
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

/// Returns the place of the inline type at a JSON pointer, as in `overlay.toml`: `Type.field[]`. Returns
/// `None` for a definition.
///
/// `types` has the pointers of all types of the same revision.
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

pub(crate) fn definition(pointer: &str) -> String {
    unescape(pointer.trim_start_matches("/$defs/"))
}

/// Decodes a key of a JSON pointer.
fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
