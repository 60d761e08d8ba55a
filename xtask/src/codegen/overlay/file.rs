//! `schema/overlay.toml`: what no general rule covers, each entry with its reason.
//!
//! An entry that matches nothing is an error. A new kind of entry takes three steps: a struct in
//! [`super::kinds`], a field of [`Overlay`], and a word in [`Overlay::unused`], which does not
//! compile without it. The step that looks for an entry takes it with `find`, `at` or
//! `matching`, and only where it has an effect: what is handed out counts as used.

use super::entries::{Entries, Word, words};
use super::kinds::{
    Alias, Capability, Definition, Fill, MetaKey, Name, Nearest, Order, Place, Rename, Repair,
    ResultOf, Support, SupportKind, Values,
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
    pub(crate) identifier: Entries<Name>,
    pub(crate) alias: Entries<Alias>,
    /// The folder of the file, relative to the workspace.
    #[serde(skip)]
    pub(crate) folder: String,
    /// Questions that the file does not settle yet.
    #[serde(skip)]
    pub(crate) decisions: Decisions,
}

/// The unused entries of the kinds named; all kinds must be.
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

    /// The name given to the inline type at `place`.
    pub(crate) fn name_at(&self, place: &str) -> Option<&str> {
        self.name.at(place).map(|entry| &*entry.name)
    }
}

/// Reads a file of TOML.
pub(crate) fn read_toml<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
    toml::from_str(&text).map_err(Error::file(file))
}
