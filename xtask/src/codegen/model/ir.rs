//! The model of one revision of the protocol.
//!
//! JSON Schema can express the same type in many ways. The model has a single form for each type, and
//! the steps after [`super::lower`] use only the model, never JSON.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) revision: String,
    /// All types that messages can contain, by Rust name.
    pub(crate) types: BTreeMap<String, Def>,
    /// JSON pointers to the types in the stored schema.
    pub(crate) origins: BTreeMap<String, String>,
    /// Requests and notifications, by method.
    pub(crate) methods: BTreeMap<String, Method>,
    pub(crate) batches: bool,
    /// JSON-RPC error codes that the protocol defines.
    pub(crate) errors: BTreeMap<i64, ErrorCode>,
    /// Definitions with content that no message, `keep` entry or JSON-RPC envelope refers to.
    pub(crate) unreached: BTreeSet<String>,
}

impl Model {
    /// Returns the fields of all structs, each with the struct's name.
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
    Struct(Struct),
    Union(Union),
    Enum(Enum),
}

/// An object with known fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Struct {
    /// The fields by their names on the wire.
    pub(crate) fields: BTreeMap<String, Field>,
    /// True if the schema explicitly allows fields that it does not name.
    pub(crate) open: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) ty: Type,
    pub(crate) required: bool,
    /// True if the value of a required field may be `null`.
    pub(crate) nullable: bool,
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Limits {
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) max_items: Option<u64>,
}

/// A choice between several types.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Union {
    /// The members in the order of the schema.
    pub(crate) members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// The type of the value, or of the parameters of a message.
    pub(crate) ty: Type,
    /// The method, in a union of messages.
    pub(crate) method: Option<String>,
}

/// A string with a list of known values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Enum {
    pub(crate) values: BTreeSet<String>,
    /// True if the schema also allows any other string.
    pub(crate) open: bool,
}

/// The type of a field, or of the items of a list or map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    /// A string.
    Text,
    /// A whole number, which can be negative if it is `signed`.
    Integer { signed: bool },
    /// Any number.
    Number,
    /// `true` or `false`.
    Bool,
    /// JSON kept as text: an object, or any JSON value.
    Json { object: bool },
    /// An object without named fields; `open` if it allows any fields.
    Object { open: bool },
    /// A constant string.
    Constant(String),
    /// A type of [`Model::types`], or a type that is not generated.
    Named(String),
    /// A list.
    List(Box<Type>),
    /// An object used as a map.
    Map(Box<Type>),
    /// A single value or a list of values.
    OneOrMany(Box<Type>),
    /// A value or null, inside a list or map. Fields use [`Field::nullable`] instead.
    Nullable(Box<Type>),
}

impl Type {
    /// Returns the type inside a list, map, one-or-many or nullable.
    pub(crate) fn element(&self) -> Option<&Type> {
        match self {
            Self::List(inner)
            | Self::Map(inner)
            | Self::OneOrMany(inner)
            | Self::Nullable(inner) => Some(inner),
            _ => None,
        }
    }

    pub(crate) fn or_null(self) -> Self {
        match self {
            any @ (Self::Nullable(_) | Self::Json { object: false }) => any,
            ty => Self::Nullable(Box::new(ty)),
        }
    }

    /// Returns the named type inside any lists and maps.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            other => other.element().and_then(Self::name),
        }
    }

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
    /// True for a request, false for a notification.
    pub(crate) request: bool,
    pub(crate) params: String,
    pub(crate) params_optional: bool,
    /// The type of the result, for a request.
    pub(crate) result: Option<String>,
    /// `InputRequiredResult`, if it is an alternative result.
    pub(crate) alternative: Option<String>,
    /// True if clients send the method as a message of its own.
    pub(crate) by_client: bool,
    /// True if servers send the method as a message of its own.
    pub(crate) by_server: bool,
}

impl Method {
    /// Returns the name without `Request` or `Notification`, such as `CallTool`.
    pub(crate) fn stem(&self) -> &str {
        stem(&self.name, self.request)
    }
}

/// Returns the name of a message's definition without `Request` or `Notification`.
pub(crate) fn stem(name: &str, request: bool) -> &str {
    let kind = if request { "Request" } else { "Notification" };
    let stem = name.strip_suffix(kind).filter(|stem| !stem.is_empty());
    stem.unwrap_or(name)
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ErrorCode {
    /// The name of the error's definition, without the suffix `Error`.
    pub(crate) name: String,
    /// The type of `data`, if the schema defines it.
    pub(crate) data: Option<String>,
}
