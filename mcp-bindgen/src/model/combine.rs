//! References, and schemas that all have to fit.

use percent_encoding::percent_decode_str;

use super::ir::Type;
use super::limits;
use super::lower::{Fault, Lowering, Place};
use crate::json::{Json, Object};

/// Keywords that say nothing about the type, or are ignored.
const ANNOTATIONS: &str = "$anchor $comment $defs $id $schema default definitions deprecated \
    description discriminator else example examples if not readOnly then title writeOnly";

/// Whether a keyword says something about the type.
pub(super) fn is_typing(keyword: &str) -> bool {
    !keyword.starts_with("x-") && !ANNOTATIONS.split(' ').any(|it| it == keyword)
}

impl<'a> Lowering<'a> {
    /// The type of a schema that may refer to others.
    pub(super) fn members(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let Place { pointer, schema } = place;
        let typing: Vec<_> = schema.keys().filter(|keyword| is_typing(keyword)).collect();
        match (&typing[..], schema.get("$ref"), schema.get("allOf")) {
            ([_], Some(reference), _) => {
                let (pointer, target) = self.target(reference)?;
                Ok(self.at(&pointer, target))
            }
            ([_], None, Some(Json::List(parts))) if parts.len() == 1 => {
                Ok(self.at(&format!("{pointer}/allOf/0"), &parts[0]))
            }
            (_, None, None) if !schema.contains_key("$dynamicRef") => self.plain(place),
            _ => {
                let flat = self.flat(schema, 0)?;
                let schema = &flat;
                self.plain(Place { pointer, schema })
            }
        }
    }

    /// The schema that a reference names, and its pointer.
    fn target(&self, reference: &Json) -> Result<(String, &'a Json), Fault> {
        let text = reference.as_text().ok_or("its `$ref` is no text")?;
        let Some(fragment) = text.strip_prefix('#') else {
            return Err(format!(
                "{text:?} is a reference to elsewhere, which is not fetched"
            ));
        };
        let pointer = percent_decode_str(fragment).decode_utf8_lossy();
        let target = self.root.pointer(&pointer);
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        let target = target.filter(|_| is_pointer);
        let target = target.ok_or_else(|| format!("{text:?} refers to nothing"))?;
        Ok((pointer.into_owned(), target))
    }

    /// The schema with what its `$ref` and `allOf` say put in their place.
    ///
    /// # Errors
    ///
    /// When they contradict each other, or lead back to where they began.
    pub(super) fn flat(&self, schema: &Object, depth: usize) -> Result<Object, Fault> {
        if depth > limits::DEPTH {
            return Err("it is combined with itself".to_owned());
        }
        if schema.contains_key("$dynamicRef") || schema.contains_key("$recursiveRef") {
            return Err("a dynamic reference is not followed".to_owned());
        }
        let mut parts = Vec::new();
        if let Some(reference) = schema.get("$ref") {
            parts.push(self.target(reference)?.1);
        }
        if let Some(Json::List(all)) = schema.get("allOf") {
            super::lower::within(all.len(), "parts")?;
            parts.extend(all);
        }
        let mut flat = Object::new();
        for part in parts {
            match part {
                Json::Object(part) => merge(&mut flat, self.flat(part, depth + 1)?)?,
                Json::Bool(true) => {}
                _ => return Err("a part of its `allOf` allows no value".to_owned()),
            }
        }
        let own = schema
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "$ref" | "allOf"));
        let own = own.map(|(name, value)| (name.clone(), value.clone()));
        merge(&mut flat, own.collect())?;
        Ok(flat)
    }
}

/// Adds what `other` says to `schema`.
///
/// # Errors
///
/// When no value fits both.
pub(super) fn merge(schema: &mut Object, other: Object) -> Result<(), Fault> {
    for (keyword, value) in other {
        let Some(known) = schema.get_mut(&keyword) else {
            schema.insert(keyword, value);
            continue;
        };
        match (keyword.as_str(), known, value) {
            (_, known, value) if *known == value => {}
            ("properties" | "$defs" | "definitions", Json::Object(known), Json::Object(other)) => {
                for (name, property) in other {
                    match known.get_mut(&name) {
                        None => drop(known.insert(name, property)),
                        // Both have to fit.
                        Some(both) => *both = both_of(both.clone(), property),
                    }
                }
            }
            ("required", Json::List(known), Json::List(other)) => known.extend(other),
            ("type", known, value) => *known = common_type(known, &value)?,
            ("enum", Json::List(known), Json::List(other)) => known.retain(|it| other.contains(it)),
            ("const", ..) => return Err("it has to be two constants at once".to_owned()),
            ("anyOf" | "oneOf", ..) => {
                return Err("two unions have to fit at once".to_owned());
            }
            ("items" | "additionalProperties", known, value) => {
                *known = both_of(known.clone(), value);
            }
            (_, known, value) => *known = value,
        }
    }
    Ok(())
}

/// A schema that allows what two others allow.
fn both_of(first: Json, second: Json) -> Json {
    match (first, second) {
        (Json::Bool(true), other) | (other, Json::Bool(true)) => other,
        (first, second) if first == second => first,
        (first, second) => {
            let all = Json::List(vec![first, second]);
            Json::Object(Object::from([("allOf".to_owned(), all)]))
        }
    }
}

/// The `type` of values that fit both.
fn common_type(first: &Json, second: &Json) -> Result<Json, Fault> {
    let names = |json| -> Vec<&str> {
        let list = Json::as_list(json).unwrap_or(std::slice::from_ref(json));
        list.iter().filter_map(Json::as_text).collect()
    };
    let (first, second) = (names(first), names(second));
    let fits = |name, others: &[&str]| {
        others.contains(&name) || name == "integer" && others.contains(&"number")
    };
    let mut common: Vec<_> = first.iter().filter(|it| fits(**it, &second)).collect();
    common.extend(
        second
            .iter()
            .filter(|it| !first.contains(*it) && fits(**it, &first)),
    );
    let mut common: Vec<_> = common
        .into_iter()
        .map(|it| Json::Text((*it).to_owned()))
        .collect();
    match common.len() {
        0 => Err("no `type` fits all that it has to be".to_owned()),
        1 => Ok(common.remove(0)),
        _ => Ok(Json::List(common)),
    }
}
