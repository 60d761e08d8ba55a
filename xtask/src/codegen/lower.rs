//! JSON in, [`Model`] out: what one revision's schema says, in the generator's terms.
//!
//! Only what a message can contain is taken over; the rest falls away. Inline
//! types get a name: the one that a newer revision uses at the same place, so
//! that the revisions line up, or one made from the place.

use super::error::{Error, Result};
use super::ir::{Def, Enum, Model, Struct, Type};
use super::load::Schema;
use super::names::pascal;
use super::overlay::{Overlay, SupportKind};
use super::simplify::referred;
use super::{join, methods};
use serde_json::{Map, Value};

/// Takes over one revision; `newer` holds the ones after it, newest first.
pub(crate) fn lower(schema: &Schema, newer: &[Model], overlay: &Overlay) -> Result<Model> {
    let mut lowering = Lowering {
        schema,
        newer,
        overlay,
        model: Model {
            revision: schema.revision.clone(),
            batches: schema.defs.contains_key("JsonRpcBatchRequest"),
            ..Model::default()
        },
    };
    methods::collect(&mut lowering)?;
    let reached = &lowering.model.types;
    let kept = overlay.keep.matching(|entry| {
        schema.defs.contains_key(&entry.name) && !reached.contains_key(&entry.name)
    });
    for entry in kept.collect::<Vec<_>>() {
        lowering.definition(&entry.name)?;
    }
    Ok(lowering.model)
}

/// The work in progress on one revision.
pub(crate) struct Lowering<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) newer: &'a [Model],
    pub(crate) overlay: &'a Overlay,
    pub(crate) model: Model,
}

impl<'a> Lowering<'a> {
    /// An error at `path` of this schema.
    pub(crate) fn fault(&self, path: &str, what: &str) -> Error {
        Error::Schema {
            revision: self.schema.revision.clone(),
            path: path.to_owned(),
            what: what.to_owned(),
        }
    }

