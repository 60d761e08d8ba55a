//! `schema/overlay.toml`: what no general rule covers, each entry with its reason.
//!
//! An entry that matches nothing is an error. A new kind of entry takes three steps: a struct with
//! `impl Entry`, a field of [`Overlay`] of type [`Entries`], and a line in [`Overlay::unused`], which
//! does not compile without it. The step that looks for an entry takes it with `find`, `at` or
//! `matching`, and only where it has an effect: what is handed out counts as used.

use super::decisions::Decisions;
use super::entries::{Entries, Entry, Word, words};
use super::error::{Error, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Overlay {
    /// Acronyms in type names, and the words that replace them.
    #[serde(deserialize_with = "words")]
    pub(crate) acronyms: Entries<Word>,
    /// Names for fields, by name on the wire.
    #[serde(deserialize_with = "words")]
    pub(crate) field: Entries<Word>,
    /// The order of constructor arguments: these fields come first, in this order.
    pub(crate) first: Entries<String>,
    pub(crate) order: Entries<Order>,
    pub(crate) rename: Entries<Rename>,
    pub(crate) repair: Entries<Repair>,
    pub(crate) support: Entries<Support>,
    pub(crate) name: Entries<Name>,
    /// Fields kept as JSON text.
    pub(crate) raw: Entries<Place>,
    /// Integers whose negative values are read as 0.
    pub(crate) from_zero: Entries<Place>,
    pub(crate) values: Entries<Values>,
    /// Definitions that no method reaches, but that messages contain all the same.
    pub(crate) keep: Entries<Definition>,
    /// Definitions that no method reaches, and that are not generated.
    pub(crate) drop: Entries<Definition>,
    /// Results of requests of which no definition is the result by its name.
    pub(crate) result: Entries<ResultOf>,
    pub(crate) fill: Entries<Fill>,
    pub(crate) nearest: Entries<Nearest>,
    pub(crate) capability: Entries<Capability>,
    pub(crate) meta_key: Entries<MetaKey>,
    pub(crate) identifier: Entries<Identifier>,
    pub(crate) alias: Entries<Alias>,
    /// Questions that the file does not settle yet.
    #[serde(skip)]
    pub(crate) decisions: Decisions,
}

/// The order of the arguments of one constructor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    #[serde(rename = "type")]
    pub(crate) name: String,
    /// These fields come first, in this order.
    pub(crate) fields: Vec<String>,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
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
    /// JSON text of the members to set there; null drops a member.
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
    pub(crate) values: BTreeSet<String>,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// A definition to keep or to drop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    pub(crate) name: String,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// The result of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultOf {
    /// The method of the request.
    pub(crate) method: String,
    /// The definition of the result; absent for a notification, which has none.
    #[serde(rename = "type")]
    pub(crate) name: Option<String>,
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
    /// Instead of both: the value is left out, where each place is an optional field or a list.
    #[serde(default)]
    pub(crate) drop: bool,
    /// By variant, how to describe it: `{field}` is the value of a field, `{a|b.c}` that of
    /// the first field that is there. Without an entry, the value's JSON.
    #[serde(default)]
    pub(crate) describe: BTreeMap<String, String>,
    #[expect(dead_code, reason = "read by people")]
    pub(crate) reason: String,
}

/// The capability that a method depends on, or that it depends on none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Capability {
    pub(crate) method: String,
    /// The side that must have declared it: `client` or `server`.
    pub(crate) of: Option<String>,
    /// Its path in the capabilities, such as `resources.subscribe`.
    pub(crate) path: Option<String>,
    /// Instead of both: the method needs no capability.
    #[serde(default)]
    pub(crate) none: bool,
    /// Section of the specification.
    #[expect(dead_code, reason = "read by people")]
    pub(crate) source: String,
}

/// A reserved `_meta` key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetaKey {
    pub(crate) key: String,
    /// The revisions that reserve it.
    pub(crate) revisions: Vec<String>,
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

/// A public name that the model no longer has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alias {
    pub(crate) old: String,
    pub(crate) new: String,
    /// The version of `mcp-types` that renamed it.
    pub(crate) since: String,
}

/// The field that says what an entry is for.
macro_rules! keys {
    ($($kind:ty: $key:ident),* $(,)?) => {
        $(impl Entry for $kind {
            fn key(&self) -> &str {
                &self.$key
            }
        })*
    };
}

keys! {
    Alias: old,
    Capability: method,
    Definition: name,
    Fill: at,
    Identifier: at,
    MetaKey: key,
    Name: at,
    Nearest: name,
    Order: name,
    Place: at,
    Rename: from,
    Repair: at,
    ResultOf: method,
    Support: name,
    Values: at,
}

/// The unused entries of the kinds named; all kinds must be.
macro_rules! unused {
    ($overlay:ident: $($kind:ident),*) => {{
        let Self { $($kind,)* decisions: _ } = $overlay;
        [$($kind.unused(stringify!($kind))),*].concat()
    }};
}

impl Overlay {
    /// Reads `overlay.toml` in a folder of schemas.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("overlay.toml");
        let text = std::fs::read_to_string(&file).map_err(Error::io(&file))?;
        toml::from_str(&text).map_err(|source| Error::Toml {
            file,
            source: Box::new(source),
        })
    }

    /// Adds what holds in extensions as well: words, renamed and hand-written types.
    pub(crate) fn inherit(&mut self, protocol: Self) {
        self.acronyms.inherit(protocol.acronyms);
        self.field.inherit(protocol.field);
        self.first.inherit(protocol.first);
        self.rename.inherit(protocol.rename);
        self.support.inherit(protocol.support);
    }

    /// The entries that matched nothing, as `kind: key`.
    pub(crate) fn unused(&self) -> Vec<String> {
        unused!(
            self: acronyms, field, first, order, rename, repair, support, name, raw, from_zero,
            values, keep, drop, result, fill, nearest, capability, meta_key, identifier, alias
        )
    }

    /// The Rust name given to `place`.
    pub(crate) fn identifier(&self, place: &str) -> Option<&str> {
        self.identifier.find(place).map(|entry| &*entry.name)
    }

    /// Replacement of the values of a type that cannot be sent; none if they are left out.
    pub(crate) fn replacement(&self, name: &str) -> Option<&Nearest> {
        self.nearest.find(name).filter(|entry| !entry.drop)
    }

    /// Replacement of the definition `name`, if it is not generated.
    pub(crate) fn support(&self, name: &str) -> Option<SupportKind> {
        self.support.find(name).map(|entry| entry.kind)
    }

    /// The entry for the result of a message.
    pub(crate) fn result_of(&self, method: &str) -> Option<&ResultOf> {
        self.result.find(method)
    }

    /// The name given to the inline type at `place`.
    pub(crate) fn name_at(&self, place: &str) -> Option<&str> {
        self.name.at(place).map(|entry| &*entry.name)
    }

    /// Whether the field at `place` is kept as JSON text.
    pub(crate) fn is_raw(&self, place: &str) -> bool {
        self.raw.at(place).is_some()
    }

    /// Whether a negative value of the field at `place` is read as 0.
    pub(crate) fn is_from_zero(&self, place: &str) -> bool {
        self.from_zero.at(place).is_some()
    }

    /// The known values of the string at `place`.
    pub(crate) fn values_at(&self, place: &str) -> Option<&Values> {
        self.values.at(place)
    }
}
