//! Tables of the methods, types and fields that each revision of the protocol has.
//!
//! The tables are generated from the published schemas. Methods and fields have their names on the
//! wire; types and variants have their names in this crate.

use crate::generated::availability::{METHODS, TYPES};
use crate::{Revision, Revisions};

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that opens the connection and uses tools, prompts and resources.
    Client,
    /// The side that offers tools, prompts and resources.
    Server,
}

/// Availability of a method.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The method, such as `tools/call`.
    pub name: &'static str,
    /// True for a request, false for a notification.
    pub is_request: bool,
    /// Revisions that have the method, as a message of its own or inside a result.
    pub revisions: Revisions,
    /// Revisions in which clients may send the method as a message of its own.
    pub by_client: Revisions,
    /// Revisions in which servers may send the method as a message of its own.
    pub by_server: Revisions,
    /// Revisions that require `params`.
    pub params_required: Revisions,
    /// Revisions in which the answer may be an [`InputRequiredResult`](crate::InputRequiredResult).
    pub may_require_input: Revisions,
    /// The names in this crate of the types of `params` and of the result. The name of the result type
    /// is empty for a notification.
    pub types: (&'static str, &'static str),
    /// Capabilities that must be declared before the method is sent. All those that apply to the
    /// revision and side are required.
    pub capabilities: &'static [CapabilityInfo],
}

impl MethodInfo {
    /// Returns true if `sender` may send the method as a message of its own.
    #[must_use]
    pub const fn is_sent_by(&self, sender: Side, revision: Revision) -> bool {
        match sender {
            Side::Client => self.by_client.contains(revision),
            Side::Server => self.by_server.contains(revision),
        }
    }

    /// Returns the capability that `side` must have declared, as a path such as `resources.subscribe`.
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
    /// The side that declares the capability.
    pub side: Side,
    /// Path in the capabilities of that side, such as `resources.subscribe`.
    pub path: &'static str,
    /// Revisions in which the capability can be declared. In other revisions, the method needs no
    /// capability.
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
    /// Revisions in which messages can contain the type.
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
    /// Revisions that have the field.
    pub revisions: Revisions,
    /// Revisions that require the field.
    pub required: Revisions,
    /// The kind of the field's value.
    ///
    /// This is the name of a type of this crate, a string in single quotes (the only allowed value),
    /// or one of:
    ///
    /// - `string`, `boolean`, `number` (within an `f64`);
    /// - `integer` (128 bits), `natural` (64 bits, not negative), `limited` (like `natural`, but
    ///   numbers out of range are read as the nearest number in range);
    /// - `any` and `object`, which are kept as unparsed JSON, and `value`, which is decoded.
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
    /// The value on the wire that identifies the variant, if there is a single such value.
    pub value: Option<&'static str>,
    /// Revisions that have the variant.
    pub revisions: Revisions,
    /// The [kind](FieldInfo::kind) of the variant's value; empty for a message, and in a string enum.
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
    /// Returns all methods of all revisions, sorted by name.
    #[must_use]
    pub fn methods() -> &'static [MethodInfo] {
        METHODS
    }

    /// Returns all types of all revisions, sorted by name.
    #[must_use]
    pub fn types() -> &'static [TypeInfo] {
        TYPES
    }

    /// Returns the availability of a method, or `None` if no revision has the method.
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
        // Few names have the length of the given name, so hardly any strings are compared: this takes
        // 20 ns, a binary search 75 ns. Most requests are tool calls, which are near the end.
        METHODS.iter().rev().find(|info| info.name == name)
    }

    /// Returns the availability of a type, or `None` if no revision has the type.
    #[must_use]
    pub fn type_info(name: &str) -> Option<&'static TypeInfo> {
        let index = TYPES.binary_search_by(|info| info.name.cmp(name)).ok()?;
        TYPES.get(index)
    }

    /// Returns true if messages of this revision can contain the type.
    #[must_use]
    pub fn has_type(self, name: &str) -> bool {
        Self::type_info(name).is_some_and(|info| info.revisions.contains(self))
    }

    /// Returns the availability of the field with this name on the wire, or `None` if no revision has
    /// the field.
    #[must_use]
    pub fn field(type_name: &str, field: &str) -> Option<&'static FieldInfo> {
        Self::type_info(type_name)?
            .fields
            .iter()
            .find(|info| info.name == field)
    }

    /// Returns the availability of the variant with this name in this crate, or `None` if no revision
    /// has the variant.
    #[must_use]
    pub fn variant(type_name: &str, variant: &str) -> Option<&'static VariantInfo> {
        Self::type_info(type_name)?
            .variants
            .iter()
            .find(|info| info.name == variant)
    }

    /// Returns true if `sender` may send `method` as a message of its own in this revision.
    #[must_use]
    pub fn allows(self, method: &str, sender: Side) -> bool {
        Self::method(method).is_some_and(|info| info.is_sent_by(sender, self))
    }
}
