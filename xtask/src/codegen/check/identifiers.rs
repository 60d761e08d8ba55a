//! Chooses and checks the Rust names.
//!
//! A name must be an identifier, must not hide a name that generated code uses, and must be unique in
//! its scope. Each fault is reported as an open decision, with an entry of `overlay.toml` that gives
//! another name.

use super::forms::ambiguity;
use super::scope;
use crate::codegen::by_revision::span;
use crate::codegen::emit::dispatch;
use crate::codegen::emit::rust;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{Merged, MergedStruct, MergedType, Shape};
use crate::codegen::merged::places::definition;
use crate::codegen::merged::variants;
use crate::codegen::model::names::screaming;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::entry;
use crate::codegen::schemas::load::escape;
use mcp_bindgen::code::names::{is_identifier, pascal, snake};
use std::collections::{BTreeMap, BTreeSet};

/// Checks all names.
///
/// Returns the names given by entries, for [`Merged::identifiers`].
pub(crate) fn check(merged: &Merged, overlay: &Overlay) -> Result<BTreeMap<String, String>> {
    let mut check = Check {
        merged,
        overlay,
        given: BTreeMap::new(),
    };
    check.revisions()?;
    check.types();
    for (name, ty) in &merged.types {
        match &ty.shape {
            Shape::Struct(structure) => check.fields(name, ty, structure),
            // The union can't be generated, so it has no variants.
            Shape::Union(members) if ambiguity(merged, members).is_some() => {}
            Shape::Union(_) | Shape::Enum(_) => check.variants(name, ty),
        }
    }
    check.constants();
    Ok(check.given)
}

struct Name {
    /// The place, as in `overlay.toml`.
    place: String,
    rust: String,
    /// The revisions, with JSON pointers.
    origin: String,
    /// An entry that gives another name, with [`NEW`] as placeholder.
    entry: String,
}

/// The placeholder for the new name in an entry.
const NEW: &str = "{new}";

/// The case conversion for the names of a scope, and a prefix for names that are not allowed.
type Style = (fn(&str) -> String, &'static str);

const UPPER_CAMEL: Style = (pascal, "Mcp");
const SNAKE: Style = (snake, "mcp_");
const SCREAMING: Style = (|name| screaming(&name.to_lowercase()), "MCP_");

struct Check<'a> {
    merged: &'a Merged,
    overlay: &'a Overlay,
    /// Names given by entries, by place.
    given: BTreeMap<String, String>,
}

impl Check<'_> {
    /// Checks the names of revisions. They come from the file names, which entries can't change.
    fn revisions(&self) -> Result<()> {
        for (index, revision) in self.merged.revisions.iter().enumerate() {
            let what = match index {
                64 => "`Revisions` has room for 64 revisions",
                _ if is_identifier(&span::variant(revision)) => continue,
                _ => "the name of the file is not a date",
            };
            return Err(Error::at(format!("schema/{revision}.json"), what));
        }
        Ok(())
    }

    fn types(&self) {
        let merged = self.merged;
        let types = merged.types.iter().map(|(name, ty)| Name {
            place: name.clone(),
            rust: name.clone(),
            origin: merged.origin_of(ty, &ty.known, ""),
            entry: match (merged.place(ty), ty.origins.values().next_back()) {
                (Some(place), _) => entry("name", [("at", &place), ("name", NEW)]),
                (None, origin) => {
                    let from = definition(origin.unwrap_or(name));
                    entry("rename", [("from", &from), ("to", NEW)])
                }
            },
        });
        let messages = merged.methods.values().map(|message| {
            let name = &message.method.name;
            let newest = message.known.last();
            let newest = newest.map_or("", |index| &merged.revisions[*index]);
            let rename = [("revision", newest), ("from", name), ("to", NEW)];
            Name {
                place: name.clone(),
                rust: name.clone(),
                origin: merged.origin(&message.known, &format!("/$defs/{name}")),
                entry: if merged.types.contains_key(name) {
                    // The message is also the value of a field.
                    entry("support", [("name", name), ("as", "json")])
                } else {
                    entry("rename", rename)
                },
            }
        });
        let names: Vec<_> = types.chain(messages).collect();
        self.scope(UPPER_CAMEL, &scope::names(), &names);
    }

    fn fields(&mut self, name: &str, ty: &MergedType, structure: &MergedStruct) {
        let merged = self.merged;
        let overlay = self.overlay;
        let fields = structure.stored().map(|(wire, field)| {
            let part = format!("/properties/{}", escape(wire));
            let origin = merged.origin_of(ty, &field.known, &part);
            let rust = rust::field_name(name, wire, overlay);
            (format!("{name}.{wire}"), rust, origin)
        });
        let extra = (!structure.open.is_empty()).then_some("extra");
        self.identifiers(SNAKE, extra, fields);
    }

    fn variants(&mut self, name: &str, ty: &MergedType) {
        let merged = self.merged;
        let variants = variants::of(merged, name).into_iter();
        let variants = variants.map(|(label, rust, known)| {
            let origin = merged.origin_of(ty, known, "");
            (format!("{name}::{label}"), rust, origin)
        });
        self.identifiers(UPPER_CAMEL, Some("Unknown"), variants);
    }

    fn constants(&mut self) {
        let merged = self.merged;
        let methods = merged.methods.iter().map(|(method, entry)| {
            let pointer = format!("/$defs/{}/properties/method", entry.method.name);
            let origin = merged.origin(&entry.known, &pointer);
            let rust = dispatch::method_name(merged, method);
            (format!("methods::{method}"), rust, origin)
        });
        self.identifiers(SCREAMING, None, methods);
        let keys = dispatch::all_meta_keys(merged, self.overlay).into_iter();
        let keys = keys.map(|(key, revisions)| {
            let rust = dispatch::meta_key_name(merged, &key);
            (format!("meta_keys::{key}"), rust, revisions)
        });
        self.identifiers(SCREAMING, None, keys);
        let codes = merged.errors.iter().map(|(code, (error, known))| {
            let origin = merged.origin(known, &format!("/$defs/{}Error", error.name));
            let rust = dispatch::code_name(merged, *code, error);
            (format!("error_codes::{code}"), rust, origin)
        });
        self.identifiers(SCREAMING, None, codes);
    }

    /// Checks the names in one scope that entries may change, each with its place and origin.
    fn identifiers(
        &mut self,
        style: Style,
        reserved: Option<&str>,
        names: impl Iterator<Item = (String, String, String)>,
    ) {
        let names = names.map(|(place, rust, origin)| {
            let given = self.overlay.identifier(&place).map(str::to_owned);
            if let Some(given) = given.clone() {
                self.given.insert(place.clone(), given);
            }
            Name {
                entry: entry("identifier", [("at", &place), ("name", NEW)]),
                rust: given.unwrap_or(rust),
                place,
                origin,
            }
        });
        let names: Vec<_> = names.collect();
        let reserved = reserved.map(str::to_owned).into_iter().collect();
        self.scope(style, &reserved, &names);
    }

    /// Asks for another name for each name that is not allowed in this scope.
    fn scope(&self, style: Style, reserved: &BTreeSet<String>, names: &[Name]) {
        let (convert, prefix) = style;
        let mut taken = reserved.clone();
        taken.extend(names.iter().map(|name| name.rust.clone()));
        let mut first: BTreeMap<&str, &Name> = BTreeMap::new();
        for name in names {
            let rust = name.rust.as_str();
            let fault = if !is_identifier(rust) || convert(rust) != rust.trim_matches('_') {
                "which is not a valid name".to_owned()
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
