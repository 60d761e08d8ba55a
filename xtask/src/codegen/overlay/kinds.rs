//! The kinds of entries in `overlay.toml`, without their reasons.

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

/// A renamed definition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rename {
    /// The revision that the entry applies to; all revisions if absent.
    pub(crate) revision: Option<String>,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// A correction of a published schema.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repair {
    /// The revisions that the entry applies to; all revisions that have the place if absent.
    pub(crate) revisions: Option<Vec<String>>,
    /// JSON pointer to an object of the schema.
    pub(crate) at: String,
    /// JSON text of the members to set. A null removes the member.
    pub(crate) set: String,
}

/// A definition that is not generated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Support {
    pub(crate) name: String,
    /// The replacement of the definition.
    #[serde(rename = "as")]
    pub(crate) kind: SupportKind,
}

/// Replacement of a definition that is not generated.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SupportKind {
    /// A hand-written type of the same name in `mcp-types`.
    Type,
    Json,
    Object,
}

/// The name of an inline type, or the Rust name of an item.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    /// For an inline type: `Type.field`, `*.field`, or `Type.field[]` for the items of a list. For a Rust
    /// name: `Type.field`, `Enum::value`, `Union::member`, `methods::method`, `meta_keys::key` or
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
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) method: String,
    /// The definition of the result; absent for a notification.
    #[serde(rename = "type")]
    pub(crate) name: Option<String>,
}

/// A value for a field that only some revisions require.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fill {
    /// `Type.field` or `*.field`.
    pub(crate) at: String,
    /// JSON text. `"$revision"` is replaced by the name of the revision.
    pub(crate) value: String,
}

/// The replacement of values that cannot be sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nearest {
    /// The enum or union.
    #[serde(rename = "type")]
    #[expect(dead_code, reason = "read as the key")]
    pub(crate) name: String,
    /// For an enum: the value that replaces the others.
    pub(crate) value: Option<String>,
    /// For a union: JSON of the replacement, in which the string `{}` is the description of the replaced
    /// value.
    pub(crate) json: Option<String>,
    /// Instead of both: the value is left out. All its places must be optional fields or lists.
    #[serde(default)]
    pub(crate) drop: bool,
    /// Description of the values of each variant: `{field}` is the value of a field, `{a|b.c}` the value
    /// of the first field that is present. Without an entry, the description is the value's JSON.
    #[serde(default)]
    pub(crate) describe: BTreeMap<String, String>,
}

/// The capability that a method needs, if any.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Capability {
    pub(crate) method: String,
    /// The side that must declare the capability: `client` or `server`.
    pub(crate) of: Option<String>,
    /// The path in the capabilities, such as `resources.subscribe`.
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
    /// The revisions that reserve the key.
    pub(crate) revisions: Vec<String>,
}

/// A part of the protocol that the specification deprecates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deprecated {
    /// The name of the part, as in the middle of a sentence.
    pub(crate) part: String,
    /// The revision that deprecates the part.
    pub(crate) since: String,
    /// The proposal that deprecates the part, such as `SEP-2577`.
    pub(crate) proposal: String,
    /// When the specification may remove the part, such as `together with sampling`.
    pub(crate) removal: String,
    /// The advice to users of the part, which follows the word `Instead`.
    pub(crate) instead: String,
    /// Types, messages, fields (`Type.field`) and variants (`Type::Variant`).
    pub(crate) items: BTreeSet<String>,
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
