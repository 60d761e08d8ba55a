//! Choices, taken over from JSON: lists of values, of kinds and of schemas.

use super::error::Result;
use super::ir::{Def, Enum, Member, Type, Union};
use super::lower::Lowering;
use super::methods;
use super::simplify::referred;
use serde_json::Value;

impl<'a> Lowering<'a> {
    pub(crate) fn string_enum(
        &mut self,
        json: &Value,
        place: &str,
        expected: Option<&Type>,
    ) -> Result<Type> {
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
    pub(crate) fn is_open_enum(&self, json: &Value, expected: Option<&Type>) -> bool {
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
    pub(crate) fn kinds(
        &mut self,
        kinds: &[Value],
        place: &str,
        expected: Option<&Type>,
    ) -> Result<Type> {
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

    pub(crate) fn union(
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
}

/// A union of types that JSON itself tells apart.
fn scalars(mut types: Vec<Type>) -> Def {
    types.sort();
    let members = types.into_iter().map(|ty| Member { ty, method: None });
    Def::Union(Union {
        members: members.collect(),
    })
}
