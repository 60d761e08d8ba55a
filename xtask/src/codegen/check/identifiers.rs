//! Rust names, settled and checked before any of them is written.
//!
//! A name must be an identifier, must hide nothing that generated code uses,
//! and must be unique in its scope. Each fault is a decision, with the entry
//! of `overlay.toml` that gives another name.

use super::forms::ambiguity;
use super::scope;
use crate::codegen::by_revision::span;
use crate::codegen::emit::dispatch;
use crate::codegen::emit::rust::{self, is_identifier};
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{Merged, MergedType, Shape};
use crate::codegen::merged::places::{origin, origin_of};
use crate::codegen::merged::variants;
use crate::codegen::model::names::{pascal, screaming, snake};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::Proposal;
use crate::codegen::schemas::load::escape;
use std::collections::{BTreeMap, BTreeSet};

/// Checks all names.
///
/// Returns the names that entries give, for [`Merged::identifiers`].
pub(crate) fn check(merged: &Merged, overlay: &Overlay) -> Result<BTreeMap<String, String>> {
    let given = BTreeMap::new();
    let mut check = Check {
        merged,
        overlay,
        given,
    };
    check.revisions()?;
    check.types();
    for (name, ty) in &merged.types {
        match &ty.shape {
            Shape::Struct(_) => check.fields(name, ty),
            // It will not have variants.
            Shape::Union(members) if ambiguity(merged, members).is_some() => {}
            Shape::Union(_) | Shape::Enum(_) => check.variants(name, ty),
        }
    }
    check.constants();
    Ok(check.given)
}

/// One name that is written.
struct Name {
    /// The place in the terms of `overlay.toml`.
    place: String,
    rust: String,
    /// The revisions, each with its JSON pointer.
    origin: String,
    /// The entry that gives another name, with [`NEW`] in its place.
    entry: String,
}

/// Stands for the new name in an entry.
const NEW: &str = "{new}";

/// How the names of a scope are written, and what makes another name of one that will not do.
type Style = (fn(&str) -> String, &'static str);

const UPPER_CAMEL: Style = (pascal, "Mcp");
const SNAKE: Style = (snake, "mcp_");
const SCREAMING: Style = (|name| screaming(&name.to_lowercase()), "MCP_");

struct Check<'a> {
    merged: &'a Merged,
    overlay: &'a Overlay,
    /// Names that entries give, by place.
    given: BTreeMap<String, String>,
}

