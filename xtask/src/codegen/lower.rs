//! JSON in, [`Model`] out: what one revision's schema says, in the generator's terms.
//!
//! Only what a message can contain is taken over; the rest falls away. Inline
//! types get a name: the one that a newer revision uses at the same place, so
//! that the revisions line up, or one made from the place.

use super::error::{Error, Result};
use super::ir::{Def, Enum, Field, Limits, Member, Model, Struct, Type, Union};
use super::load::Schema;
use super::methods;
use super::names::pascal;
use super::normalise::referred;
use super::overlay::{Overlay, SupportKind};
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
    for entry in &overlay.keep {
        if schema.defs.contains_key(&entry.name) {
            lowering.definition(&entry.name)?;
        }
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
        if let Some(entry) = self.overlay.support.iter().find(|entry| entry.name == name) {
            return Ok(match entry.kind {
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

    /// What `json` allows at `place`; `expected` is what newer revisions have there.
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
        let support = &self.overlay.support;
        if support.iter().any(|entry| entry.name == name) {
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

    /// What a schema without a name of its own allows.
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

    /// Takes over an object with fields as the struct `name`.
    pub(crate) fn structure(&mut self, json: &'a Value, name: &str) -> Result<Type> {
        let union = match self.newer_def(name) {
            Some(Def::Union(union)) => Some(union.clone()),
            _ => None,
        };
        if let Some(union) = union {
            let member = self.closest_member(json, name, &union)?;
            let ty = self.structure(json, &member)?;
            let members = vec![Member { ty, method: None }];
            return self.insert(name, Def::Union(Union { members }), name);
        }
        let required = json.get("required").and_then(Value::as_array);
        let required = required.map_or(&[][..], Vec::as_slice);
        let more = json.get("additionalProperties");
        let mut out = Struct {
            open: more.is_some_and(Value::is_object),
            ..Struct::default()
        };
        // A recursive type finds itself here.
        let first = !self.model.types.contains_key(name);
        if first {
            self.model
                .types
                .insert(name.to_owned(), Def::Struct(Struct::default()));
        }
        for (field, json) in fields(json).into_iter().flatten() {
            let place = format!("{name}.{field}");
            let expected = self.newer_field(name, field);
            let ty = self.any(json, &place, expected.as_ref())?;
            let nullable = json.get("type").and_then(Value::as_array);
            let nullable = nullable.is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
            let required = required.iter().any(|name| name == field);
            let ty = match ty {
                // What may be absent is a choice, though there be only one.
                Type::Constant(value) if !required => {
                    let values = [value].into();
                    let name = self.name_for(&place, expected.as_ref());
                    self.insert(
                        &name,
                        Def::Enum(Enum {
                            values,
                            open: false,
                        }),
                        &place,
                    )?
                }
                ty => ty,
            };
            out.fields.insert(
                field.clone(),
                Field {
                    ty,
                    required,
                    nullable,
                    limits: limits(json),
                },
            );
        }
        if first {
            self.model.types.remove(name);
        }
        self.insert(name, Def::Struct(out), name)
    }

    /// Adds a field that the definition itself does not declare.
    pub(crate) fn add_field(&mut self, name: &str, field: &str, json: &'a Value) -> Result<()> {
        let expected = self.newer_field(name, field);
        let ty = self.any(json, &format!("{name}.{field}"), expected.as_ref())?;
        if let Some(Def::Struct(holder)) = self.model.types.get_mut(name) {
            let field = holder.fields.entry(field.to_owned());
            field.or_insert(Field {
                ty,
                required: false,
                nullable: false,
                limits: Limits::default(),
            });
        }
        Ok(())
    }

    /// The member of a newer union that an older plain struct became.
    fn closest_member(&self, json: &Value, name: &str, union: &Union) -> Result<String> {
        let has = |member: &&str| match self.newer_def(member) {
            Some(Def::Struct(newer)) => {
                let mut own = fields(json).into_iter().flatten();
                own.all(|(field, _)| newer.fields.contains_key(field))
            }
            _ => false,
        };
        let members = union.members.iter().filter_map(|member| member.ty.name());
        let member = members.filter(has).map(str::to_owned).next();
        member.ok_or_else(|| self.fault(name, "became a union, but fits no member of it"))
    }

    fn string_enum(&mut self, json: &Value, place: &str, expected: Option<&Type>) -> Result<Type> {
        let listed = json.get("enum").and_then(Value::as_array);
        let values = listed
            .into_iter()
            .flatten()
            .map(|value| value.as_str().map(str::to_owned));
        let values: Option<_> = values.collect();
        let values = values.ok_or_else(|| self.fault(place, "an enum of other than strings"))?;
        let open = listed.is_none();
        let name = self.name_for(place, expected);
        self.insert(&name, Def::Enum(Enum { values, open }), place)
    }

    /// A plain string where newer revisions list values: all of them may occur.
    fn is_open_enum(&self, json: &Value, expected: Option<&Type>) -> bool {
        if json.get("type").is_none_or(|kind| kind != "string") {
            return false;
        }
        let name = expected.and_then(|ty| match ty {
            Type::Named(name) => Some(name),
            _ => None,
        });
        name.is_some_and(|name| matches!(self.newer_def(name), Some(Def::Enum(_))))
    }

    /// `"type": [...]`.
    fn kinds(&mut self, kinds: &[Value], place: &str, expected: Option<&Type>) -> Result<Type> {
        let mut types = Vec::new();
        for kind in kinds.iter().filter(|kind| *kind != "null") {
            types.push(match kind.as_str() {
                Some("string") => Type::Text,
                Some("boolean") => Type::Bool,
                Some("number") => Type::Number,
                Some("integer") => Type::Integer { signed: true },
                _ => return Err(self.fault(place, "a list of types that no rule covers")),
            });
        }
        match (types.len(), types.pop()) {
            (1, Some(only)) => Ok(only),
            (_, Some(last)) => {
                types.push(last);
                let name = self.name_for(place, expected);
                self.insert(&name, scalars(types), place)
            }
            _ => Err(self.fault(place, "null and nothing else")),
        }
    }

    fn union(
        &mut self,
        members: &'a [Value],
        place: &str,
        expected: Option<&Type>,
    ) -> Result<Type> {
        let (lists, single): (Vec<_>, Vec<_>) = members
            .iter()
            .partition(|member| member.get("type").is_some_and(|ty| ty == "array"));
        if let ([list], false) = (&lists[..], single.is_empty()) {
            let item = list.get("items").map(|items| self.resolve(items));
            let alternatives = item
                .and_then(|item| item.get("anyOf"))
                .and_then(Value::as_array);
            if alternatives.is_some_and(|all| all.iter().eq(single.iter().copied())) {
                let Type::List(item) = self.any(list, place, expected)? else {
                    return Err(self.fault(place, "a list that is none"));
                };
                return Ok(Type::OneOrMany(item));
            }
        }
        let name = match expected {
            Some(Type::OneOrMany(inner)) => self.name_for(place, Some(inner)),
            _ => self.name_for(place, expected),
        };
        let mut out = Union::default();
        for member in members {
            self.member(member, &name, &mut out)?;
        }
        let def = match out.members.iter().all(|member| member.ty.name().is_none()) {
            true => scalars(out.members.into_iter().map(|member| member.ty).collect()),
            false => Def::Union(out),
        };
        self.insert(&name, def, place)
    }

    /// Adds one alternative of a union; a union inside a union is dissolved.
    fn member(&mut self, json: &'a Value, union: &str, out: &mut Union) -> Result<()> {
        let target = self.resolve(json);
        if let (Some(method), Some(name)) = (methods::method_of(target), referred(json)) {
            let params = methods::params_name(self, name, method);
            let ty = Type::Named(params.ok_or_else(|| self.fault(union, "no params"))?);
            let method = Some(method.to_owned());
            out.members.push(Member { ty, method });
            return Ok(());
        }
        if let Some(members) = target.get("anyOf").and_then(Value::as_array) {
            return members
                .iter()
                .try_for_each(|member| self.member(member, union, out));
        }
        if let Some(kinds) = target.get("type").and_then(Value::as_array) {
            for kind in kinds {
                let ty = self.kinds(std::slice::from_ref(kind), union, None)?;
                out.members.push(Member { ty, method: None });
            }
            return Ok(());
        }
        let ty = self.any(json, &format!("{union}|"), None)?;
        out.members.push(Member { ty, method: None });
        Ok(())
    }

    /// The name of the inline type at `place`.
    fn name_for(&self, place: &str, expected: Option<&Type>) -> String {
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
            Some(other) => join(other, def).ok_or_else(|| {
                self.fault(
                    place,
                    &format!("`{name}` is already the name of another type"),
                )
            })?,
        };
        self.model.types.insert(name.to_owned(), def);
        Ok(Type::Named(name.to_owned()))
    }

    /// The type of that name in the newest revision that has it.
    fn newer_def(&self, name: &str) -> Option<&'a Def> {
        self.newer.iter().find_map(|model| model.types.get(name))
    }

    /// What newer revisions have in a field; a named type says more than an open object.
    fn newer_field(&self, name: &str, field: &str) -> Option<Type> {
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

/// The limits that a schema sets.
fn limits(json: &Value) -> Limits {
    Limits {
        minimum: json.get("minimum").and_then(Value::as_f64),
        maximum: json.get("maximum").and_then(Value::as_f64),
        max_items: json.get("maxItems").and_then(Value::as_u64),
    }
}

/// A union of types that JSON itself tells apart.
fn scalars(mut types: Vec<Type>) -> Def {
    types.sort();
    let members = types.into_iter().map(|ty| Member { ty, method: None });
    Def::Union(Union {
        members: members.collect(),
    })
}

/// Two inline types with one name, as one type.
fn join(a: Def, b: Def) -> Option<Def> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (Def::Struct(mut a), Def::Struct(b)) => {
            for (name, field) in &mut a.fields {
                field.required &= b.fields.get(name).is_some_and(|field| field.required);
            }
            for (name, mut field) in b.fields {
                let same = a.fields.get(&name).is_none_or(|own| own.ty == field.ty);
                if !same {
                    return None;
                }
                field.required = false;
                a.fields.entry(name).or_insert(field);
            }
            a.open |= b.open;
            Some(Def::Struct(a))
        }
        _ => None,
    }
}
