//! Reads objects with fields.

use super::ir::{Def, Enum, Field, Limits, Member, Struct, Type, Union};
use super::lowering::{ANY, Lowering, Site, fields, is_required};
use crate::codegen::schemas::subschemas::alternatives;
use serde_json::{Value, json};

impl<'a> Lowering<'a> {
    /// Reads `params` or a result as the type `name`, and returns the name.
    pub(crate) fn body(&mut self, json: &'a Value, name: &str) -> Option<String> {
        let whole = json;
        let json = self.resolve(json);
        let is_nullable = whole.get("nullable").or(json.get("nullable")).is_some();
        let ty = match alternatives(json) {
            _ if is_nullable => ANY,
            Some(_) => self.union(json, Site::new(name, Some(&Type::Named(name.to_owned())))),
            None if json["type"] == "object" => self.structure(json, name),
            None => ANY,
        };
        match ty {
            Type::Named(name) if self.overlay.support(&name).is_none() => Some(name),
            _ => {
                let what = "`params` and results are objects, or one of several, and never null";
                self.fault(json, what);
                None
            }
        }
    }

    pub(crate) fn structure(&mut self, json: &'a Value, name: &str) -> Type {
        // A type that has an origin but is not in the model yet is being read.
        let is_done = self.model.types.contains_key(name);
        if self.model.origins.contains_key(name) && !is_done {
            return Type::Named(name.to_owned());
        }
        self.originate(name, json);
        if let Some(Def::Union(union)) = self.newer_def(name) {
            return self.only_member(json, name, union);
        }
        let more = &json["additionalProperties"];
        if more.is_object() && *more != json!({}) {
            let what = "fields beside `properties` have a schema, but generated code keeps any";
            self.ask_repair(json, what, &json!({ "additionalProperties": {} }));
        }
        let mut out = Struct {
            open: more.is_object(),
            ..Struct::default()
        };
        // References inside of a struct find the struct by its name.
        let pending = std::mem::take(&mut self.pending);
        for (field, schema) in fields(json).into_iter().flatten() {
            let entry = self.field(name, field, schema, is_required(json, field));
            out.fields.insert(field.clone(), entry);
        }
        self.pending = pending;
        self.insert(name, Def::Struct(out), json)
    }

    /// Reads a type that became a union in a newer revision as a union with a single member.
    fn only_member(&mut self, json: &'a Value, name: &str, union: &'a Union) -> Type {
        let fits = |member: &&str| {
            let newer = self.newer_def(member).and_then(Def::fields);
            let mut own = fields(json).into_iter().flatten().map(|(field, _)| field);
            newer.is_some_and(|newer| own.all(|field| newer.contains_key(field)))
        };
        let members = union.members.iter().filter_map(|member| member.ty.name());
        let fitting: Vec<_> = members.filter(fits).collect();
        let [member] = fitting[..] else {
            let what = format!(
                "`{name}` became a union, and the member that it was before has to have all of \
                 its fields; these have: [{}]; add a [[rename]] to one of the members",
                fitting.join(", ")
            );
            return self.fault(json, &what);
        };
        let ty = self.structure(json, member);
        let members = vec![Member { ty, method: None }];
        self.insert(name, Def::Union(Union { members }), json)
    }

    fn field(&mut self, name: &str, field: &str, json: &'a Value, required: bool) -> Field {
        let place = format!("{name}.{field}");
        let expected = self.newer_field(name, field);
        let site = Site::new(&place, expected);
        let (ty, nullable) = match self.any(json, site) {
            Type::Nullable(ty) => (*ty, true),
            ty => (ty, false),
        };
        let ty = match ty {
            // An optional or nullable constant is an enum with a single value.
            Type::Constant(value) if !required || nullable => {
                let values = [value].into();
                let open = false;
                let name = self.name_for(json, site);
                self.insert(&name, Def::Enum(Enum { values, open }), json)
            }
            ty => ty,
        };
        let target = self.resolve(json);
        let limits = Limits {
            minimum: target["minimum"].as_f64(),
            maximum: target["maximum"].as_f64(),
            max_items: target["maxItems"].as_u64(),
        };
        Field {
            ty,
            required,
            nullable,
            limits,
        }
    }

    /// Adds a field that the definition itself does not declare.
    pub(crate) fn add_field(&mut self, name: &str, field: &str, json: &'a Value) {
        let entry = self.field(name, field, json, false);
        if let Some(Def::Struct(holder)) = self.model.types.get_mut(name) {
            holder.fields.entry(field.to_owned()).or_insert(entry);
        }
    }
}
