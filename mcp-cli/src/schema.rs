//! The part of JSON Schema that the command line needs: schemas decide how a string becomes JSON,
//! and values are checked with them before they are sent.
//!
//! A schema is read as a list of alternatives, one for each choice of `anyOf` and `oneOf`. An
//! alternative is a list of schemas that all apply, including those that `$ref` and `allOf` add.
//! `not`, `if` and formats are left to the server.

mod check;

use std::{iter, ptr};

use mcp_runtime::types::{RawJson, RawJsonRef, integer_digits};
use percent_encoding::percent_decode_str;
use regex_lite::Regex;
use serde_json::Value;

use crate::limits::{SCHEMA_ALTERNATIVES, SCHEMA_LEVELS, SCHEMA_PARTS};

/// The path of a value, and what is wrong with it.
pub(crate) type Fault = (String, String);

/// A possible value, and its title.
type Choice<'a> = (&'a Value, Option<&'a str>);

/// Converts a schema to a document. Parts that a [`Value`] can't represent, such as `1e400`, become
/// null.
pub(crate) fn document(schema: RawJsonRef<'_>, depth: usize) -> Value {
    let inside = |it| document(it, depth + 1);
    match (schema.parse(), schema.members(), schema.elements()) {
        (Ok(value), ..) => value,
        _ if depth > SCHEMA_LEVELS => Value::Null,
        (_, Ok(members), _) => members.into_iter().map(|it| (it.0, inside(it.1))).collect(),
        (.., Ok(elements)) => elements.into_iter().map(inside).collect(),
        _ => Value::Null,
    }
}

/// A schema inside a document. References in the schema point into this document.
#[derive(Clone, Debug)]
pub(crate) struct Schema<'a> {
    pub(crate) root: &'a Value,
    alternatives: Vec<Alternative<'a>>,
}

