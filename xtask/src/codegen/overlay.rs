//! `schema/overlay.toml`: what no general rule covers, each entry with its reason.

use super::decisions::Decisions;
use super::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Overlay {
    /// Acronyms in type names, and the words that replace them.
    #[serde(default)]
    pub(crate) acronyms: BTreeMap<String, String>,
    /// Definitions that Rust knows under another name.
    #[serde(default)]
    pub(crate) rename: Vec<Rename>,
    /// Mistakes in published schemas.
    #[serde(default)]
    pub(crate) repair: Vec<Repair>,
    /// Types that are written by hand, or that stand for any JSON.
    #[serde(default)]
    pub(crate) support: Vec<Support>,
    /// Names for inline types, by place.
    #[serde(default)]
    pub(crate) name: Vec<Name>,
    /// Fields kept as JSON text.
    #[serde(default)]
    pub(crate) raw: Vec<Place>,
    /// Integers whose negative values are read as 0.
    #[serde(default)]
    pub(crate) from_zero: Vec<Place>,
    /// Strings whose values the schema mentions in prose only.
    #[serde(default)]
    pub(crate) values: Vec<Values>,
    /// Types that no method reaches, but that messages contain all the same.
    #[serde(default)]
    pub(crate) keep: Vec<Keep>,
    /// Names for fields, by name on the wire.
    #[serde(default)]
    pub(crate) field: BTreeMap<String, String>,
    /// The order of constructor arguments: these fields come first, in this order.
    #[serde(default)]
    pub(crate) first: Vec<String>,
    /// Values that `conform` puts in where a revision requires a field that others lack.
    #[serde(default)]
    pub(crate) fill: Vec<Fill>,
    /// Replacements of values that the peer's revision cannot express.
    #[serde(default)]
    pub(crate) nearest: Vec<Nearest>,
    /// Which capability a method needs.
    #[serde(default)]
    pub(crate) capability: Vec<Capability>,
    /// `_meta` keys that the specification reserves in prose only.
    #[serde(default)]
    pub(crate) meta_key: Vec<MetaKey>,
    /// Rust names where the one made from the schema will not do.
    #[serde(default)]
    pub(crate) identifier: Vec<Identifier>,
    /// What the file does not settle yet.
    #[serde(skip)]
    pub(crate) decisions: Decisions,
}

/// One definition under another name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    /// Only in this revision; in all if absent.
    pub(crate) revision: Option<String>,
    pub(crate) from: String,
    pub(crate) to: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A correction of a published schema.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repair {
    /// Only in these revisions; in all that have the place if absent.
    pub(crate) revisions: Option<Vec<String>>,
    /// JSON pointer to an object of the schema.
    pub(crate) at: String,
    /// JSON text of the members to set there.
    pub(crate) set: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A definition that is not generated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Support {
    /// The definition.
    pub(crate) name: String,
    /// Its replacement.
    #[serde(rename = "as")]
    pub(crate) kind: SupportKind,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// Replacement of a definition that is not generated.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SupportKind {
    /// A type of the same name, written by hand in `mcp-types`.
    Type,
    /// Any JSON.
    Json,
    /// Any object.
    Object,
}

/// The name of an inline type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    /// `Type.field`, `*.field`, or `Type.field[]` for the items of a list.
    pub(crate) at: String,
    pub(crate) name: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A string with known values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Values {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
    /// The name of the enum.
    pub(crate) name: String,
    pub(crate) values: std::collections::BTreeSet<String>,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A type to keep.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keep {
    pub(crate) name: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A value for a field that only some revisions require.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fill {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
    /// JSON text; `"$revision"` is the revision's own name.
    pub(crate) value: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// Replacement of a value that cannot be sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nearest {
    /// The enum or union.
    #[serde(rename = "type")]
    pub(crate) name: String,
    /// For an enum: the value that stands for all others.
    pub(crate) value: Option<String>,
    /// For a union: JSON of what stands for all others, in which the string `{}` is the
    /// description of the value.
    pub(crate) json: Option<String>,
    /// By variant, how to describe it: `{field}` is the value of a field, `{a|b.c}` that of
    /// the first field that is there. Without an entry, the value's JSON.
    #[serde(default)]
    pub(crate) describe: BTreeMap<String, String>,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// The capability that a method depends on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Capability {
    /// The method.
    pub(crate) method: String,
    /// The side that must have declared it: `client` or `server`.
    pub(crate) of: String,
    /// Its path in the capabilities, such as `resources.subscribe`.
    pub(crate) path: String,
    /// Section of the specification.
    #[expect(dead_code, reason = "read by people")]
    pub(crate) source: String,
}

/// A reserved `_meta` key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetaKey {
    pub(crate) key: String,
    /// In words, for the documentation.
    pub(crate) revisions: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// The Rust name of something that the schema names otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identifier {
    /// `Type.field`, `Enum::value`, `Union::member`, `methods::method`, `meta_keys::key` or
    /// `error_codes::code`.
    pub(crate) at: String,
    pub(crate) name: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

impl Overlay {
    /// Reads `schema/overlay.toml` below `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let file = root.join("schema/overlay.toml");
        let text = std::fs::read_to_string(&file).map_err(Error::io(&file))?;
        toml::from_str(&text).map_err(|source| Error::Toml {
            file,
            source: Box::new(source),
        })
    }

    /// The Rust name given to `place`.
    pub(crate) fn identifier(&self, place: &str) -> Option<&str> {
        let entry = self.identifier.iter().find(|entry| entry.at == place);
        entry.map(|entry| &*entry.name)
    }

    /// Replacement of the values of a type that cannot be sent.
    pub(crate) fn nearest(&self, name: &str) -> Option<&Nearest> {
        self.nearest.iter().find(|entry| entry.name == name)
    }

    /// The name given to the inline type at `place`.
    pub(crate) fn name_at(&self, place: &str) -> Option<&str> {
        let names = self.name.iter().map(|entry| (&*entry.at, &*entry.name));
        at(place, names)
    }

    /// Whether the field at `place` is kept as JSON text.
    pub(crate) fn is_raw(&self, place: &str) -> bool {
        at(place, self.raw.iter().map(|entry| (&*entry.at, ()))).is_some()
    }

    /// Whether a negative value of the field at `place` is read as 0.
    pub(crate) fn is_from_zero(&self, place: &str) -> bool {
        at(place, self.from_zero.iter().map(|entry| (&*entry.at, ()))).is_some()
    }

    /// The known values of the string at `place`.
    pub(crate) fn values_at(&self, place: &str) -> Option<&Values> {
        at(place, self.values.iter().map(|entry| (&*entry.at, entry)))
    }

    /// Value for the field at `place`, as JSON text.
    pub(crate) fn fill_at(&self, place: &str) -> Option<&str> {
        at(
            place,
            self.fill.iter().map(|entry| (&*entry.at, &*entry.value)),
        )
    }
}

/// The entry for `place`; one for the place itself beats one for `*.field`.
fn at<'a, T: Copy>(place: &str, entries: impl Iterator<Item = (&'a str, T)> + Clone) -> Option<T> {
    let field = place.split_once('.').map(|(_, field)| field);
    let exact = entries.clone().find(|(key, _)| *key == place);
    let general = || {
        let mut entries = entries;
        entries.find(|(key, _)| key.strip_prefix("*.").is_some_and(|key| Some(key) == field))
    };
    exact.or_else(general).map(|(_, value)| value)
}
