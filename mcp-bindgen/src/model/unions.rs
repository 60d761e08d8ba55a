//! Alternatives, and how values of them are told apart.

use std::collections::HashSet;

use super::combine::{is_typing, merge};
use super::ir::{Kind, Shape, Type};
use super::lower::{Fault, Lowering, within};
use crate::json::{Json, Object};
use crate::texts;

/// One of several types that a value may have.
pub(super) struct Alternative {
    ty: Type,
    /// Members that are constant texts, or one of several; for objects.
    constants: Vec<(String, Vec<String>)>,
}

impl From<Type> for Alternative {
    fn from(ty: Type) -> Self {
        let constants = Vec::new();
        Self { ty, constants }
    }
}

impl Lowering<'_> {
    /// The type of the alternatives of a schema, if it has any.
    pub(super) fn alternatives(
        &mut self,
        pointer: &str,
        schema: &Object,
    ) -> Result<Option<Type>, Fault> {
        let unions = ["anyOf", "oneOf"].into_iter().filter_map(|name| {
            let list = schema.get(name).and_then(Json::as_list)?;
            list.iter().any(is_type).then_some((name, list))
        });
        let (name, list) = match &unions.collect::<Vec<_>>()[..] {
            [] => return Ok(None),
            [(name, list)] => (*name, *list),
            _ => return Err("two unions have to fit at once".to_owned()),
        };
        within(list.len(), "alternatives")?;
        let mut base = schema.clone();
        base.retain(|keyword, _| is_typing(keyword) && keyword != name);
        if let Some(values) = described(list) {
            return self.described(pointer, schema, values).map(Some);
        }
        let mut alternatives = Vec::new();
        for (index, alternative) in list.iter().enumerate() {
            let pointer = format!("{pointer}/{name}/{index}");
            let ty = match alternative {
                Json::Object(members) if !base.is_empty() => {
                    let mut both = base.clone();
                    merge(&mut both, self.flat(members, 0)?)?;
                    self.at(&pointer, &Json::Object(both))
                }
                other => self.at(&pointer, other),
            };
            let constants = self.constants(alternative);
            alternatives.push(Alternative { ty, constants });
        }
        self.join(pointer, schema, alternatives).map(Some)
    }

    /// The type of a schema with a list of types.
    pub(super) fn kinds(
        &mut self,
        pointer: &str,
        schema: &Object,
        names: &[Json],
    ) -> Result<Type, Fault> {
        let mut types = Vec::new();
        for name in names {
            let name = name.as_text().ok_or("its `type` lists what is no text")?;
            types.push(self.kind(pointer, schema, name)?.into());
        }
        self.join(pointer, schema, types)
    }

    /// The type of the values of an `enum` or `const`.
    pub(super) fn values(
        &mut self,
        pointer: &str,
        schema: &Object,
        values: &[Json],
    ) -> Result<Type, Fault> {
        let mut types = Vec::new();
        let mut texts: Vec<(String, String)> = Vec::new();
        let allowed = |names: &[&str]| match schema.get("type") {
            Some(Json::Text(only)) => names.contains(&only.as_str()),
            _ => true,
        };
        for value in values {
            let (ty, names): (_, &[&str]) = match value {
                Json::Null => (Type::Null, &["null"]),
                Json::Bool(_) => (Type::Bool, &["boolean"]),
                Json::Number(number) if number.is_f64() => (Type::Number, &["number"]),
                Json::Number(_) => (Type::Integer, &["integer", "number"]),
                Json::Text(_) => (Type::Text, &["string"]),
                Json::List(_) | Json::Object(_) => {
                    return Err("its `enum` has lists or objects".to_owned());
                }
            };
            if !allowed(names) {
                continue;
            }
            match value {
                Json::Text(text) if texts.iter().any(|(known, _)| known == text) => {}
                Json::Text(text) => texts.push((text.clone(), String::new())),
                _ => types.push(ty.into()),
            }
        }
        if texts.len() > super::limits::MEMBERS {
            types.push(Type::Text.into());
        } else if !texts.is_empty() {
            types.push(
                self.define(pointer, Some(schema), Shape::Enum(texts))
                    .into(),
            );
        }
        match types.is_empty() {
            true => Err("no value of its `enum` has its `type`".to_owned()),
            false => self.join(pointer, schema, types),
        }
    }

    /// An enum whose values have their own descriptions.
    fn described(
        &mut self,
        pointer: &str,
        schema: &Object,
        values: Vec<(&str, &Object)>,
    ) -> Result<Type, Fault> {
        let values = values.into_iter().map(|(value, schema)| {
            let text = schema.get("description").or(schema.get("title"));
            let text = text.and_then(Json::as_text).unwrap_or_default();
            (value.to_owned(), texts::markdown(text))
        });
        let shape = Shape::Enum(values.collect());
        Ok(self.define(pointer, Some(schema), shape))
    }

    /// The members of an object that are texts of an `enum` or `const`, each with its values.
    fn constants(&self, schema: &Json) -> Vec<(String, Vec<String>)> {
        let flat = schema.as_object().and_then(|it| self.flat(it, 0).ok());
        let properties = flat.as_ref().and_then(|it| it.get("properties"));
        let properties = properties.and_then(Json::as_object).into_iter().flatten();
        let constants = properties.filter_map(|(name, property)| {
            let only = property.get("const").map(std::slice::from_ref);
            let values = only.or(property.get("enum").and_then(Json::as_list))?;
            let values = values
                .iter()
                .map(|value| value.as_text().map(str::to_owned));
            let values = values.collect::<Option<Vec<_>>>()?;
            (!values.is_empty()).then(|| (name.clone(), values))
        });
        constants.collect()
    }

    /// One type for several alternatives.
    fn join(
        &mut self,
        pointer: &str,
        schema: &Object,
        alternatives: Vec<Alternative>,
    ) -> Result<Type, Fault> {
        let mut is_nullable = false;
        let mut kinds: Vec<(Kind, Vec<Alternative>)> = Vec::new();
        let mut open = alternatives;
        open.reverse();
        while let Some(Alternative { ty, constants }) = open.pop() {
            match ty {
                Type::Null => is_nullable = true,
                Type::Nullable(inner) => {
                    is_nullable = true;
                    open.push(Alternative {
                        ty: *inner,
                        constants,
                    });
                }
                Type::Json => return Ok(Type::Json),
                Type::Named(id) if let Some(parts) = self.parts(id) => open.extend(parts),
                ty => {
                    let kind = self.kind_of(&ty);
                    let alternative = Alternative { ty, constants };
                    match kinds.iter_mut().find(|(known, _)| *known == kind) {
                        Some((_, list)) if list.iter().any(|it| it.ty == alternative.ty) => {}
                        Some((_, list)) => list.push(alternative),
                        None => kinds.push((kind, vec![alternative])),
                    }
                }
            }
        }
        if kinds.iter().any(|(kind, _)| *kind == Kind::Number) {
            kinds.retain(|(kind, _)| *kind != Kind::Integer);
        }
        let mut types = Vec::new();
        for (kind, list) in kinds {
            types.push(self.of_kind(pointer, schema, kind, list)?);
        }
        let ty = match types.len() {
            0 => Type::Null,
            1 => types.remove(0),
            _ => self.define(pointer, Some(schema), Shape::Kinds(types)),
        };
        Ok(if is_nullable { ty.nullable() } else { ty })
    }

    /// The alternatives of a union that is itself one of several.
    fn parts(&self, id: super::ir::Id) -> Option<Vec<Alternative>> {
        match &self.context.defs.get(&id)?.shape {
            Shape::Kinds(types) => Some(types.iter().cloned().rev().map(Into::into).collect()),
            Shape::Tagged { tag, variants } => {
                let parts = variants.iter().rev().map(|(values, ty)| Alternative {
                    ty: ty.clone(),
                    constants: vec![(tag.clone(), values.clone())],
                });
                Some(parts.collect())
            }
            _ => None,
        }
    }

    fn kind_of(&self, ty: &Type) -> Kind {
        match ty {
            Type::Bool => Kind::Bool,
            Type::Integer => Kind::Integer,
            Type::Number => Kind::Number,
            Type::Text | Type::External(_) => Kind::Text,
            Type::List(_) | Type::Tuple(_) => Kind::List,
            Type::Named(id) => match self.context.defs.get(id).map(|def| &def.shape) {
                Some(Shape::Enum(_)) => Kind::Text,
                _ => Kind::Object,
            },
            Type::Null | Type::Json | Type::Map(_) | Type::Nullable(_) => Kind::Object,
        }
    }

    /// One type for alternatives of one kind.
    fn of_kind(
        &mut self,
        pointer: &str,
        schema: &Object,
        kind: Kind,
        mut list: Vec<Alternative>,
    ) -> Result<Type, Fault> {
        if list.len() == 1 {
            return Ok(list.remove(0).ty);
        }
        match kind {
            Kind::Text => Ok(self.texts(pointer, schema, &list)),
            // Where any object is allowed, the others say nothing.
            Kind::Object if list.iter().any(|it| it.ty == any_object()) => Ok(any_object()),
            Kind::Object => self.tagged(pointer, schema, list),
            _ => Err("its alternatives are different kinds of lists".to_owned()),
        }
    }

    /// One type for strings.
    fn texts(&mut self, pointer: &str, schema: &Object, list: &[Alternative]) -> Type {
        let mut all: Vec<(String, String)> = Vec::new();
        for Alternative { ty, .. } in list {
            let Type::Named(id) = ty else {
                return Type::Text;
            };
            if let Some(Shape::Enum(values)) = self.context.defs.get(id).map(|def| &def.shape) {
                all.extend(values.iter().cloned());
            }
        }
        let mut known = HashSet::new();
        all.retain(|(value, _)| known.insert(value.clone()));
        self.define(pointer, Some(schema), Shape::Enum(all))
    }

    /// One type for objects, which a constant member tells apart.
    fn tagged(
        &mut self,
        pointer: &str,
        schema: &Object,
        list: Vec<Alternative>,
    ) -> Result<Type, Fault> {
        let values = |alternative: &Alternative, tag: &str| {
            let mut constants = alternative.constants.iter();
            let found = constants.find(|(name, _)| name == tag);
            found.map(|(_, values)| values.clone())
        };
        let tells_apart = |tag: &String| {
            let mut known = HashSet::new();
            list.iter().all(|alternative| {
                let values = values(alternative, tag);
                values.is_some_and(|it| it.into_iter().all(|value| known.insert(value)))
            })
        };
        let mut names = list[0].constants.iter().map(|(name, _)| name.clone());
        let tag = names.find(tells_apart);
        let tag = tag.ok_or("its alternatives are objects that no constant member tells apart")?;
        let mut variants = Vec::new();
        for alternative in list {
            let values = values(&alternative, &tag).unwrap_or_default();
            let Type::Named(id) = alternative.ty else {
                return Err("its alternatives are objects of any members".to_owned());
            };
            if let [value] = &values[..] {
                let own = (tag.clone(), value.clone());
                let known = self.context.tags.entry(id).or_insert_with(|| own.clone());
                if *known != own {
                    return Err("its alternatives are in another union as well".to_owned());
                }
            }
            variants.push((values, Type::Named(id)));
        }
        Ok(self.define(pointer, Some(schema), Shape::Tagged { tag, variants }))
    }
}

fn any_object() -> Type {
    Type::Map(Box::new(Type::Json))
}

/// Whether an alternative says more than which members are required.
fn is_type(alternative: &Json) -> bool {
    match alternative {
        Json::Object(members) => {
            let mut typing = members.keys().filter(|keyword| is_typing(keyword));
            typing.any(|keyword| keyword != "required") || members.is_empty()
        }
        _ => true,
    }
}

/// The values of alternatives that are constant texts, if all are.
fn described(list: &[Json]) -> Option<Vec<(&str, &Object)>> {
    let mut known = HashSet::new();
    let values = list.iter().map(|alternative| {
        let members = alternative.as_object()?;
        let value = members.get("const")?.as_text()?;
        known.insert(value).then_some((value, members))
    });
    values.collect()
}
