//! The generator's own picture of the protocol: what one revision defines.
//!
//! JSON Schema says the same thing in many ways; after [`super::lower`] there
//! is one way. The later steps see these types only, never JSON.

use std::collections::{BTreeMap, BTreeSet};

/// One revision: its types and what is done with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// The date that names the revision.
    pub(crate) revision: String,
    /// Every type that a message can contain, by Rust name.
    pub(crate) types: BTreeMap<String, Def>,
    /// Places of the types in the stored schema, as JSON pointers.
    pub(crate) origins: BTreeMap<String, String>,
    /// Requests and notifications, by method.
    pub(crate) methods: BTreeMap<String, Method>,
    /// Whether messages may be sent in batches.
    pub(crate) batches: bool,
    /// JSON-RPC error codes with a meaning of their own.
    pub(crate) errors: BTreeMap<i64, ErrorCode>,
    /// Definitions with content that no message, entry of `keep` or JSON-RPC envelope refers to.
    pub(crate) unreached: BTreeSet<String>,
}

impl Model {
    /// The fields of all structs, each with the struct's name.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&String, &String, &Field)> {
        self.types.iter().flat_map(|(name, def)| {
            let fields = def.fields().into_iter().flatten();
            fields.map(move |(wire, field)| (name, wire, field))
        })
    }
}

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Def {
    /// An object with known fields.
    Struct(Struct),
    /// One of several types.
    Union(Union),
    /// A string out of a list.
    Enum(Enum),
}

/// An object with known fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Struct {
    /// By the name on the wire.
    pub(crate) fields: BTreeMap<String, Field>,
    /// Whether the schema invites fields that it does not name.
    pub(crate) open: bool,
}

/// A field of a [`Struct`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// The type of its value.
    pub(crate) ty: Type,
    /// Whether a message without it is invalid.
    pub(crate) required: bool,
    /// Whether `null` stands for "none" in a required field.
    pub(crate) nullable: bool,
    /// How much of it is allowed.
    pub(crate) limits: Limits,
}

/// How much of a value is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Limits {
    /// The least number.
    pub(crate) minimum: Option<f64>,
    /// The largest number.
    pub(crate) maximum: Option<f64>,
    /// The longest list.
    pub(crate) max_items: Option<u64>,
}

/// One of several types.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Union {
    /// In the order of the schema.
    pub(crate) members: Vec<Member>,
}

/// One of the types of a [`Union`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// The type of its value; for a message, of its parameters.
    pub(crate) ty: Type,
    /// Set where the union is one of messages, told apart by method.
    pub(crate) method: Option<String>,
}

/// A string out of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Enum {
    /// The values that the schema lists.
    pub(crate) values: BTreeSet<String>,
    /// Whether the schema allows any other string as well.
    pub(crate) open: bool,
}

/// Type of a field, or of the items of a list or map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    /// A string.
    Text,
    /// A whole number, and whether it can be negative.
    Integer { signed: bool },
    /// Any number.
    Number,
    /// `true` or `false`.
    Bool,
    /// JSON kept as text: an object, or anything.
    Json { object: bool },
    /// An object of which the schema names no field; `open` if it allows any.
    Object { open: bool },
    /// Always this string.
    Constant(String),
    /// A type of [`Model::types`], or one that is written by hand.
    Named(String),
    /// A list.
    List(Box<Type>),
    /// An object used as a map.
    Map(Box<Type>),
    /// One value, or a list of them.
    OneOrMany(Box<Type>),
    /// A value or null, inside a list or map; a field has [`Field::nullable`] instead.
    Nullable(Box<Type>),
}

impl Type {
    /// The type inside a list, map, one-or-many or nullable.
    pub(crate) fn element(&self) -> Option<&Type> {
        match self {
            Self::List(inner)
            | Self::Map(inner)
            | Self::OneOrMany(inner)
            | Self::Nullable(inner) => Some(inner),
            _ => None,
        }
    }

    /// This type, or null as well.
    pub(crate) fn or_null(self) -> Self {
        match self {
            any @ (Self::Nullable(_) | Self::Json { object: false }) => any,
            ty => Self::Nullable(Box::new(ty)),
        }
    }

    /// The named type at the core, whatever lists and maps are around it.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            other => other.element().and_then(Self::name),
        }
    }

    /// That name, to be replaced.
    pub(crate) fn name_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Named(name) => Some(name),
            Self::List(inner)
            | Self::Map(inner)
            | Self::OneOrMany(inner)
            | Self::Nullable(inner) => inner.name_mut(),
            _ => None,
        }
    }
}

/// A request or notification.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Method {
    /// The name of the message's definition, such as `CallToolRequest`.
    pub(crate) name: String,
    /// Whether it is answered.
    pub(crate) request: bool,
    /// The type of `params`.
    pub(crate) params: String,
    /// Whether `params` may be left out.
    pub(crate) params_optional: bool,
    /// The type of the result, for a request.
    pub(crate) result: Option<String>,
    /// `InputRequiredResult`, where that may be the answer instead.
    pub(crate) alternative: Option<String>,
    /// Whether clients send it as a message of its own.
    pub(crate) by_client: bool,
    /// Whether servers send it as a message of its own.
    pub(crate) by_server: bool,
}

impl Method {
    /// The name without the word for what it is: `CallTool`.
    pub(crate) fn stem(&self) -> &str {
        stem(&self.name, self.request)
    }
}

/// The name of a message's definition without `Request` or `Notification`, where it has that.
pub(crate) fn stem(name: &str, request: bool) -> &str {
    let kind = if request { "Request" } else { "Notification" };
    let stem = name.strip_suffix(kind).filter(|stem| !stem.is_empty());
    stem.unwrap_or(name)
}

/// A JSON-RPC error code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ErrorCode {
    /// The name of the error's definition, without `Error` at its end.
    pub(crate) name: String,
    /// The type of `data`, where the schema fixes it.
    pub(crate) data: Option<String>,
}
