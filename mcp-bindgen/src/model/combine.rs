//! Resolves references, and combines schemas that all have to match.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::ir::Type;
use super::limits;
use super::lower::{Fault, Lowering, Place, within};
use crate::json::Object;

/// Keywords that say nothing about the type, or are ignored.
const ANNOTATIONS: &str = "$anchor $comment $defs $id $schema default definitions deprecated \
    description discriminator else example examples if not readOnly then title writeOnly";

/// Whether a keyword says something about the type.
pub(super) fn is_typing(keyword: &str) -> bool {
    !keyword.starts_with("x-") && !ANNOTATIONS.split(' ').any(|it| it == keyword)
}

impl<'a> Lowering<'a> {
    /// The type of a schema that may contain references or `allOf`.
    pub(super) fn members(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let Place { pointer, schema } = place;
        let typing: Vec<_> = schema.keys().filter(|keyword| is_typing(keyword)).collect();
        match (&typing[..], schema.get("$ref"), schema.get("allOf")) {
            ([_], Some(reference), _) => {
                let (pointer, target) = self.target(reference)?;
                Ok(self.at(&pointer, target))
            }
            ([_], None, Some(Value::Array(parts))) if parts.len() == 1 => {
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

    /// The schema that a reference points to, and its JSON pointer.
    fn target(&self, reference: &Value) -> Result<(String, &'a Value), Fault> {
        let text = reference.as_str().ok_or("its `$ref` is not a string")?;
        let Some(fragment) = text.strip_prefix('#') else {
            return Err(format!(
                "{text:?} refers to another document, which is not fetched"
            ));
        };
        let pointer = percent_decode_str(fragment).decode_utf8_lossy();
        let target = self.root.pointer(&pointer);
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        let target = target.filter(|_| is_pointer);
        let target = target.ok_or_else(|| format!("{text:?} refers to nothing"))?;
        Ok((pointer.into_owned(), target))
    }

    /// Merges the target of `$ref` and the parts of `allOf` into the schema.
    ///
    /// # Errors
    ///
    /// Returns an error if they contradict each other, or if a reference leads back to itself.
    pub(super) fn flat(&mut self, schema: &Object, depth: usize) -> Result<Object, Fault> {
        self.nodes += 1;
        self.within_limits()?;
        if depth > limits::DEPTH {
            let limit = limits::DEPTH;
            return Err(format!("it is combined from more than {limit} levels"));
        }
        if schema.contains_key("$dynamicRef") || schema.contains_key("$recursiveRef") {
            return Err("a dynamic reference is not followed".to_owned());
        }
        let mut flat = Object::new();
        if let Some(reference) = schema.get("$ref") {
            let (pointer, target) = self.target(reference)?;
            if !self.flats.contains_key(&pointer) {
                let open = Err("it is combined with itself".to_owned());
                self.flats.insert(pointer.clone(), open);
                let target = self.part(target, depth);
                self.flats.insert(pointer.clone(), target);
            }
            let target = self.flats[&pointer].clone()?;
            self.merge(&mut flat, target)?;
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            within(all.len(), "parts")?;
            for part in all {
                let part = self.part(part, depth)?;
                self.merge(&mut flat, part)?;
            }
        }
        let mut own = schema.clone();
        own.retain(|name, _| !["$ref", "allOf", "$defs", "definitions"].contains(&&**name));
        self.merge(&mut flat, own)?;
        Ok(flat)
    }

    fn part(&mut self, part: &Value, depth: usize) -> Result<Object, Fault> {
        match part {
            Value::Object(part) => self.flat(part, depth + 1),
            Value::Bool(true) => Ok(Object::new()),
            _ => Err("a part of its `allOf` allows no value".to_owned()),
        }
    }

    /// Merges `other` into `schema`, and counts its bytes, because a reference may be merged many
    /// times.
    pub(super) fn merge(&mut self, schema: &mut Object, other: Object) -> Result<(), Fault> {
        self.merged += other.values().map(|it| it.to_string().len()).sum::<usize>();
        self.within_limits()?;
        merge(schema, other)
    }
}

/// Merges `other` into `schema`.
///
/// # Errors
///
/// Returns an error if no value can match both.
fn merge(schema: &mut Object, other: Object) -> Result<(), Fault> {
    for (keyword, value) in other {
        let Some(known) = schema.get_mut(&keyword) else {
            schema.insert(keyword, value);
            continue;
        };
        match (keyword.as_str(), known, value) {
            (_, known, value) if *known == value => {}
            ("properties", Value::Object(known), Value::Object(other)) => {
                for (name, property) in other {
                    match known.get_mut(&name) {
                        None => drop(known.insert(name, property)),
                        // A value has to match both schemas.
                        Some(both) => both_of(both, property)?,
                    }
                }
            }
            ("required", Value::Array(known), Value::Array(mut other)) => {
                other.retain(|it| !known.contains(it));
                known.append(&mut other);
            }
            ("type", known, value) => *known = common_type(known, &value)?,
            ("enum", Value::Array(known), Value::Array(other)) => {
                known.retain(|it| other.contains(it));
            }
            ("const", ..) => return Err("it has to be two constants at once".to_owned()),
            ("anyOf" | "oneOf", ..) => {
                return Err("two unions have to fit at once".to_owned());
            }
            ("items" | "additionalProperties", known, value) => both_of(known, value)?,
            (_, known, value) => *known = value,
        }
    }
    Ok(())
}

/// Turns `known` into a schema that allows only what both schemas allow.
fn both_of(known: &mut Value, other: Value) -> Result<(), Fault> {
    let known_parts = parts_of(std::mem::replace(known, Value::Null));
    let mut parts = Vec::new();
    for part in known_parts.into_iter().chain(parts_of(other)) {
        if part != Value::Bool(true) && !parts.contains(&part) {
            within(parts.len(), "parts")?;
            parts.push(part);
        }
    }
    *known = match parts.len() {
        0 => Value::Bool(true),
        1 => parts.remove(0),
        _ => json!({ "allOf": parts }),
    };
    Ok(())
}

/// The parts of a schema that consists only of `allOf`, or else the schema itself.
fn parts_of(schema: Value) -> Vec<Value> {
    match schema {
        Value::Object(mut it) if it.len() == 1 => match it.get_mut("allOf") {
            Some(Value::Array(parts)) if !parts.is_empty() => std::mem::take(parts),
            _ => vec![Value::Object(it)],
        },
        other => vec![other],
    }
}

/// The `type` of values that match both types.
fn common_type(first: &Value, second: &Value) -> Result<Value, Fault> {
    let names = |json| -> Vec<&str> {
        let list = Value::as_array(json).map_or(std::slice::from_ref(json), Vec::as_slice);
        list.iter().filter_map(Value::as_str).collect()
    };
    let first = names(first);
    let second = names(second);
    let fits = |name, others: &[&str]| {
        others.contains(&name) || name == "integer" && others.contains(&"number")
    };
    let mut common: Vec<_> = first.clone();
    common.retain(|it| fits(*it, &second));
    common.extend(
        second
            .iter()
            .filter(|it| !first.contains(*it) && fits(**it, &first)),
    );
    match common[..] {
        [] => Err("no `type` fits all that it has to be".to_owned()),
        [only] => Ok(only.into()),
        _ => Ok(common.into()),
    }
}
