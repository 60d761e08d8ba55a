//! Reads choices from JSON Schema: lists of values, of JSON types and of schemas.

use super::ir::{Def, Enum, Member, Type, Union};
use super::lowering::{ANY, Lowering, Site, scalar};
use super::methods::method_of;
use crate::codegen::schemas::keywords::{kind_of, kinds};
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl<'a> Lowering<'a> {
    pub(crate) fn string_enum(&mut self, json: &Value, site: Site<'_>) -> Type {
        let all = json["enum"].as_array().map_or(&[][..], Vec::as_slice);
        let kinds: BTreeSet<_> = all.iter().map(kind_of).collect();
        if kinds.iter().any(|kind| *kind != "string") {
            let what = format!(
                "one of {}, but Rust has enums of strings only",
                json["enum"]
            );
            self.ask_repair(json, &what, &json!({ "enum": null, "type": kinds }));
            return ANY;
        }
        let values = all.iter().filter_map(Value::as_str).map(str::to_owned);
        let values = values.collect();
        let open = all.is_empty();
        let name = self.name_for(json, site);
        self.insert(&name, Def::Enum(Enum { values, open }), json)
    }

    /// Returns true for a plain string if newer revisions list its values: any of them may occur.
    pub(crate) fn is_open_enum(&self, json: &Value, site: Site<'_>) -> bool {
        let Some(Type::Named(name)) = site.expected else {
            return false;
        };
        json["type"] == "string" && matches!(self.newer_def(name), Some(Def::Enum(_)))
    }

    /// Reads a choice between several JSON types.
    fn scalars(&mut self, json: &Value, mut types: Vec<Type>, site: Site<'_>) -> Type {
        types.sort();
        types.dedup();
        let has_number = types.contains(&Type::Number);
        let has_signed = types.contains(&Type::Integer { signed: true });
        types.retain(|ty| match ty {
            Type::Integer { signed } => !has_number && *signed == has_signed,
            _ => true,
        });
        if let [only] = &types[..] {
            return only.clone();
        }
        let constants = types.iter().filter_map(|ty| match ty {
            Type::Constant(value) => Some(value.clone()),
            _ => None,
        });
        let values: BTreeSet<_> = constants.collect();
        let open = types.contains(&Type::Text);
        let def = if !values.is_empty() && values.len() + usize::from(open) == types.len() {
            Def::Enum(Enum { values, open })
        } else {
            let members = types.into_iter().map(|ty| Member { ty, method: None });
            let members = members.collect();
            Def::Union(Union { members })
        };
        let name = self.name_for(json, site);
        self.insert(&name, def, json)
    }

    /// Reads a schema with alternatives, or with several JSON types.
    pub(crate) fn union(&mut self, json: &'a Value, mut site: Site<'_>) -> Type {
        let members = alternatives(json).map_or(std::slice::from_ref(json), Vec::as_slice);
        if let Some(ty) = self.one_or_many(members, site) {
            return ty;
        }
        if let Some(Type::OneOrMany(inner)) = site.expected {
            site.expected = Some(inner);
        }
        let mut out = Vec::new();
        let mut dissolved = BTreeSet::new();
        let form = ["oneOf", "anyOf"][usize::from(json.get("anyOf").is_some())];
        for (index, member) in members.iter().enumerate() {
            let place = format!("{}|{form}/{index}", site.place);
            self.member(member, &place, &mut out, &mut dissolved);
        }
        if out.iter().any(|member| member.ty == ANY) {
            return ANY;
        }
        let messages = out.iter().filter(|member| member.method.is_some());
        if ![0, out.len()].contains(&messages.count()) {
            let what = "alternatives of which only some are messages";
            return self.ask_any(json, site.place, what);
        }
        let mut types = out.iter().map(|member| &member.ty);
        if !types.any(|ty| matches!(ty, Type::Named(_))) {
            let types = out.into_iter().map(|member| member.ty).collect();
            return self.scalars(json, types, site);
        }
        let name = self.name_for(json, site);
        self.insert(&name, Def::Union(Union { members: out }), json)
    }

    /// Returns the type for a single value or a list of such values, if these are the `members`.
    fn one_or_many(&mut self, members: &'a [Value], site: Site<'_>) -> Option<Type> {
        let (lists, single): (Vec<_>, Vec<_>) =
            members.iter().partition(|member| member["type"] == "array");
        let ([list], false) = (&lists[..], single.is_empty()) else {
            return None;
        };
        let items = list.get("items")?;
        let alike = match alternatives(self.resolve(items)) {
            Some(all) => all.iter().eq(single.iter().copied()),
            None => single == [items] && referred(items).is_some(),
        };
        match alike.then(|| self.any(list, site))? {
            Type::List(item) if matches!(*item, Type::Named(_)) => Some(Type::OneOrMany(item)),
            _ => None,
        }
    }

    /// Adds an alternative of a union. The members of a nested union are added instead of the union, but
    /// only one level deep.
    fn member(
        &mut self,
        json: &'a Value,
        place: &str,
        out: &mut Vec<Member>,
        dissolved: &mut BTreeSet<&'a str>,
    ) {
        let name = referred(json);
        let target = self.resolve(json);
        if let (Some(method), Some(name)) = (method_of(target), name) {
            let ty = Type::Named(self.params_name(name, target, method));
            let method = Some(method.to_owned());
            out.push(Member { ty, method });
            return;
        }
        let is_closed = name.is_some_and(|name| {
            self.pending.contains(&name) || self.overlay.support(name).is_some()
        });
        if let (Some(members), false) = (alternatives(target), is_closed) {
            if name.is_some_and(|name| !dissolved.insert(name)) {
                return;
            }
            let depth = self.pending.len();
            self.pending.extend(name);
            for (index, member) in members.iter().enumerate() {
                self.member(member, &format!("{place}/{index}"), out, dissolved);
            }
            self.pending.truncate(depth);
            return;
        }
        let types = match &kinds(target)[..] {
            kinds @ [_, _, ..] => kinds.iter().map(|kind| scalar(target, kind)).collect(),
            _ => vec![self.part(json, Site::new(place, None))],
        };
        out.extend(types.into_iter().map(|ty| Member { ty, method: None }));
    }

    /// Returns true for an enum or union, which can differ between revisions.
    pub(crate) fn is_choice(&self, ty: &Type) -> bool {
        let def = ty.name().and_then(|name| self.model.types.get(name));
        def.is_some_and(|def| def.fields().is_none())
    }
}