impl Check<'_> {
    /// Revisions are named by their files, which no entry renames.
    fn revisions(&self) -> Result<()> {
        for (index, revision) in self.merged.revisions.iter().enumerate() {
            let what = match index {
                64 => "`Revisions` has room for 64 revisions",
                _ if is_identifier(&span::variant(revision)) => continue,
                _ => "the name of the file is no date",
            };
            return Err(Error::Schema {
                revision: revision.clone(),
                path: "/".into(),
                what: what.into(),
            });
        }
        Ok(())
    }

    /// Types, and the types that stand for messages.
    fn types(&self) {
        let types = self.merged.types.iter().map(|(name, ty)| {
            let definition = ty.origins.values().next_back();
            let definition = definition.and_then(|pointer| pointer.strip_prefix("/$defs/"));
            let definition = definition.map(|name| name.replace("~1", "/").replace("~0", "~"));
            Name {
                place: name.clone(),
                rust: name.clone(),
                origin: origin_of(self.merged, ty, &ty.known, ""),
                entry: match self.merged.place(ty) {
                    Some(place) => Proposal::of("name")
                        .with("at", place)
                        .with("name", NEW)
                        .reason(),
                    None => rename(
                        Proposal::of("rename"),
                        definition.as_deref().unwrap_or(name),
                    ),
                },
            }
        });
        let messages = self.merged.methods.values().map(|entry| {
            let name = &entry.method.name;
            let newest = entry.known.last().copied().unwrap_or_default();
            let newest = &*self.merged.revisions[newest];
            Name {
                place: name.clone(),
                rust: name.clone(),
                origin: origin(self.merged, &entry.known, |_| {
                    Some(format!("/$defs/{name}"))
                }),
                entry: match self.merged.types.contains_key(name) {
                    // The message is the value of a field as well.
                    true => Proposal::of("support")
                        .with("name", &**name)
                        .with("as", "json")
                        .reason(),
                    false => rename(Proposal::of("rename").with("revision", newest), name),
                },
            }
        });
        self.scope(
            UPPER_CAMEL,
            &scope::names(),
            types.chain(messages).collect(),
        );
    }

    fn fields(&self, name: &str, ty: &MergedType) {
        let Some(structure) = self.merged.structure(name) else {
            return;
        };
        let fields = structure.stored().map(|(wire, field)| {
            let escaped = escape(wire);
            let origin = origin_of(
                self.merged,
                ty,
                &field.known,
                &format!("/properties/{escaped}"),
            );
            let rust = rust::field_name(name, wire, self.overlay);
            named(format!("{name}.{wire}"), rust, origin)
        });
        let extra = (!structure.open.is_empty()).then(|| "extra".to_owned());
        self.scope(SNAKE, &extra.into_iter().collect(), fields.collect());
    }

    fn variants(&mut self, name: &str, ty: &MergedType) {
        let mut names = Vec::new();
        for (label, rust, known) in variants::of(self.merged, name, &ty.shape) {
            let origin = origin_of(self.merged, ty, known, "");
            names.push(self.constant(format!("{name}::{label}"), rust, origin));
        }
        self.scope(UPPER_CAMEL, &BTreeSet::from(["Unknown".to_owned()]), names);
    }

    fn constants(&mut self) {
        let merged = self.merged;
        let mut methods = Vec::new();
        for (method, entry) in &merged.methods {
            let pointer = format!("/$defs/{}/properties/method", entry.method.name);
            let origin = origin(self.merged, &entry.known, |_| Some(pointer.clone()));
            let rust = dispatch::method_name(merged, method);
            methods.push(self.constant(format!("methods::{method}"), rust, origin));
        }
        let mut keys = Vec::new();
        for (key, revisions) in dispatch::all_meta_keys(merged, self.overlay) {
            let rust = dispatch::meta_key_name(merged, &key);
            keys.push(self.constant(format!("meta_keys::{key}"), rust, revisions));
        }
        let mut codes = Vec::new();
        for (code, (error, known)) in &merged.errors {
            let origin = origin(self.merged, known, |_| {
                Some(format!("/$defs/{}Error", error.name))
            });
            let rust = dispatch::code_name(merged, *code, error);
            codes.push(self.constant(format!("error_codes::{code}"), rust, origin));
        }
        for names in [methods, keys, codes] {
            self.scope(SCREAMING, &BTreeSet::new(), names);
        }
    }

    /// A name that an entry may give.
    fn constant(&mut self, place: String, rust: String, origin: String) -> Name {
        let given = self.overlay.identifier(&place).map(str::to_owned);
        if let Some(given) = &given {
            self.given.insert(place.clone(), given.clone());
        }
        named(place, given.unwrap_or(rust), origin)
    }

    /// Asks for another name for each that cannot be written in this scope.
    fn scope(&self, style: Style, reserved: &BTreeSet<String>, names: Vec<Name>) {
        let (convert, prefix) = style;
        let mut taken: BTreeSet<_> = names.iter().map(|name| name.rust.clone()).collect();
        taken.extend(reserved.iter().cloned());
        let mut first: BTreeMap<&str, &Name> = BTreeMap::new();
        for name in &names {
            let rust = name.rust.as_str();
            let fault = if !is_identifier(rust) || convert(rust) != rust.trim_matches('_') {
                "which is no name for it".to_owned()
            } else if reserved.contains(rust) {
                "which generated code needs for something else".to_owned()
            } else if let Some(other) = first.get(rust) {
                format!("as `{}` would ({})", other.place, other.origin)
            } else {
                first.insert(rust, name);
                continue;
            };
            let mut new = convert(rust);
            while taken.contains(&new) || !is_identifier(&new) {
                new.insert_str(0, prefix);
            }
            let what = format!("would be `{rust}` in Rust, {fault} ({})", name.origin);
            let entry = name.entry.replace(NEW, &new);
            self.overlay.decisions.ask(&name.place, what, entry);
            taken.insert(new);
        }
    }
}

/// A name that an `[[identifier]]` replaces.
fn named(place: String, rust: String, origin: String) -> Name {
    let entry = Proposal::of("identifier")
        .with("at", &*place)
        .with("name", NEW)
        .reason();
    Name {
        place,
        rust,
        origin,
        entry,
    }
}

/// The entry that renames a definition.
fn rename(entry: Proposal, definition: &str) -> String {
    entry.with("from", definition).with("to", NEW).reason()
}