/// One way in which a value can match a schema.
#[derive(Clone, Debug, Default)]
struct Alternative<'a> {
    /// The schemas that all apply.
    parts: Vec<&'a Value>,
    /// Unions from which no element has been chosen yet.
    unions: Vec<&'a Vec<Value>>,
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self::of(root, vec![root])
    }

    /// Combines schemas of a document that all apply.
    pub(crate) fn of(root: &'a Value, parts: Vec<&'a Value>) -> Self {
        let mut start = Alternative::default();
        parts.into_iter().for_each(|it| start.add(root, it));
        let mut open = vec![start];
        let mut alternatives = Vec::new();
        while let Some(mut alternative) = open.pop() {
            let count = open.len() + alternatives.len();
            match alternative.unions.pop() {
                None => alternatives.push(alternative),
                Some(union) if count + union.len() > SCHEMA_ALTERNATIVES => open.push(alternative),
                // The last element is taken first, so reversing them keeps the order.
                Some(union) => open.extend(union.iter().rev().map(|element| {
                    let mut chosen = alternative.clone();
                    chosen.add(root, element);
                    chosen
                })),
            }
        }
        alternatives.retain(|it| !it.parts.contains(&&Value::Bool(false)));
        Self { root, alternatives }
    }

    /// A schema that every value matches.
    pub(crate) fn open(&self) -> Self {
        Self::of(self.root, Vec::new())
    }

    pub(crate) fn alternatives(&self) -> impl Iterator<Item = Self> {
        let root = self.root;
        let each = self.alternatives.iter().map(|it| vec![it.clone()]);
        each.map(move |alternatives| Self { root, alternatives })
    }

    /// Combines the alternatives of several schemas. Returns `None` without alternatives.
    fn union(&self, schemas: impl Iterator<Item = Self>) -> Option<Self> {
        let root = self.root;
        let alternatives: Vec<_> = schemas.flat_map(|it| it.alternatives).collect();
        (!alternatives.is_empty()).then_some(Self { root, alternatives })
    }

    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        self.inside(|it| it.member(name))
    }

    pub(crate) fn item(&self, index: usize) -> Option<Self> {
        self.inside(|it| it.item(index))
    }

    fn inside(&self, parts: impl Fn(&Alternative<'a>) -> Vec<&'a Value>) -> Option<Self> {
        let parts = self.alternatives.iter().map(parts);
        let parts = parts.filter(|it| !it.is_empty());
        self.union(parts.map(|it| Self::of(self.root, it)))
    }

    /// The schemas of a member as written in the document.
    pub(crate) fn sources(&self, name: &str) -> Vec<&'a Value> {
        let sources = self.alternatives.iter().map(|it| it.member(name));
        sources.flatten().collect()
    }

    /// The first schema as written, without the rest of the document.
    pub(crate) fn source(&self) -> Value {
        let first = self.alternatives.first().and_then(|it| it.parts.first());
        first.copied().cloned().unwrap_or_default()
    }

    /// The first value of a keyword.
    pub(crate) fn get(&self, keyword: &'static str) -> Option<&'a Value> {
        self.all(keyword).next()
    }

    fn all(&self, keyword: &'static str) -> impl Iterator<Item = &'a Value> {
        self.alternatives.iter().flat_map(move |it| it.all(keyword))
    }

    pub(crate) fn names(&self) -> Vec<&'a str> {
        let properties = self.all("properties").filter_map(Value::as_object);
        distinct(properties.flat_map(|it| it.keys().map(String::as_str)))
    }

    /// The names of the members that at least one alternative requires.
    pub(crate) fn required(&self) -> Vec<&'a str> {
        let required = self.all("required").filter_map(Value::as_array);
        distinct(required.flatten().filter_map(Value::as_str))
    }

    /// The names of the members, and whether each is required in all alternatives that have objects.
    /// Required members come first, as in a call.
    pub(crate) fn members(&self) -> Vec<(&'a str, bool)> {
        let objects = self.alternatives().filter(Self::has_objects);
        let required: Vec<_> = objects.map(|it| it.required()).collect();
        let is_required = |it| required.iter().all(|names| names.contains(&it));
        let mut members: Vec<_> = self
            .names()
            .into_iter()
            .map(|it| (it, is_required(it)))
            .collect();
        members.sort_by_key(|it| !it.1);
        members
    }

    /// The schema that the references of the first alternative end in.
    pub(crate) fn last_part(&self) -> Option<&'a Value> {
        self.alternatives.first()?.parts.last().copied()
    }

    /// The only possible values, with their titles. Empty if other values are possible.
    pub(crate) fn choices(&self) -> Vec<Choice<'a>> {
        unless_empty(self.alternatives.iter().map(Alternative::choices))
    }

    /// The kinds of JSON that match, in the order of the schema. Empty if all kinds match.
    pub(crate) fn kinds(&self) -> Vec<&'a str> {
        let kinds = self.alternatives.iter().map(Alternative::kinds);
        distinct(unless_empty(kinds))
    }

    pub(crate) fn has_objects(&self) -> bool {
        self.alternatives.iter().any(|it| it.has_kind("{"))
    }

    /// Whether elements of a list may be lists.
    pub(crate) fn has_lists(&self) -> bool {
        self.item(0).is_some_and(|it| it.kinds().contains(&"array"))
    }

    /// Whether an object may have members without a schema: if the schema says so, or names no
    /// members.
    pub(crate) fn is_open(&self) -> bool {
        let is_open = |it: Self| match it.get("additionalProperties") {
            Some(other) => *other != false,
            None => it
                .get("properties")
                .or(it.get("patternProperties"))
                .is_none(),
        };
        self.alternatives().filter(Self::has_objects).any(is_open)
    }

    /// Selects the alternatives whose constant members match the members of an object. Among these,
    /// prefers alternatives that know all members.
    ///
    /// Returns `None` if no alternative matches. `fits` decides whether a member matches a schema.
    pub(crate) fn narrowed<T>(
        &self,
        members: &[(String, T)],
        fits: impl Fn(&(String, T), &Self) -> bool,
    ) -> Option<Self> {
        let is_possible = |alternative: &Self| {
            members.iter().all(|it| match alternative.member(&it.0) {
                Some(member) if !member.choices().is_empty() => fits(it, &member),
                _ => alternative.has_objects(),
            })
        };
        let is_known = |alternative: &Self| {
            alternative.is_open() || members.iter().all(|it| alternative.member(&it.0).is_some())
        };
        let possible = self.union(self.alternatives().filter(is_possible))?;
        possible
            .union(possible.alternatives().filter(is_known))
            .or(Some(possible))
    }

    /// Turns a string into a value of the first kind that it matches, in the order of the schema.
    ///
    /// Objects, lists and null are tried before strings, because hardly any string looks like them.
    /// A list with the string as its only element is tried last.
    ///
    /// # Errors
    ///
    /// Returns the expected kinds.
    pub(crate) fn read(&self, text: &str) -> Result<RawJson, String> {
        let json = RawJson::from_text(text).ok();
        let is_list = text.trim_start().starts_with('[') && json.is_some();
        let mut candidates = self.candidates(text, json.as_ref());
        let lists = self
            .alternatives()
            .filter(|it| it.kinds().contains(&"array"));
        for list in lists.filter(|it| !is_list || it.has_lists()) {
            let item = list.item(0).unwrap_or_else(|| self.open());
            let elements = item.candidates(text, json.as_ref()).into_iter();
            candidates.extend(elements.map(|it| RawJson::encode(&[it])));
        }
        let first = candidates
            .iter()
            .position(|it| self.check(it, "").is_empty());
        let chosen = candidates.into_iter().nth(first.unwrap_or(0));
        chosen.ok_or_else(|| format!("must be {}, not `{text}`", articles(&self.kinds())))
    }

    /// The values that a string may represent, without a list around it.
    fn candidates(&self, text: &str, json: Option<&RawJson>) -> Vec<RawJson> {
        let string = RawJson::encode(text);
        let mut kinds = self.kinds();
        if kinds.is_empty() {
            return vec![json.cloned().unwrap_or(string)];
        }
        kinds.sort_by_key(|it| !matches!(*it, "array" | "object" | "null"));
        let value = |kind| match kind {
            "string" => Some(&string),
            kind => json.filter(|it| is_kind(it.get(), kind)),
        };
        kinds.into_iter().filter_map(value).cloned().collect()
    }

    /// Turns a string into a value, and checks it.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the value.
    pub(crate) fn accept(&self, text: &str) -> Result<RawJson, String> {
        let value = self.read(text)?;
        match self.check(&value, "").pop() {
            Some((_, fault)) => Err(fault),
            None => Ok(value),
        }
    }
}

