//! Objects with fields, taken over from JSON.

use super::error::Result;
use super::ir::{Def, Enum, Field, Limits, Member, Struct, Type, Union};
use super::lower::{Lowering, fields};
use serde_json::Value;

impl<'a> Lowering<'a> {
    /// Takes over an object with fields as the struct `name`.
    pub(crate) fn structure(&mut self, json: &'a Value, name: &str) -> Result<Type> {
        self.originate(name, self.schema.pointer(name));
        let union = match self.newer_def(name) {
            Some(Def::Union(union)) => Some(union.clone()),
            _ => None,
        };
        if let Some(union) = union {
            let member = self.closest_member(json, name, &union)?;
            if let Some(pointer) = self.model.origins.get(name).cloned() {
                self.originate(&member, pointer);
            }
            let ty = self.structure(json, &member)?;
            let members = vec![Member { ty, method: None }];
            return self.insert(name, Def::Union(Union { members }), name);
        }
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
        let required = json.get("required").and_then(Value::as_array);
        let required = required.map_or(&[][..], Vec::as_slice);
        for (field, json) in fields(json).into_iter().flatten() {
            let required = required.iter().any(|name| name == field);
            let entry = self.field(name, field, json, required)?;
            out.fields.insert(field.clone(), entry);
        }
        if first {
            self.model.types.remove(name);
        }
        self.insert(name, Def::Struct(out), name)
    }

    fn field(&mut self, name: &str, field: &str, json: &'a Value, required: bool) -> Result<Field> {
        let place = format!("{name}.{field}");
        let expected = self.newer_field(name, field);
        let ty = self.any(json, &place, expected.as_ref())?;
        let kinds = json.get("type").and_then(Value::as_array);
        let nullable = kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
        let ty = match ty {
            // What may be absent is a choice, though there be only one.
            Type::Constant(value) if !required => {
                let values = [value].into();
                let name = self.name_for(&place, expected.as_ref());
                let choice = Enum {
                    values,
                    open: false,
                };
                self.insert(&name, Def::Enum(choice), &place)?
            }
            ty => ty,
        };
        let limits = limits(json);
        Ok(Field {
            ty,
            required,
            nullable,
            limits,
        })
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
}

/// The limits that a schema sets.
fn limits(json: &Value) -> Limits {
    Limits {
        minimum: json.get("minimum").and_then(Value::as_f64),
        maximum: json.get("maximum").and_then(Value::as_f64),
        max_items: json.get("maxItems").and_then(Value::as_u64),
    }
}
