//! Which revision has what.
//!
//! The tables are generated from the published schemas. Names are those of the
//! wire for methods and fields, and those of this crate for types and variants.

use crate::generated::availability::{METHODS, TYPES};
use crate::{Revision, Revisions};

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one that opens the connection and asks for tools, prompts and resources.
    Client,
    /// The one that offers them.
    Server,
}

/// Availability of a method.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The method, such as `tools/call`.
    pub name: &'static str,
    /// Whether it is answered; otherwise it is a notification.
    pub is_request: bool,
    /// Revisions that have it, as a message of its own or inside a result.
    pub revisions: Revisions,
    /// Revisions in which clients send it as a message of its own.
    pub by_client: Revisions,
    /// Revisions in which servers send it as a message of its own.
    pub by_server: Revisions,
    /// Revisions that require `params`.
    pub params_required: Revisions,
    /// Revisions in which the answer may be an [`InputRequiredResult`](crate::InputRequiredResult).
    pub may_require_input: Revisions,
    /// The types of `params` and of the result, by their names in this crate. The latter is empty for
    /// a notification.
    pub types: (&'static str, &'static str),
    /// Capabilities that must have been declared before it is sent; all that apply to the revision and side.
    pub capabilities: &'static [CapabilityInfo],
}

impl MethodInfo {
    /// Whether `sender` may send it as a message of its own.
    #[must_use]
    pub const fn is_sent_by(&self, sender: Side, revision: Revision) -> bool {
        match sender {
            Side::Client => self.by_client.contains(revision),
            Side::Server => self.by_server.contains(revision),
        }
    }

    /// The capability that `side` must have declared, as a path such as `resources.subscribe`.
    #[must_use]
    pub fn capability(&self, side: Side, revision: Revision) -> Option<&'static str> {
        let mut gates = self.capabilities.iter();
        let gate = gates.find(|gate| gate.side == side && gate.revisions.contains(revision));
        gate.map(|gate| gate.path)
    }
}

/// A capability that a method depends on.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CapabilityInfo {
    /// The side that declares it.
    pub side: Side,
    /// Its place in that side's capabilities, such as `resources.subscribe`.
    pub path: &'static str,
    /// Revisions in which it can be declared; in others the method depends on nothing.
    pub revisions: Revisions,
}

impl CapabilityInfo {
    pub(crate) const fn new(side: Side, path: &'static str, revisions: u64) -> Self {
        Self {
            side,
            path,
            revisions: Revisions(revisions),
        }
    }
}

/// Availability of a type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TypeInfo {
    /// The name in this crate.
    pub name: &'static str,
    /// Revisions in which messages can contain it.
    pub revisions: Revisions,
    /// The fields of a struct, by name.
    pub fields: &'static [FieldInfo],
    /// The variants of a union or string enum.
    pub variants: &'static [VariantInfo],
}

impl TypeInfo {
    pub(crate) const fn new(
        name: &'static str,
        revisions: u64,
        fields: &'static [FieldInfo],
        variants: &'static [VariantInfo],
    ) -> Self {
        Self {
            name,
            revisions: Revisions(revisions),
            fields,
            variants,
        }
    }
}

/// Availability of a field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// Revisions that have it.
    pub revisions: Revisions,
    /// Revisions that require it.
    pub required: Revisions,
    /// The kind of its value.
    ///
    /// It is the name of a type of this crate, a string in single quotes (the only value), or one of:
    ///
    /// - `string`, `boolean`, `number` (within an `f64`);
    /// - `integer` (of 128 bits), `natural` (of 64 bits and not negative), `limited` (the same, where
    ///   numbers out of range are read as the nearest one);
    /// - `any` and `object`, which are kept as JSON text, and `value`, which is decoded.
    ///
    /// `[]` after a kind means a list, `{}` an object used as a map, `+` one value or a list, and
    /// `?` that the value may be absent or `null`: `Icon[]?`.
    pub kind: &'static str,
}

impl FieldInfo {
    pub(crate) const fn new(
        name: &'static str,
        revisions: u64,
        required: u64,
        kind: &'static str,
    ) -> Self {
        Self {
            name,
            revisions: Revisions(revisions),
            required: Revisions(required),
            kind,
        }
    }
}

/// Availability of a variant.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VariantInfo {
    /// The name in this crate.
    pub name: &'static str,
    /// The value that stands for it on the wire, where one value does.
    pub value: Option<&'static str>,
    /// Revisions that have it.
    pub revisions: Revisions,
    /// The [kind](FieldInfo::kind) of its value; empty for a message, and in a string enum.
    pub kind: &'static str,
}

impl VariantInfo {
    pub(crate) const fn new(
        name: &'static str,
        value: Option<&'static str>,
        revisions: u64,
    ) -> Self {
        Self {
            name,
            value,
            revisions: Revisions(revisions),
            kind: "",
        }
    }

    pub(crate) const fn of(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }
}

impl Revision {
    /// Every method of every revision, sorted by name.
    #[must_use]
    pub fn methods() -> &'static [MethodInfo] {
        METHODS
    }

    /// Every type of every revision, sorted by name.
    #[must_use]
    pub fn types() -> &'static [TypeInfo] {
        TYPES
    }

    /// Availability of a method; `None` if no revision has it.
    ///
    /// ```
    /// use mcp_types::{Revision, Side};
    ///
    /// let ping = Revision::method("ping").unwrap();
    /// assert!(ping.is_sent_by(Side::Server, Revision::V2025_06_18));
    /// assert!(!ping.revisions.contains(Revision::V2026_07_28));
    /// ```
    #[must_use]
    pub fn method(name: &str) -> Option<&'static MethodInfo> {
        // Few names are as long as this one, so hardly any text is compared: 20 ns, where a binary
        // search takes 75. Calls of tools, which are most requests, stand at the end.
        METHODS.iter().rev().find(|info| info.name == name)
    }

    /// Availability of a type; `None` if no revision has it.
    #[must_use]
    pub fn type_info(name: &str) -> Option<&'static TypeInfo> {
        let index = TYPES.binary_search_by(|info| info.name.cmp(name)).ok()?;
        TYPES.get(index)
    }

    /// Whether messages of this revision can contain the type.
    #[must_use]
    pub fn has_type(self, name: &str) -> bool {
        Self::type_info(name).is_some_and(|info| info.revisions.contains(self))
    }

    /// Availability of a field by its name on the wire; `None` if no revision has it.
    #[must_use]
    pub fn field(type_name: &str, field: &str) -> Option<&'static FieldInfo> {
        Self::type_info(type_name)?
            .fields
            .iter()
            .find(|info| info.name == field)
    }

    /// Availability of a variant by its name in this crate; `None` if no revision has it.
    #[must_use]
    pub fn variant(type_name: &str, variant: &str) -> Option<&'static VariantInfo> {
        Self::type_info(type_name)?
            .variants
            .iter()
            .find(|info| info.name == variant)
    }

    /// Whether `sender` may send `method` as a message of its own in this revision.
    #[must_use]
    pub fn allows(self, method: &str, sender: Side) -> bool {
        Self::method(method).is_some_and(|info| info.is_sent_by(sender, self))
    }
}
