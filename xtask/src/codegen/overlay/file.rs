//! `schema/overlay.toml`: decisions that no general rule covers, each with its reason.
//!
//! An unused entry is an error. To add a kind of entry, add a struct to [`super::kinds`], a field to
//! [`Overlay`], and its name to [`Overlay::unused`], which does not compile without it. Code that needs
//! an entry gets it with `find`, `at` or `matching`. Call these only if the entry has an effect, because
//! they mark it as used.

use super::entries::{Entries, Word, words};
use super::kinds::{
    Alias, Capability, Definition, Deprecated, Fill, MetaKey, Name, Nearest, Order, Place, Rename,
    Repair, ResultOf, Support, SupportKind, Values,
};
use super::open::Decisions;
use crate::codegen::error::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Overlay {
    /// Acronyms in type names, and their replacements.
    #[serde(deserialize_with = "words")]
    pub(crate) acronyms: Entries<Word>,
    /// Rust names of fields, by their names on the wire.
    #[serde(deserialize_with = "words")]
    pub(crate) field: Entries<Word>,
    /// Fields that come first among the arguments of constructors, in this order.
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
    /// Definitions that messages can contain although no method refers to them.
    pub(crate) keep: Entries<Definition>,
    /// Definitions that no method refers to and that are not generated.
    pub(crate) drop: Entries<Definition>,
    /// Results of requests for which no definition has the name of a result.
    pub(crate) result: Entries<ResultOf>,
    pub(crate) fill: Entries<Fill>,
    pub(crate) nearest: Entries<Nearest>,
    pub(crate) capability: Entries<Capability>,
    pub(crate) meta_key: Entries<MetaKey>,
    pub(crate) identifier: Entries<Name>,
    pub(crate) deprecated: Entries<Deprecated>,
    pub(crate) alias: Entries<Alias>,
    /// The folder of the file, relative to the workspace.
    #[serde(skip)]
    pub(crate) folder: String,
    /// Open questions, which the file does not settle.
    #[serde(skip)]
    pub(crate) decisions: Decisions,
}

/// Collects the unused entries of the named kinds. All kinds must be named.
macro_rules! unused {
    ($overlay:ident: $($kind:ident),*) => {{
        let Self { $($kind,)* folder: _, decisions: _ } = $overlay;
        [$($kind.unused(stringify!($kind))),*].concat()
    }};
}

impl Overlay {
    /// Reads `overlay.toml` in a folder of schemas below `root`.
    pub(crate) fn read(root: &Path, folder: &str) -> Result<Self> {
        let overlay = read_toml(&root.join(folder).join("overlay.toml"))?;
        let folder = folder.to_owned();
        Ok(Self { folder, ..overlay })
    }

    /// Adds the entries of the protocol that also apply to extensions: words, and types that are renamed
    /// or not generated.
    pub(crate) fn inherit(&mut self, protocol: Self) {
        self.acronyms.inherit(protocol.acronyms);
        self.field.inherit(protocol.field);
        self.first.inherit(protocol.first);
        self.rename.inherit(protocol.rename);
        self.support.inherit(protocol.support);
    }

    /// Returns the unused entries, as `kind: key`.
    pub(crate) fn unused(&self) -> Vec<String> {
        unused!(
            self: acronyms, field, first, order, rename, repair, support, name, raw, from_zero,
            values, keep, drop, result, fill, nearest, capability, meta_key, identifier,
            deprecated, alias
        )
    }

    /// Returns the Rust name that an entry gives to `place`.
    pub(crate) fn identifier(&self, place: &str) -> Option<&str> {
        self.identifier.find(place).map(|entry| &*entry.name)
    }

    /// Returns the replacement for values of a type that cannot be sent; `None` if they are left out.
    pub(crate) fn replacement(&self, name: &str) -> Option<&Nearest> {
        self.nearest.find(name).filter(|entry| !entry.drop)
    }

    /// Returns the replacement of the definition `name`, if the definition is not generated.
    pub(crate) fn support(&self, name: &str) -> Option<SupportKind> {
        self.support.find(name).map(|entry| entry.kind)
    }

    /// Returns the name that an entry gives to the inline type at `place`.
    pub(crate) fn name_at(&self, place: &str) -> Option<&str> {
        self.name.at(place).map(|entry| &*entry.name)
    }
}

pub(crate) fn read_toml<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
    toml::from_str(&text).map_err(Error::file(file))
}
