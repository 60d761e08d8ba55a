//! Builds the types of one revision's model: definitions, references, lists and names.
//!
//! An inline type gets the name that a newer revision uses at the same place, so that revisions can be
//! merged, or else a name made from the place. After a fault, the type is read as any JSON, so that one
//! run reports all faults.

use super::ir::{Def, Enum, Model, Struct, Type};
use super::join;
use crate::codegen::error::Error;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::SupportKind;
use crate::codegen::overlay::proposal::Proposal;
use crate::codegen::schemas::keywords::{kind_of, kinds};
use crate::codegen::schemas::load::Schema;
use crate::codegen::schemas::subschemas::{alternatives, referred};
use itertools::Itertools;
use mcp_bindgen::code::names::pascal;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The place of a schema, and the type of newer revisions at this place.
#[derive(Clone, Copy)]
pub(crate) struct Site<'p> {
    /// The place, as in `overlay.toml`.
    pub(crate) place: &'p str,
    pub(crate) expected: Option<&'p Type>,
}

impl<'p> Site<'p> {
    pub(crate) fn new(place: &'p str, expected: Option<&'p Type>) -> Self {
        Self { place, expected }
    }
}

pub(crate) const ANY: Type = Type::Json { object: false };

/// The work in progress on one revision.
pub(crate) struct Lowering<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) newer: &'a [Model],
    pub(crate) overlay: &'a Overlay,
    pub(crate) model: Model,
    pub(crate) errors: Vec<Error>,
    /// Definitions that are in the model, or that lead to one that is.
    pub(crate) reached: BTreeSet<String>,
    /// The chain of references that are being followed, without a struct between them.
    pub(crate) pending: Vec<&'a str>,
    /// The places from which the names of inline types were made.
    made_from: BTreeMap<String, String>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(schema: &'a Schema, newer: &'a [Model], overlay: &'a Overlay) -> Self {
        Self {
            schema,
            newer,
            overlay,
            model: Model {
                revision: schema.revision.clone(),
                batches: schema.defs.contains_key("JsonRpcBatchRequest"),
                ..Model::default()
            },
            errors: Vec::new(),
            reached: BTreeSet::new(),
            pending: Vec::new(),
            made_from: BTreeMap::new(),
        }
    }

    /// Records a fault in `json`, and returns the type for any JSON.
    pub(crate) fn fault(&mut self, json: &Value, what: &str) -> Type {
        let at = self.schema.pointer_to(json);
        self.errors.push(self.schema.fault(&at, what));
        ANY
    }

    /// Asks whether `json`, for which Rust has no type, may be any JSON or any object.
    pub(crate) fn ask_any(&self, json: &Value, place: &str, what: &str) -> Type {
        let entry = match self.schema.defs.get(place) {
            Some(definition) => {
                let is_object = definition["type"] == "object";
                let kind = if is_object { "object" } else { "json" };
                Proposal::of("support").with("name", place).with("as", kind)
            }
            None => Proposal::of("raw").with("at", place),
        };
        self.ask(json, what, entry);
        ANY
    }

    pub(crate) fn ask(&self, json: &Value, what: &str, entry: Proposal) {
        let at = self.schema.pointer_to(json);
        self.schema.ask(self.overlay, &at, what, entry.reason());
    }

    /// Asks whether the members `set` may replace the members of `json`.
    pub(crate) fn ask_repair(&self, json: &Value, what: &str, set: &Value) {
        let at = self.schema.pointer_to(json);
        self.schema.ask_repair(self.overlay, &at, what, set);
    }

    /// Returns the definition `name`, and marks it as reached.
    pub(crate) fn definition(&mut self, name: &str) -> Option<&'a Value> {
        self.reached.insert(name.to_owned());
        self.schema.defs.get(name)
    }

    /// Follows references to a schema.
    pub(crate) fn resolve(&mut self, mut json: &'a Value) -> &'a Value {
        // Two definitions with the same name can form a cycle. A question was asked about them.
        for _ in 0..self.schema.defs.len() {
            match referred(json).and_then(|name| self.definition(name)) {
                Some(target) => json = target,
                None => break,
            }
        }
        json
    }

    /// Reads the type of the schema `json`.
    pub(crate) fn any(&mut self, json: &'a Value, mut site: Site<'_>) -> Type {
        if let Some(Type::Nullable(inner)) = site.expected {
            site.expected = Some(inner);
        }
        let ty = if self.overlay.raw.at(site.place).is_some() {
            let object = self.resolve(json)["type"] == "object";
            Type::Json { object }
        } else if let Some(entry) = self.overlay.values.at(site.place) {
            let values = entry.values.clone();
            self.insert(&entry.name, Def::Enum(Enum { values, open: true }), json)
        } else {
            match referred(json) {
                Some(name) => self.reference(name, site),
                None => self.inline(json, site),
            }
        };
        match json.get("nullable") {
            Some(_) => ty.or_null(),
            None => ty,
        }
    }

    pub(crate) fn reference(&mut self, name: &'a str, site: Site<'_>) -> Type {
        let target = self.definition(name).unwrap_or(&Value::Null);
        let named = Type::Named(name.to_owned());
        let is_known = self.model.origins.contains_key(name);
        let is_pending = self.pending.contains(&name);
        self.pending.push(name);
        let ty = match self.overlay.support(name) {
            Some(SupportKind::Type) => named,
            Some(SupportKind::Json) => ANY,
            Some(SupportKind::Object) => Type::Object { open: true },
            None if is_pending => {
                self.ask_any(target, name, "a type that contains itself without a struct")
            }
            None if is_transparent(target) => self.any(target, site),
            None if is_known => named,
            None => self.inline(target, Site::new(name, Some(&named))),
        };
        self.pending.pop();
        match target.get("nullable") {
            Some(_) => ty.or_null(),
            None => ty,
        }
    }

    /// Reads the type of a part that cannot have limits, such as the items of a list.
    pub(crate) fn part(&mut self, json: &'a Value, site: Site<'_>) -> Type {
        let target = self.resolve(json);
        for key in ["maxItems", "maximum", "minimum"] {
            // Questions about the limits of integers are asked elsewhere.
            if target.get(key).is_some() && target["type"] != "integer" {
                let what = format!("the generated code acts on `{key}` of a field only");
                self.ask_repair(target, &what, &json!({ key: null }));
            }
        }
        match self.any(json, site) {
            Type::Nullable(inner) if self.is_choice(&inner) => {
                let what = "a choice or null, inside of a list or map";
                self.ask_any(json, site.place, what)
            }
            ty => ty,
        }
    }

    /// Reads the type of a schema without a name.
    fn inline(&mut self, json: &'a Value, site: Site<'_>) -> Type {
        if let Some(value) = json.get("const") {
            return self.constant(json, value);
        }
        if alternatives(json).is_some() {
            return self.union(json, site);
        }
        if json.get("enum").is_some() || self.is_open_enum(json, site) {
            return self.string_enum(json, site);
        }
        match &kinds(json)[..] {
            ["array"] => Type::List(Box::new(match json.get("items") {
                Some(items) => self.element(items, site, "[]"),
                None => ANY,
            })),
            ["object"] => self.object(json, site),
            ["null"] => self.ask_any(json, site.place, "always null"),
            [] => ANY,
            [kind] => scalar(json, kind),
            [_, _, ..] => self.union(json, site),
        }
    }

    fn constant(&mut self, json: &Value, value: &Value) -> Type {
        if let Value::String(text) = value {
            return Type::Constant(text.clone());
        }
        let what = format!("the constant {value}, but Rust has types for strings only");
        let kind = kind_of(value);
        self.ask_repair(json, &what, &json!({ "const": null, "type": kind }));
        scalar(json, kind)
    }

    /// Reads the type of the items of a list or the values of a map.
    fn element(&mut self, json: &'a Value, site: Site<'_>, suffix: &str) -> Type {
        let place = &format!("{}{suffix}", site.place);
        let expected = site.expected.and_then(Type::element);
        self.part(json, Site::new(place, expected))
    }

    fn object(&mut self, json: &'a Value, site: Site<'_>) -> Type {
        if fields(json).is_some_and(|fields| !fields.is_empty()) {
            let name = self.name_for(json, site);
            return self.structure(json, &name);
        }
        let more = &json["additionalProperties"];
        let open = *more == json!({});
        if more.is_object() && !open {
            return match self.element(more, site, "{}") {
                Type::Json { .. } => Type::Object { open: true },
                item => Type::Map(Box::new(item)),
            };
        }
        match site.expected {
            Some(Type::Named(name)) if self.newer_def(name).is_some() => {
                let fields = BTreeMap::new();
                self.insert(name, Def::Struct(Struct { fields, open }), json)
            }
            _ => Type::Object {
                open: open || json.get("properties").is_none(),
            },
        }
    }

    /// Chooses the name of an inline type.
    pub(crate) fn name_for(&mut self, json: &Value, site: Site<'_>) -> String {
        let place = site.place;
        match (self.overlay.name_at(place), site.expected) {
            (Some(name), _) => return name.to_owned(),
            (None, Some(Type::Named(name))) => return name.clone(),
            (None, _) => {}
        }
        let name: String = place.split('.').map(pascal).collect();
        let known = self.made_from.entry(name.clone());
        let from = known.or_insert(place.to_owned());
        if place.contains('|') || from != place || self.schema.defs.contains_key(&name) {
            let what =
                format!("the inline type at `{place}` has no name of its own, such as `{name}`");
            let entry = Proposal::of("name");
            self.ask(json, &what, entry.with("at", place).with("name", ""));
            return format!("{name}{}", self.made_from.len());
        }
        name
    }

    /// Adds the type of `json`, or joins it with an existing type of the same name.
    pub(crate) fn insert(&mut self, name: &str, def: Def, json: &Value) -> Type {
        let def = match self.model.types.remove(name) {
            None => def,
            Some(other) => join::join(&other, &def).unwrap_or_else(|| {
                let other = self.model.origins.get(name).cloned().unwrap_or_default();
                let what = format!(
                    "`{name}` is already the name of the type at {other}; \
                     give this one a name of its own with [[name]] or [[rename]]"
                );
                self.fault(json, &what);
                def
            }),
        };
        self.model.types.insert(name.to_owned(), def);
        self.originate(name, json);
        Type::Named(name.to_owned())
    }

    /// Records `json` as the schema of a type, unless the type already has a schema.
    pub(crate) fn originate(&mut self, name: &str, json: &Value) {
        let origin = self.model.origins.entry(name.to_owned());
        origin.or_insert_with(|| self.schema.pointer_to(json));
    }

    /// Returns the type `name` in the newest revision that has it.
    pub(crate) fn newer_def(&self, name: &str) -> Option<&'a Def> {
        self.newer.iter().find_map(|model| model.types.get(name))
    }

    /// Returns the type of a field in newer revisions. A named type is preferred to an open object.
    pub(crate) fn newer_field(&self, name: &str, field: &str) -> Option<&'a Type> {
        let types = self.newer.iter().filter_map(|model| {
            let newer = model.types.get(name)?.fields()?.get(field)?;
            Some(&newer.ty)
        });
        types.find_or_first(|ty| ty.name().is_some())
    }
}

/// Returns the type for a single JSON type.
pub(crate) fn scalar(json: &Value, kind: &str) -> Type {
    match kind {
        "string" => Type::Text,
        "boolean" => Type::Bool,
        "number" => Type::Number,
        "integer" => Type::Integer {
            signed: json["minimum"].as_f64().is_none_or(|least| least < 0.0),
        },
        _ => ANY,
    }
}

/// Returns true if a definition is only an alias for a type that needs no name.
pub(crate) fn is_transparent(json: &Value) -> bool {
    alternatives(json).is_none()
        && json.get("enum").is_none()
        && fields(json).is_none_or(Map::is_empty)
}

pub(crate) fn has_field(json: &Value, name: &str) -> bool {
    json["properties"].get(name).is_some()
}

pub(crate) fn is_required(json: &Value, name: &str) -> bool {
    let mut required = json["required"].as_array().into_iter().flatten();
    required.any(|required| required == name)
}

pub(crate) fn fields(json: &Value) -> Option<&Map<String, Value>> {
    json["properties"].as_object()
}