    /// The schema behind any references.
    pub(crate) fn resolve(&self, mut json: &'a Value) -> &'a Value {
        while let Some(target) = referred(json).and_then(|name| self.schema.defs.get(name)) {
            json = target;
        }
        json
    }

    /// Takes over the definition `name` and returns what stands for it.
    fn definition(&mut self, name: &str) -> Result<Type> {
        if let Some(kind) = self.overlay.support(name) {
            return Ok(match kind {
                SupportKind::Type => Type::Named(name.to_owned()),
                SupportKind::Json => Type::Json { object: false },
                SupportKind::Object => Type::Object { open: true },
            });
        }
        if self.model.types.contains_key(name) {
            return Ok(Type::Named(name.to_owned()));
        }
        let schema = self.schema;
        let json = schema
            .defs
            .get(name)
            .ok_or_else(|| self.fault(name, "no such definition"))?;
        self.inline(json, name, Some(&Type::Named(name.to_owned())))
    }

    /// Type of the schema `json` at `place`; `expected` is the type in newer revisions.
    pub(crate) fn any(
        &mut self,
        json: &'a Value,
        place: &str,
        expected: Option<&Type>,
    ) -> Result<Type> {
        if self.overlay.is_raw(place) {
            let object = self
                .resolve(json)
                .get("type")
                .is_some_and(|kind| kind == "object");
            return Ok(Type::Json { object });
        }
        if let Some(entry) = self.overlay.values_at(place) {
            let values = entry.values.clone();
            return self.insert(&entry.name, Def::Enum(Enum { values, open: true }), place);
        }
        let Some(name) = referred(json) else {
            return self.inline(json, place, expected);
        };
        if self.is_transparent(name) {
            let target = self.resolve(json);
            return self.inline(target, place, expected);
        }
        self.definition(name)
    }

    /// Whether a definition is another word for something that needs no name.
    fn is_transparent(&self, name: &str) -> bool {
        if self.overlay.support(name).is_some() {
            return false;
        }
        let Some(json) = self.schema.defs.get(name) else {
            return false;
        };
        match json
            .get("$ref")
            .or_else(|| json.get("anyOf"))
            .or_else(|| json.get("enum"))
        {
            Some(Value::String(_)) => true,
            Some(_) => false,
            None => fields(json).is_none_or(Map::is_empty),
        }
    }

    /// Type of a schema without a name of its own.
    fn inline(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Result<Type> {
        if let Some(Value::String(text)) = json.get("const") {
            return Ok(Type::Constant(text.clone()));
        }
        if let Some(members) = json.get("anyOf").or_else(|| json.get("oneOf")) {
            let members = members.as_array().map_or(&[][..], Vec::as_slice);
            return self.union(members, place, expected);
        }
        if json.get("enum").is_some() || self.is_open_enum(json, expected) {
            return self.string_enum(json, place, expected);
        }
        match json.get("type") {
            None if json.as_object().is_some_and(Map::is_empty) => Ok(Type::Json { object: false }),
            Some(Value::Array(kinds)) => self.kinds(kinds, place, expected),
            Some(Value::String(kind)) => match kind.as_str() {
                "string" => Ok(Type::Text),
                "boolean" => Ok(Type::Bool),
                "number" => Ok(Type::Number),
                "integer" => Ok(Type::Integer {
                    signed: json
                        .get("minimum")
                        .and_then(Value::as_i64)
                        .is_none_or(|min| min < 0),
                }),
                "array" => self.list(json, place, expected),
                "object" => self.object(json, place, expected),
                _ => Err(self.fault(place, &format!("unknown type `{kind}`"))),
            },
            _ => Err(self.fault(place, "a form of schema that no rule covers")),
        }
    }

    fn list(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Result<Type> {
        let expected = expected.and_then(Type::element);
        let item = match json.get("items") {
            Some(items) => self.any(items, &format!("{place}[]"), expected)?,
            None => Type::Json { object: false },
        };
        Ok(Type::List(Box::new(item)))
    }

    fn object(&mut self, json: &'a Value, place: &str, expected: Option<&Type>) -> Result<Type> {
        let more = json.get("additionalProperties");
        let open = more.is_some_and(|more| more.as_object().is_some_and(Map::is_empty));
        if fields(json).is_some_and(|fields| !fields.is_empty()) {
            let name = self.name_for(place, expected);
            self.originate(&name, self.pointer(place));
            return self.structure(json, &name);
        }
        if let Some(more) = more.filter(|_| !open) {
            let item = self.any(
                more,
                &format!("{place}{{}}"),
                expected.and_then(Type::element),
            )?;
            return Ok(match item {
                Type::Json { .. } => Type::Object { open: true },
                item => Type::Map(Box::new(item)),
            });
        }
        match expected {
            Some(Type::Named(name)) if self.newer_def(name).is_some() => {
                let empty = Struct {
                    open,
                    ..Struct::default()
                };
                self.insert(name.clone().as_str(), Def::Struct(empty), place)
            }
            _ => Ok(Type::Object {
                open: open || json.get("properties").is_none(),
            }),
        }
    }

    /// The name of the inline type at `place`.
    pub(crate) fn name_for(&self, place: &str, expected: Option<&Type>) -> String {
        match (self.overlay.name_at(place), expected) {
            (Some(name), _) => name.to_owned(),
            (None, Some(Type::Named(name))) => name.clone(),
            (None, _) => place.split('.').map(pascal).collect(),
        }
    }

    /// Adds a type, or joins it with the one of the same name.
    pub(crate) fn insert(&mut self, name: &str, def: Def, place: &str) -> Result<Type> {
        let def = match self.model.types.remove(name) {
            None => def,
            Some(other) => join::join(other, def).ok_or_else(|| {
                self.fault(
                    place,
                    &format!("`{name}` is already the name of another type"),
                )
            })?,
        };
        self.model.types.insert(name.to_owned(), def);
        self.originate(name, self.pointer(place));
        Ok(Type::Named(name.to_owned()))
    }

    /// Records where the schema has a type; the first place counts.
    pub(crate) fn originate(&mut self, name: &str, pointer: String) {
        self.model.origins.entry(name.to_owned()).or_insert(pointer);
    }

    /// The JSON pointer to `place`.
    fn pointer(&self, place: &str) -> String {
        let Some((holder, field)) = place.split_once('.') else {
            return self.schema.pointer(place);
        };
        let known = self.model.origins.get(holder).cloned();
        let holder = known.unwrap_or_else(|| self.schema.pointer(holder));
        let bare = field.trim_end_matches(['[', ']', '{', '}']);
        let inside = field[bare.len()..]
            .replace("[]", "/items")
            .replace("{}", "/additionalProperties");
        let field = bare.replace('~', "~0").replace('/', "~1");
        format!("{holder}/properties/{field}{inside}")
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
            .filter_map(|model| match model.types.get(name) {
                Some(Def::Struct(newer)) => newer.fields.get(field).map(|field| &field.ty),
                _ => None,
            });
        let named = types.clone().find(|ty| ty.name().is_some());
        named.or_else(|| types.clone().next()).cloned()
    }
}

/// The `properties` of an object schema.
pub(crate) fn fields(json: &Value) -> Option<&Map<String, Value>> {
    json.get("properties").and_then(Value::as_object)
}
