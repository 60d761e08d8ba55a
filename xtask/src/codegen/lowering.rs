//! One revision's schema on its way into the generator's terms: definitions, references, lists
//! and names.
//!
//! Inline types get a name: the one that a newer revision uses at the same
//! place, so that the revisions line up, or one made from the place. A fault is
//! recorded, and the type at its place is any JSON, so that one run finds all.

use super::entry_kinds::SupportKind;
use super::error::Error;
use super::ir::{Def, Enum, Model, Struct, Type};
use super::join;
use super::keywords::kind_of;
use super::load::{Schema, escape};
use super::names::pascal;
use super::overlay::Overlay;
use super::subschemas::{alternatives, referred};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Any JSON.
pub(crate) const ANY: Type = Type::Json { object: false };

/// The work in progress on one revision.
pub(crate) struct Lowering<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) newer: &'a [Model],
    pub(crate) overlay: &'a Overlay,
    pub(crate) model: Model,
    pub(crate) errors: Vec<Error>,
    /// Definitions that were taken over, or passed on the way to one.
    pub(crate) reached: BTreeSet<String>,
    /// References that are being followed, without a struct between them.
    pub(crate) pending: Vec<&'a str>,
    /// Structs whose fields are being taken over.
    pub(crate) unfinished: BTreeSet<String>,
    /// The places that gave inline types their names.
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
            unfinished: BTreeSet::new(),
            made_from: BTreeMap::new(),
        }
    }

    /// Records that `json` is wrong; any JSON stands for it.
    pub(crate) fn fault(&mut self, json: &Value, what: &str) -> Type {
        let at = self.schema.pointer_to(json);
        self.errors.push(self.schema.fault(&at, what));
        ANY
    }

    /// Asks whether `json`, which Rust has no type for, may be any JSON.
    pub(crate) fn ask_any(&self, json: &Value, place: &str, what: &str) -> Type {
        let entry = if self.schema.defs.contains_key(place) {
            format!("[[support]]\nname = \"{place}\"\nas = \"json\"\nreason = \"\"")
        } else {
            format!("[[raw]]\nat = \"{place}\"\nreason = \"\"")
        };
        self.ask(json, what, entry);
        ANY
    }

    /// Asks for an entry that settles a question about `json`.
    pub(crate) fn ask(&self, json: &Value, what: &str, entry: String) {
        let at = self.schema.pointer_to(json);
        self.schema.ask(self.overlay, &at, what, entry);
    }

    /// Asks whether the members `set` may replace those of `json`.
    pub(crate) fn ask_repair(&self, json: &Value, what: &str, set: &Value) {
        let at = self.schema.pointer_to(json);
        self.schema.ask_repair(self.overlay, &at, what, set);
    }

    /// The schema behind any references.
    pub(crate) fn resolve(&mut self, mut json: &'a Value) -> &'a Value {
        let schema = self.schema;
        // Two definitions of one name can make a circle; the decision about them is asked for.
        for _ in 0..schema.defs.len() {
            match referred(json).and_then(|name| schema.defs.get_key_value(name)) {
                Some((name, target)) => {
                    self.reached.insert(name.clone());
                    json = target;
                }
                None => break,
            }
        }
        json
    }

    /// Takes over the definition `name` and returns what stands for it.
    pub(crate) fn definition(&mut self, name: &'a str) -> Type {
        self.reached.insert(name.to_owned());
        if let Some(kind) = self.overlay.support(name) {
            return match kind {
                SupportKind::Type => Type::Named(name.to_owned()),
                SupportKind::Json => ANY,
                SupportKind::Object => Type::Object { open: true },
            };
        }
        if self.model.types.contains_key(name) || self.unfinished.contains(name) {
            return Type::Named(name.to_owned());
        }
        let schema = self.schema;
        let Some(json) = schema.defs.get(name) else {
            return ANY;
        };
        self.inline(json, name, Some(&Type::Named(name.to_owned())))
    }

    /// Type of the schema `json` at `place`; `expected` is the type in newer revisions.
    pub(crate) fn any(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Type {
        let expected = match expected {
            Some(Type::Nullable(inner)) => Some(&**inner),
            other => other,
        };
        let ty = if self.overlay.raw.at(place).is_some() {
            let kind = self.resolve(json).get("type");
            let object = kind.is_some_and(|kind| kind == "object");
            Type::Json { object }
        } else if let Some(entry) = self.overlay.values.at(place) {
            let values = entry.values.clone();
            self.insert(&entry.name, Def::Enum(Enum { values, open: true }), place)
        } else {
            match referred(json) {
                Some(name) => self.reference(json, name, place, expected),
                None => self.inline(json, place, expected),
            }
        };
        match json.get("nullable") {
            Some(_) => ty.or_null(),
            None => ty,
        }
    }

    /// Type of a reference.
    fn reference(
        &mut self,
        json: &'a Value,
        name: &'a str,
        place: &str,
        expected: Option<&Type>,
    ) -> Type {
        let schema = self.schema;
        if self.pending.contains(&name) {
            return self.ask_any(json, name, "a type that contains itself without a struct");
        }
        self.pending.push(name);
        let ty = match schema.defs.get(name) {
            Some(target) if self.is_transparent(name, target) => {
                self.reached.insert(name.to_owned());
                self.any(target, place, expected)
            }
            Some(target) if target.get("nullable").is_some() => self.definition(name).or_null(),
            Some(_) | None => self.definition(name),
        };
        self.pending.pop();
        ty
    }

    /// Whether a definition is another word for something that needs no name.
    pub(crate) fn is_transparent(&self, name: &str, json: &Value) -> bool {
        alternatives(json).is_none()
            && json.get("enum").is_none()
            && self.overlay.support(name).is_none()
            && fields(json).is_none_or(Map::is_empty)
    }

    /// Type of a part that cannot have limits of its own.
    pub(crate) fn part(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Type {
        let target = self.resolve(json);
        for key in ["maxItems", "maximum", "minimum"] {
            // The limits of integers are asked about wherever they are.
            if target.get(key).is_some() && target["type"] != "integer" {
                let what = format!("the generated code acts on `{key}` of a field only");
                self.ask_repair(target, &what, &json!({ key: null }));
            }
        }
        match self.any(json, place, expected) {
            Type::Nullable(inner) if self.is_choice(&inner) => {
                self.ask_any(json, place, "a choice or null, inside of a list or map")
            }
            ty => ty,
        }
    }

    /// Type of a schema without a name of its own.
    fn inline(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Type {
        match json.get("const") {
            Some(Value::String(text)) => return Type::Constant(text.clone()),
            Some(value) => {
                let what = format!("the constant {value}, but Rust has types for strings only");
                let kind = kind_of(value);
                self.ask_repair(json, &what, &json!({ "const": null, "type": kind }));
                return scalar(json, kind);
            }
            None => {}
        }
        if let Some(members) = alternatives(json) {
            return self.union(json, members, place, expected);
        }
        if json.get("enum").is_some() || self.is_open_enum(json, expected) {
            return self.string_enum(json, place, expected);
        }
        match json.get("type") {
            Some(Value::Array(_)) => self.kinds(json, place, expected),
            Some(Value::String(kind)) => match kind.as_str() {
                "array" => self.list(json, place, expected),
                "object" => self.object(json, place, expected),
                "null" => self.ask_any(json, place, "always null"),
                kind => scalar(json, kind),
            },
            _ => ANY,
        }
    }

    fn list(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Type {
        let expected = expected.and_then(Type::element);
        let item = match json.get("items") {
            Some(items) => self.part(items, &format!("{place}[]"), expected),
            None => ANY,
        };
        Type::List(Box::new(item))
    }

    fn object(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Type {
        let more = json.get("additionalProperties");
        let more = more.filter(|more| more.is_object());
        let open = more.is_some_and(|more| *more == json!({}));
        if fields(json).is_some_and(|fields| !fields.is_empty()) {
            let name = self.name_for(json, place, expected);
            self.originate(&name, self.pointer(place));
            return self.structure(json, &name);
        }
        if let Some(more) = more.filter(|_| !open) {
            let expected = expected.and_then(Type::element);
            let item = self.part(more, &format!("{place}{{}}"), expected);
            return match item {
                Type::Json { .. } => Type::Object { open: true },
                item => Type::Map(Box::new(item)),
            };
        }
        match expected {
            Some(Type::Named(name)) if self.newer_def(name).is_some() => {
                let empty = Struct {
                    open,
                    ..Struct::default()
                };
                self.insert(name, Def::Struct(empty), place)
            }
            _ => Type::Object {
                open: open || json.get("properties").is_none(),
            },
        }
    }

    /// The name of the inline type at `place`.
    pub(crate) fn name_for(
        &mut self,
        json: &Value,
        place: &str,
        expected: Option<&Type>,
    ) -> String {
        match (self.overlay.name_at(place), expected) {
            (Some(name), _) => return name.to_owned(),
            (None, Some(Type::Named(name))) => return name.clone(),
            (None, _) => {}
        }
        let name: String = place.split('.').map(pascal).collect();
        let from = self
            .made_from
            .entry(name.clone())
            .or_insert(place.to_owned());
        if place.contains('|') || from != place || self.schema.defs.contains_key(&name) {
            let what =
                format!("the inline type at `{place}` has no name of its own, such as `{name}`");
            let entry = format!("[[name]]\nat = \"{place}\"\nname = \"\"\nreason = \"\"");
            self.ask(json, &what, entry);
            return format!("{name}{}", self.made_from.len());
        }
        name
    }

    /// Adds a type, or joins it with the one of the same name.
    pub(crate) fn insert(&mut self, name: &str, def: Def, place: &str) -> Type {
        let def = match self.model.types.remove(name) {
            None => def,
            Some(other) => join::join(&other, &def).unwrap_or_else(|| {
                let at = self.pointer(place);
                let other = self.model.origins.get(name).cloned().unwrap_or_default();
                let what = format!(
                    "`{name}` is already the name of the type at {other}; \
                     give this one a name of its own with [[name]] or [[rename]]"
                );
                self.errors.push(self.schema.fault(&at, &what));
                def
            }),
        };
        self.model.types.insert(name.to_owned(), def);
        self.originate(name, self.pointer(place));
        Type::Named(name.to_owned())
    }

    /// Records where the schema has a type; the first place counts.
    pub(crate) fn originate(&mut self, name: &str, pointer: String) {
        self.model.origins.entry(name.to_owned()).or_insert(pointer);
    }

    /// The JSON pointer to `place`.
    fn pointer(&self, place: &str) -> String {
        let bare = place.trim_end_matches(['[', ']', '{', '}']);
        let inside = place[bare.len()..]
            .replace("[]", "/items")
            .replace("{}", "/additionalProperties");
        let whole = match (bare.rsplit_once('|'), bare.split_once('.')) {
            (Some((union, member)), _) => format!("{}/{member}", self.pointer(union)),
            (None, Some((holder, field))) => {
                format!("{}/properties/{}", self.origin(holder), escape(field))
            }
            (None, None) => self.origin(bare),
        };
        whole + &inside
    }

    /// The JSON pointer to the type `name`.
    fn origin(&self, name: &str) -> String {
        let known = self.model.origins.get(name).cloned();
        known.unwrap_or_else(|| self.schema.pointer(name))
    }

    /// The type of that name in the newest revision that has it.
    pub(crate) fn newer_def(&self, name: &str) -> Option<&'a Def> {
        self.newer.iter().find_map(|model| model.types.get(name))
    }

    /// Type of a field in newer revisions; a named type is preferred to an open object.
    pub(crate) fn newer_field(&self, name: &str, field: &str) -> Option<Type> {
        let types = self
            .newer
            .iter()
            .filter_map(|model| match model.types.get(name)? {
                Def::Struct(newer) => newer.fields.get(field).map(|field| &field.ty),
                Def::Union(_) | Def::Enum(_) => None,
            });
        let named = types.clone().find(|ty| ty.name().is_some());
        named.or_else(|| types.clone().next()).cloned()
    }
}

/// Type of a value of one kind.
pub(crate) fn scalar(json: &Value, kind: &str) -> Type {
    let least = json.get("minimum").and_then(Value::as_f64);
    match kind {
        "string" => Type::Text,
        "boolean" => Type::Bool,
        "number" => Type::Number,
        "integer" => Type::Integer {
            signed: least.is_none_or(|least| least < 0.0),
        },
        "array" => Type::List(Box::new(ANY)),
        "object" => Type::Json { object: true },
        _ => ANY,
    }
}

/// The `properties` of an object schema.
pub(crate) fn fields(json: &Value) -> Option<&Map<String, Value>> {
    json.get("properties").and_then(Value::as_object)
}