impl<'a> Alternative<'a> {
    /// Adds a schema, and the schemas that it refers to.
    fn add(&mut self, root: &'a Value, schema: &'a Value) {
        let mut parts = vec![schema];
        let mut next = 0;
        while let Some(part) = parts.get(next).copied() {
            next += 1;
            if self.parts.len() < SCHEMA_PARTS && !self.parts.iter().any(|it| ptr::eq(*it, part)) {
                self.parts.push(part);
                parts.extend(
                    target(root, part)
                        .into_iter()
                        .chain(elements(part, "allOf")),
                );
                let unions = ["anyOf", "oneOf"].into_iter();
                let unions = unions.filter_map(|it| part.get(it)?.as_array());
                self.unions.extend(unions.filter(|it| !it.is_empty()));
            }
        }
    }

    fn all(&self, keyword: &'static str) -> impl Iterator<Item = &'a Value> {
        self.parts.iter().filter_map(move |it| it.get(keyword))
    }

    fn member(&self, name: &str) -> Vec<&'a Value> {
        let own = self.all("properties").filter_map(|it| it.get(name));
        let patterns = self
            .all("patternProperties")
            .filter_map(Value::as_object)
            .flatten();
        // A pattern that can't be parsed matches every name.
        let is_match = |pattern| Regex::new(pattern).map_or(true, |it| it.is_match(name));
        let patterns = patterns.filter(|it| is_match(it.0)).map(|it| it.1);
        let others = self.all("additionalProperties").filter(|it| it.is_object());
        or_else(own.chain(patterns).collect(), others)
    }

