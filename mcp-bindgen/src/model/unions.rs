//! Joins alternatives into one type, if their values can be distinguished.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::combine::is_typing;
use super::ir::{Kind, Shape, Type};
use super::limits;
use super::lower::{Fault, Lowering, Place, within};
use crate::json::Object;

/// One of several types that a value may have.
pub(super) struct Alternative {
    ty: Type,
    /// Members of an object whose value is a constant string, or one of several.
    constants: IndexMap<String, Vec<String>>,
}

impl From<Type> for Alternative {
    fn from(ty: Type) -> Self {
        let constants = IndexMap::new();
        Self { ty, constants }
    }
}

impl Lowering<'_> {
    pub(super) fn alternatives(&mut self, place: Place<'_>) -> Result<Option<Type>, Fault> {
        let unions = ["anyOf", "oneOf"].into_iter().filter_map(|name| {
            let list = place.list(name)?;
            list.iter().any(is_type).then_some((name, list))
        });
        let (name, list) = match &unions.collect::<Vec<_>>()[..] {
            [] => return Ok(None),
            [(name, list)] => (*name, *list),
            _ => return Err("two unions have to fit at once".to_owned()),
        };
        within(list.len(), "alternatives")?;
        let mut base = place.schema.clone();
        base.retain(|keyword, _| is_typing(keyword) && keyword != name);
        let mut alternatives = Vec::new();
        for (index, alternative) in list.iter().enumerate() {
            let pointer = format!("{}/{name}/{index}", place.pointer);
            let ty = match alternative {
                Value::Object(members) if !base.is_empty() => {
                    let mut both = Object::new();
                    self.merge(&mut both, base.clone())?;
                    let members = self.flat(members, 0)?;
                    self.merge(&mut both, members)?;
                    self.at(&pointer, &Value::Object(both))
                }
                other => self.at(&pointer, other),
            };
            let constants = self.constants(alternative);
            alternatives.push(Alternative { ty, constants });
        }
        self.join(place, alternatives).map(Some)
    }

    /// The type of the values of an `enum` or `const`.
    pub(super) fn values(&mut self, place: Place<'_>, values: &[Value]) -> Result<Type, Fault> {
        let only = place.text("type");
        let whole = only.filter(|it| *it == "number").unwrap_or("integer");
        let mut texts = Vec::new();
        let mut types = Vec::new();
        for value in values {
            let (ty, name) = match value {
                Value::Null => (Type::Null, "null"),
                Value::Bool(_) => (Type::Bool, "boolean"),
                Value::Number(number) if number.is_f64() => (Type::Number, "number"),
                Value::Number(number) if number.is_i64() => (Type::Integer, whole),
                Value::Number(_) => (Type::Unsigned, whole),
                Value::String(_) => (Type::Text, "string"),
                Value::Array(_) | Value::Object(_) => {
                    return Err("its `enum` has lists or objects".to_owned());
                }
            };
            match value {
                _ if only.is_some_and(|only| only != name) => {}
                Value::String(text) => texts.push((text.clone(), String::new())),
                _ => types.push(ty.into()),
            }
        }
        if !texts.is_empty() {
            types.push(self.texts(place, texts).into());
        }
        if types.is_empty() {
            Err("no value of its `enum` has its `type`".to_owned())
        } else {
            self.join(place, types)
        }
    }

    /// Defines an enum of strings, each with its documentation.
    fn texts(&mut self, place: Place<'_>, mut texts: Vec<(String, String)>) -> Type {
        let mut known = HashSet::new();
        texts.retain(|(value, _)| known.insert(value.clone()));
        if texts.len() > limits::MEMBERS {
            Type::Text
        } else {
            self.define(place, Shape::Enum(texts))
        }
    }

    /// The members of an object whose `enum` or `const` allows only strings, with these strings.
    fn constants(&mut self, schema: &Value) -> IndexMap<String, Vec<String>> {
        let flat = schema.as_object().and_then(|it| self.flat(it, 0).ok());
        let properties = flat.as_ref().and_then(|it| it.get("properties"));
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        let constants = properties.filter_map(|(name, property)| {
            let only = property.get("const").map(std::slice::from_ref);
            let list = property.get("enum").and_then(Value::as_array);
            let values = only.or(list.map(Vec::as_slice))?;
            let values = values.iter().map(|it| it.as_str().map(str::to_owned));
            let values = values.collect::<Option<Vec<_>>>()?;
            (!values.is_empty()).then(|| (name.clone(), values))
        });
        constants.collect()
    }

    pub(super) fn join(
        &mut self,
        place: Place<'_>,
        mut open: Vec<Alternative>,
    ) -> Result<Type, Fault> {
        let mut is_nullable = false;
        let mut kinds: Vec<(Kind, Vec<Alternative>)> = Vec::new();
        open.reverse();
        while let Some(alternative) = open.pop() {
            let Alternative { ty, constants } = alternative;
            match ty {
                Type::Json => return Ok(Type::Json),
                Type::Null => is_nullable = true,
                Type::Nullable(inner) => {
                    is_nullable = true;
                    let ty = *inner;
                    open.push(Alternative { ty, constants });
                }
                Type::Named(id) if let Some(parts) = self.parts(id) => {
                    open.extend(parts.into_iter().rev());
                }
                ty => {
                    let kind = ty.kind(&self.context.defs);
                    let known = kinds.iter().position(|(known, _)| *known == kind);
                    let known = known.unwrap_or_else(|| {
                        kinds.push((kind, Vec::new()));
                        kinds.len() - 1
                    });
                    let list = &mut kinds[known].1;
                    within(list.len(), "alternatives")?;
                    if list.iter().all(|it| it.ty != ty) {
                        list.push(Alternative { ty, constants });
                    }
                }
            }
        }
        if kinds.iter().any(|(kind, _)| *kind == Kind::Number) {
            kinds.retain(|(kind, _)| *kind != Kind::Integer);
        }
        let types = kinds.into_iter();
        let types = types.map(|(kind, list)| self.of_kind(place, kind, list));
        let mut types = types.collect::<Result<Vec<_>, _>>()?;
        let ty = match types.len() {
            0 if is_nullable => Type::Null,
            0 => return Err("it allows no `type`".to_owned()),
            1 => types.remove(0),
            _ => self.define(place, Shape::Kinds(types)),
        };
        Ok(if is_nullable { ty.nullable() } else { ty })
    }

    /// The alternatives of a union, if the definition `id` is a union.
    fn parts(&self, id: super::ir::Id) -> Option<Vec<Alternative>> {
        match &self.context.defs.get(&id)?.shape {
            Shape::Kinds(types) => Some(types.iter().cloned().map(Into::into).collect()),
            Shape::Tagged { tag, variants } => {
                let parts = variants.iter().map(|(values, ty)| Alternative {
                    ty: ty.clone(),
                    constants: IndexMap::from([(tag.clone(), values.clone())]),
                });
                Some(parts.collect())
            }
            _ => None,
        }
    }

    /// Joins alternatives of one kind into one type.
    fn of_kind(
        &mut self,
        place: Place<'_>,
        kind: Kind,
        mut list: Vec<Alternative>,
    ) -> Result<Type, Fault> {
        let any_object = Type::Map(Box::new(Type::Json));
        match kind {
            _ if list.len() == 1 => Ok(list.remove(0).ty),
            Kind::Text => {
                let texts = list.iter().map(|it| self.described(&it.ty));
                Ok(match texts.collect::<Option<Vec<_>>>() {
                    Some(texts) => self.texts(place, texts.concat()),
                    None => Type::Text,
                })
            }
            Kind::Integer => Ok(Type::Integer),
            // If any object is allowed, the other alternatives add nothing.
            Kind::Object if list.iter().any(|it| it.ty == any_object) => Ok(any_object),
            Kind::Object => self.tagged(place, list),
            _ => Err("its alternatives are different kinds of lists".to_owned()),
        }
    }

    /// The values of an enum. A single value is documented by the description or title of its
    /// schema.
    fn described(&self, ty: &Type) -> Option<Vec<(String, String)>> {
        let def = self.context.defs.get(&ty.id()?)?;
        match &def.shape {
            Shape::Enum(values) => match &values[..] {
                [(value, doc)] if doc.is_empty() => {
                    let title = def.title.clone().unwrap_or_default();
                    let doc = if def.doc.is_empty() {
                        title
                    } else {
                        def.doc.clone()
                    };
                    Some(vec![(value.clone(), doc)])
                }
                values => Some(values.to_vec()),
            },
            _ => None,
        }
    }

    /// Joins alternatives that are objects, if a constant member tells them apart.
    fn tagged(&mut self, place: Place<'_>, list: Vec<Alternative>) -> Result<Type, Fault> {
        let tells_apart = |tag: &&String| {
            let mut known = HashSet::new();
            let mut values = list.iter().map(|it| it.constants.get(*tag));
            values.all(|it| it.is_some_and(|it| it.iter().all(|value| known.insert(value))))
        };
        let tag = list[0].constants.keys().find(tells_apart).cloned();
        let tag = tag.ok_or("its alternatives are objects that no constant member tells apart")?;
        let mut variants = Vec::new();
        for Alternative { ty, mut constants } in list {
            let Type::Named(id) = ty else {
                return Err("its alternatives are objects of any members".to_owned());
            };
            let values = constants.swap_remove(&tag).unwrap_or_default();
            if let [value] = &values[..] {
                let own = (tag.clone(), value.clone());
                let known = self.context.tags.entry(id).or_insert_with(|| own.clone());
                if *known != own {
                    return Err("its alternatives are in another union as well".to_owned());
                }
            }
            variants.push((values, ty));
        }
        Ok(self.define(place, Shape::Tagged { tag, variants }))
    }
}

/// Whether an alternative does more than require members.
fn is_type(alternative: &Value) -> bool {
    match alternative {
        Value::Object(members) => {
            let mut typing = members.keys().filter(|keyword| is_typing(keyword));
            typing.any(|keyword| keyword != "required") || members.is_empty()
        }
        _ => true,
    }
}
