//! The kinds of entries in `overlay.toml`, each with what it has besides its reason.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The order of the arguments of one constructor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) name: String,
    /// These fields come first, in this order.
    pub(crate) fields: Vec<String>,
}

/// One definition under another name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    /// Only in this revision; in all if absent.
    pub(crate) revision: Option<String>,
    pub(crate) from: String,
    pub(crate) to: String,
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

/// The name of an inline type, or the Rust name of something that the schema names otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    /// For a type: `Type.field`, `*.field`, or `Type.field[]` for the items of a list. For Rust:
    /// `Type.field`, `Enum::value`, `Union::member`, `methods::method`, `meta_keys::key` or
    /// `error_codes::code`.
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) at: String,
    pub(crate) name: String,
}

/// A field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
}

/// A string with known values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Values {
    /// `Type.field` or `*.field`.
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) at: String,
    /// The name of the enum.
    pub(crate) name: String,
    pub(crate) values: BTreeSet<String>,
}

/// A definition to keep or to drop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    pub(crate) name: String,
}

/// The result of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultOf {
    /// The method of the request.
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) method: String,
    /// The definition of the result; absent for a notification, which has none.
    #[serde(rename = "type")]
    pub(crate) name: Option<String>,
}

/// A value for a field that only some revisions require.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fill {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
    /// JSON text; `"$revision"` is the revision's own name.
    pub(crate) value: String,
}

/// Replacement of a value that cannot be sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nearest {
    /// The enum or union.
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "read as the key")]
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
}

/// A reserved `_meta` key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetaKey {
    pub(crate) key: String,
    /// The revisions that reserve it.
    pub(crate) revisions: Vec<String>,
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