    fn item(&self, index: usize) -> Vec<&'a Value> {
        let lists = self.all("prefixItems").chain(self.all("items"));
        let own = lists.filter_map(|it| it.get(index)).collect();
        or_else(own, self.all("items").filter(|it| !it.is_array()))
    }

    fn choices(&self) -> Vec<Choice<'a>> {
        let each = self.parts.iter().map(|part| {
            let title = part.get("title").and_then(Value::as_str);
            let names = elements(part, "enumNames").map(Value::as_str);
            let listed = elements(part, "enum").zip(names.chain(iter::repeat(None)));
            let constant = part.get("const").map(|it| (it, title));
            constant.into_iter().chain(listed).collect::<Vec<_>>()
        });
        let each = each.filter(|it| !it.is_empty());
        each.min_by_key(Vec::len).unwrap_or_default()
    }

    fn has_choice(&self, value: RawJsonRef<'_>) -> bool {
        let choices = self.choices();
        let value = value.parse().unwrap_or(Value::Null);
        // In JSON Schema, 1.0 equals 1.
        let number = value.as_f64();
        let is_it = |it: &Value| *it == value || number.is_some() && it.as_f64() == number;
        choices.is_empty() || choices.iter().any(|it| is_it(it.0))
    }

    /// The kinds of JSON that match, in the order of the schema. Empty if all kinds match.
    fn kinds(&self) -> Vec<&'a str> {
        let types = self.parts.iter().map(|part| {
            let types = part.get("type").into_iter().chain(elements(part, "type"));
            let null = part.get("nullable").filter(|it| **it == true);
            let types = types.filter_map(Value::as_str).chain(null.map(|_| "null"));
            types.collect::<Vec<_>>()
        });
        let both = |mut one: Vec<&'a str>, other: Vec<&'a str>| {
            one.retain(|it| other.contains(it) || *it == "integer" && other.contains(&"number"));
            one
        };
        let stated = types.filter(|it| !it.is_empty()).reduce(both);
        let has = |keyword| self.all(keyword).next().is_some();
        let hinted = || match () {
            () if has("properties") || has("patternProperties") => vec!["object"],
            () if has("items") || has("prefixItems") => vec!["array"],
            () => Vec::new(),
        };
        let of_choices = self
            .choices()
            .into_iter()
            .map(|it| kind_of(&it.0.to_string()));
        or_else(or_else(stated.unwrap_or_default(), of_choices), hinted())
    }

    fn has_kind(&self, json: &str) -> bool {
        let kinds = self.kinds();
        kinds.is_empty() || kinds.iter().any(|it| is_kind(json, it))
    }
}

/// The value of a form's field. In forms, a number has no more digits than an `f64`.
///
/// # Errors
///
/// Fails if digits of a number would be lost.
pub(crate) fn exact(json: &RawJson) -> Result<Value, String> {
    let digits = json.get().bytes().filter(u8::is_ascii_digit).count();
    match json.parse::<Value>().unwrap_or_default() {
        Value::Null => Err(format!("can't be sent: {json}")),
        Value::Number(it)
            if digits > 15
                && it.as_f64().map(|it| it.to_string()).as_deref() != Some(json.get()) =>
        {
            Err(format!("has more digits than a form can carry: {json}"))
        }
        value => Ok(value),
    }
}

fn target<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    let reference = schema.get("$ref")?.as_str()?;
    let pointer = percent_decode_str(reference.strip_prefix('#')?);
    root.pointer(&pointer.decode_utf8_lossy())
}

pub(crate) fn elements<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a Value> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "boolean",
        Some(b'"') => "string",
        Some(b'[') => "array",
        Some(b'{') => "object",
        _ if integer_digits(json).is_some() => "integer",
        _ => "number",
    }
}

fn is_kind(json: &str, kind: &str) -> bool {
    let found = kind_of(json);
    found == kind || (found, kind) == ("integer", "number")
}

/// The text of a value, as in an argument of `mcp call`.
pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The path of a member.
pub(crate) fn below(path: &str, name: &str) -> String {
    format!("{path}.{name}").trim_start_matches('.').to_owned()
}

pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

fn or_else<T>(list: Vec<T>, others: impl IntoIterator<Item = T>) -> Vec<T> {
    if list.is_empty() {
        others.into_iter().collect()
    } else {
        list
    }
}

/// Concatenates the lists. The result is empty if any list is empty.
fn unless_empty<T: Clone>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let lists: Vec<_> = lists.collect();
    if lists.iter().any(Vec::is_empty) {
        Vec::new()
    } else {
        lists.concat()
    }
}

fn articles(kinds: &[&str]) -> String {
    let kinds = kinds.iter().map(|kind| match *kind {
        "null" => "null".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        kind => format!("a {kind}"),
    });
    kinds.collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests;
