//! JSON Schema, as far as the command line needs it: it decides how a string becomes JSON, and values
//! are checked with it before they are sent.
//!
//! A schema is read as a list of alternatives, one for each choice of `anyOf` and `oneOf`. An
//! alternative is a list of schemas that all apply: those that `$ref` and `allOf` add. `not`, `if` and
//! formats are left to the server.

use std::cell::Cell;
use std::{iter, ptr};

use mcp_runtime::types::{RawJson, RawJsonRef, integer_digits};
use percent_encoding::percent_decode_str;
use regex_lite::Regex;
use serde_json::Value;

/// Alternatives of one schema. A union that would make more of them fits every value.
const MAX_ALTERNATIVES: usize = 2048;
/// Schemas that apply together. Others are ignored.
const MAX_PARTS: usize = 512;
/// Values inside one another that are checked.
const MAX_DEPTH: usize = 64;
/// Checks of a value with an alternative. Later ones find no fault.
const MAX_CHECKS: usize = 20_000;

/// The path of a value, and what is wrong with it.
pub(crate) type Fault = (String, String);

/// The schema of a tool as a document. Parts that `serde_json` can't represent, such as `1e400`, are null.
pub(crate) fn document(schema: &RawJson) -> Value {
    lenient(schema.as_raw(), 0)
}

fn lenient(json: RawJsonRef<'_>, depth: usize) -> Value {
    let inside = |it| lenient(it, depth + 1);
    json.parse()
        .unwrap_or_else(|_| match (json.members(), json.elements()) {
            (Ok(members), _) if depth < MAX_DEPTH => members
                .into_iter()
                .map(|(name, it)| (name, inside(it)))
                .collect(),
            (_, Ok(elements)) if depth < MAX_DEPTH => elements.into_iter().map(inside).collect(),
            _ => Value::Null,
        })
}

/// A schema inside a document, to which its references refer.
#[derive(Clone, Debug)]
pub(crate) struct Schema<'a> {
    pub(crate) root: &'a Value,
    alternatives: Vec<Alternative<'a>>,
}

/// One way in which a value can fit a schema.
#[derive(Clone, Debug, Default)]
struct Alternative<'a> {
    /// The schemas that all apply.
    parts: Vec<&'a Value>,
    /// Unions from which no element was chosen yet.
    unions: Vec<&'a Vec<Value>>,
}

impl<'a> Schema<'a> {
    /// The schema that is all of a document.
    pub(crate) fn new(root: &'a Value) -> Self {
        Self::of(root, iter::once(root))
    }

    /// Schemas of a document that all apply.
    pub(crate) fn of(root: &'a Value, parts: impl Iterator<Item = &'a Value>) -> Self {
        let mut start = Alternative::default();
        parts.for_each(|part| start.add(root, part));
        let (mut open, mut alternatives) = (vec![start], Vec::new());
        while let Some(mut alternative) = open.pop() {
            let Some(union) = alternative.unions.pop() else {
                alternatives.push(alternative);
                continue;
            };
            if open.len() + alternatives.len() + union.len() > MAX_ALTERNATIVES {
                open.push(alternative);
                continue;
            }
            // The last one is taken up first, and the order stays.
            open.extend(union.iter().rev().map(|element| {
                let mut chosen = alternative.clone();
                chosen.add(root, element);
                chosen
            }));
        }
        alternatives.retain(|it| !it.parts.contains(&&Value::Bool(false)));
        Self { root, alternatives }
    }

    /// The schema alone, without the rest of the document.
    pub(crate) fn source(&self) -> Value {
        let first = self.alternatives.first().and_then(|it| it.parts.first());
        first.copied().cloned().unwrap_or_default()
    }

    /// Returns each alternative as a schema.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = Self> {
        self.alternatives
            .iter()
            .map(|it| self.with(vec![it.clone()]))
    }

    fn with(&self, alternatives: Vec<Alternative<'a>>) -> Self {
        let root = self.root;
        Self { root, alternatives }
    }

    /// The alternatives that lead to a schema further inside, which is that of one of them.
    fn inside(&self, parts: impl Fn(&Alternative<'a>) -> Vec<&'a Value>) -> Option<Self> {
        let parts = self
            .alternatives
            .iter()
            .map(parts)
            .filter(|it| !it.is_empty());
        let schemas = parts.map(|it| Self::of(self.root, it.into_iter()).alternatives);
        let schemas: Vec<_> = schemas.collect();
        (!schemas.is_empty()).then(|| self.with(schemas.concat()))
    }

    /// The schema of a member.
    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        self.inside(|it| it.member(name))
    }

    /// The schemas of a member as they are written.
    pub(crate) fn sources(&self, name: &str) -> Vec<&'a Value> {
        self.alternatives
            .iter()
            .flat_map(|it| it.member(name))
            .collect()
    }

    /// The schemas of members without a name of their own.
    pub(crate) fn other_members(&self) -> impl Iterator<Item = &'a Value> {
        let patterns = self
            .alternatives
            .iter()
            .flat_map(|it| it.patterns().map(|it| it.1));
        let others = self.alternatives.iter().flat_map(Alternative::others);
        patterns.chain(others.filter(|it| it.is_object()))
    }

    /// The schema of a list's element.
    pub(crate) fn item(&self, index: usize) -> Option<Self> {
        self.inside(|it| it.item(index))
    }

    /// The value of a keyword.
    pub(crate) fn get(&self, keyword: &'static str) -> Option<&'a Value> {
        self.all(keyword).next()
    }

    /// The names of the members that have a schema of their own.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        distinct(self.alternatives.iter().flat_map(Alternative::names))
    }

    /// The names of the members that an object must have.
    pub(crate) fn required(&self) -> Vec<&'a str> {
        let required = |it: &Alternative<'a>| it.required().collect::<Vec<_>>();
        let mut all = self.alternatives.iter().map(required);
        let mut first = all.next().unwrap_or_default();
        all.for_each(|other| first.retain(|it| other.contains(it)));
        first
    }

    /// The only values that are possible, with their titles; empty if others are.
    pub(crate) fn choices(&self) -> Vec<Choice<'a>> {
        let each = self.alternatives.iter().map(Alternative::choices);
        unless_empty(each)
    }

    /// The kinds of JSON that fit, in the order of the schema; empty if all do.
    pub(crate) fn kinds(&self) -> Vec<&'a str> {
        distinct(unless_empty(
            self.alternatives.iter().map(Alternative::kinds),
        ))
    }

    /// Returns true if an object may have members without a schema: if it says so, or names none.
    pub(crate) fn is_open(&self) -> bool {
        self.alternatives.iter().any(Alternative::is_open)
    }

    /// The alternatives whose constant members fit the members of an object, and of them those that know
    /// all of its names, if there are any; `None` if no alternative fits. `fits` returns true if a member
    /// fits a schema.
    pub(crate) fn narrowed<T>(
        &self,
        members: &[(String, T)],
        fits: impl Fn(&(String, T), &Self) -> bool,
    ) -> Option<Self> {
        if self.alternatives.len() < 2 || members.is_empty() {
            return Some(self.clone());
        }
        let is_possible = |alternative: &Self| {
            alternative.has_objects()
                && members.iter().all(|it| match alternative.member(&it.0) {
                    Some(member) if !member.choices().is_empty() => fits(it, &member),
                    _ => true,
                })
        };
        let is_known = |alternative: &Self| {
            alternative.is_open() || members.iter().all(|it| alternative.member(&it.0).is_some())
        };
        let possible: Vec<_> = self.alternatives().filter(is_possible).collect();
        let any_known = possible.iter().any(is_known);
        let chosen = possible.iter().filter(|it| !any_known || is_known(it));
        (!possible.is_empty())
            .then(|| self.with(chosen.flat_map(|it| it.alternatives.clone()).collect()))
    }

    /// Turns a string into a value: the first kind that it fits as it stands, in the order of the
    /// schema. Objects, lists and null precede strings wherever they are named, as hardly a string looks
    /// like them. A list with the string as its only element comes last.
    ///
    /// # Errors
    ///
    /// What was expected.
    pub(crate) fn read(&self, text: &str) -> Result<RawJson, String> {
        let json = RawJson::from_text(text).ok();
        let mut candidates = self.candidates(text, json.as_ref());
        for alternative in self
            .alternatives()
            .filter(|it| it.kinds().contains(&"array"))
        {
            let is_list = json.as_ref().is_some_and(|it| kind_of(it.get()) == "array");
            if !is_list || alternative.has_lists() {
                let item = alternative.item(0).unwrap_or_else(|| self.open());
                let elements = item.candidates(text, json.as_ref()).into_iter();
                let lists = elements.map(|it| (2, alternative.clone(), RawJson::encode(&[it.2])));
                candidates.extend(lists);
            }
        }
        candidates.sort_by_key(|it| it.0);
        let fits = |(_, schema, value): &Candidate<'_>| schema.check(value, "").is_empty();
        let first = candidates.iter().position(fits).unwrap_or(0);
        let value = candidates.into_iter().nth(first).map(|it| it.2);
        value.ok_or_else(|| format!("must be {}, not `{text}`", articles(&self.kinds())))
    }

    /// The values for which a string can be written, without lists around it.
    fn candidates(&self, text: &str, json: Option<&RawJson>) -> Vec<Candidate<'a>> {
        let mut candidates = Vec::new();
        for alternative in self.alternatives() {
            let kinds = alternative.kinds();
            let mut add = |rank, value| candidates.push((rank, alternative.clone(), value));
            if kinds.is_empty() {
                add(1, json.cloned().unwrap_or_else(|| RawJson::encode(text)));
            }
            for kind in kinds {
                let json = json.filter(|it| is_kind(it.get(), kind));
                match (kind, json) {
                    ("string", _) => add(1, RawJson::encode(text)),
                    ("array" | "object" | "null", Some(json)) => add(0, json.clone()),
                    (_, Some(json)) => add(1, json.clone()),
                    _ => {}
                }
            }
        }
        candidates.sort_by_key(|it| it.0);
        candidates
    }

    /// Returns true if elements of a list may be lists.
    pub(crate) fn has_lists(&self) -> bool {
        self.item(0).is_some_and(|it| it.kinds().contains(&"array"))
    }

    /// A schema that every value fits.
    pub(crate) fn open(&self) -> Self {
        self.with(vec![Alternative::default()])
    }

    /// Turns a string into a value, and checks it.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn accept(&self, text: &str) -> Result<RawJson, String> {
        let value = self.read(text)?;
        match self.check(&value, "").pop() {
            Some((_, fault)) => Err(fault),
            None => Ok(value),
        }
    }

    /// Returns all that is wrong with a value at a path.
    pub(crate) fn check(&self, value: &RawJson, path: &str) -> Vec<Fault> {
        let left = Cell::new(MAX_CHECKS);
        let place = Place {
            path: path.to_owned(),
            depth: 0,
            left: &left,
        };
        let mut faults = self.faults(value.as_raw(), &place);
        faults.dedup();
        faults
    }

    /// The faults of a value in the alternative that it fits best.
    fn faults(&self, value: RawJsonRef<'_>, place: &Place<'_>) -> Vec<Fault> {
        place.left.set(place.left.get().saturating_sub(1));
        if place.left.get() == 0 || place.depth > MAX_DEPTH {
            return Vec::new();
        }
        let mut possible = self.clone();
        possible.alternatives.retain(|it| it.has_kind(value.get()));
        if possible.alternatives.is_empty() {
            return place.fault(match &self.kinds()[..] {
                [] => format!("must be left out, and is {value}"),
                kinds => format!("must be {}, not {value}", articles(kinds)),
            });
        }
        let choices = possible.choices();
        possible.alternatives.retain(|it| it.has_choice(value));
        if possible.alternatives.is_empty() {
            let choices: Vec<_> = choices.iter().map(|it| it.0.to_string()).collect();
            return place.fault(format!(
                "must be one of {}, not {value}",
                choices.join(", ")
            ));
        }
        let members = value.members().unwrap_or_default();
        let faults = |it: &Member<'_>, member: &Self| member.faults(it.1, &place.member(&it.0));
        let narrowed = possible.narrowed(&members, |it, member| faults(it, member).is_empty());
        if narrowed.is_none() {
            // The constants of all alternatives together name what is possible.
            let wrong = members.iter().flat_map(|it| {
                let member = possible.member(&it.0).filter(|it| !it.choices().is_empty());
                member.map_or_else(Vec::new, |member| faults(it, &member))
            });
            let wrong: Vec<_> = wrong.collect();
            if !wrong.is_empty() {
                return wrong;
            }
        }
        let each = narrowed.as_ref().unwrap_or(&possible).alternatives();
        let each = each.map(|it| match it.broken_limit(value) {
            Some(fault) => place.fault(fault),
            None => it.faults_inside(value, &members, place),
        });
        each.min_by_key(Vec::len).unwrap_or_default()
    }

    /// The faults of members and elements, by the only alternative.
    fn faults_inside(
        &self,
        value: RawJsonRef<'_>,
        members: &[Member<'_>],
        place: &Place<'_>,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        if value.is_object() {
            let is_given = |name: &str| members.iter().any(|it| it.0 == name);
            let missing = self.required().into_iter().filter(|it| !is_given(it));
            faults.extend(missing.flat_map(|it| place.member(it).fault("is missing")));
        }
        for (name, value) in members {
            let place = place.member(name);
            match self.member(name) {
                Some(schema) => faults.extend(schema.faults(*value, &place)),
                None if self.alternatives.iter().all(Alternative::is_closed) => {
                    faults.extend(place.fault("is not known"));
                }
                None => {}
            }
        }
        let elements = value.elements().unwrap_or_default().into_iter();
        for (index, element) in elements.enumerate() {
            let item = self.item(index).into_iter();
            faults.extend(item.flat_map(|it| it.faults(element, &place.element(index))));
        }
        faults
    }

    /// The limit of a number, of a string's length or of a list's that a value does not keep.
    fn broken_limit(&self, value: RawJsonRef<'_>) -> Option<String> {
        let (least, most, size, unit) = match kind_of(value.get()) {
            "integer" | "number" => ("minimum", "maximum", value.get().parse().ok()?, ""),
            "string" => {
                let length = value.parse::<String>().ok()?.chars().count() as f64;
                ("minLength", "maxLength", length, " characters")
            }
            "array" => (
                "minItems",
                "maxItems",
                value.elements().ok()?.len() as f64,
                " elements",
            ),
            _ => return None,
        };
        let limits = |keyword| self.all(keyword).filter_map(Value::as_f64);
        let (least, most) = (
            limits(least).reduce(f64::max),
            limits(most).reduce(f64::min),
        );
        let (word, limit) = match (least, most) {
            (Some(least), _) if size < least => ("least", least),
            (_, Some(most)) if size > most => ("most", most),
            _ => return None,
        };
        Some(format!("must be at {word} {limit}{unit}, and is {value}"))
    }

    fn all(&self, keyword: &'static str) -> impl Iterator<Item = &'a Value> {
        self.alternatives.iter().flat_map(move |it| it.all(keyword))
    }

    pub(crate) fn has_objects(&self) -> bool {
        self.alternatives.iter().any(|it| it.has_kind("{"))
    }
}

/// The place of a value that is checked.
struct Place<'p> {
    path: String,
    depth: usize,
    /// Checks that may follow.
    left: &'p Cell<usize>,
}

impl Place<'_> {
    fn fault(&self, fault: impl Into<String>) -> Vec<Fault> {
        vec![(self.path.clone(), fault.into())]
    }

    fn member(&self, name: &str) -> Self {
        self.inside(below(&self.path, name))
    }

    fn element(&self, index: usize) -> Self {
        self.inside(format!("{}[{index}]", self.path))
    }

    fn inside(&self, path: String) -> Self {
        Self {
            path,
            depth: self.depth + 1,
            left: self.left,
        }
    }
}

/// A value for a string, with its rank and the alternative of its kind.
type Candidate<'a> = (u8, Schema<'a>, RawJson);

/// The name and the value of a member.
type Member<'v> = (String, RawJsonRef<'v>);

/// A value that is possible, and its title.
type Choice<'a> = (&'a Value, Option<&'a str>);

impl<'a> Alternative<'a> {
    /// Adds a schema, and those to which it leads.
    fn add(&mut self, root: &'a Value, schema: &'a Value) {
        let mut next = self.parts.len();
        self.push(schema);
        while let Some(part) = self.parts.get(next).copied() {
            next += 1;
            target(root, part).into_iter().for_each(|it| self.push(it));
            elements(part, "allOf").for_each(|it| self.push(it));
            let unions = ["anyOf", "oneOf"].into_iter();
            let unions = unions.filter_map(|it| part.get(it)?.as_array());
            self.unions.extend(unions.filter(|it| !it.is_empty()));
        }
    }

    fn push(&mut self, part: &'a Value) {
        let is_new = !self.parts.iter().any(|it| ptr::eq(*it, part));
        if is_new && self.parts.len() < MAX_PARTS {
            self.parts.push(part);
        }
    }

    /// The values of a keyword.
    fn all(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        let values = self.parts.iter().map(|it| it.get(keyword));
        values.flatten().collect::<Vec<_>>().into_iter()
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        let properties = self.all("properties").filter_map(Value::as_object);
        properties.flat_map(|it| it.keys().map(String::as_str))
    }

    fn required(&self) -> impl Iterator<Item = &'a str> {
        let required = self.all("required").filter_map(Value::as_array);
        required.flatten().filter_map(Value::as_str)
    }

    fn member(&self, name: &str) -> Vec<&'a Value> {
        let own = self.all("properties").filter_map(|it| it.get(name));
        let patterns = self.patterns().filter(|it| is_match(it.0, name));
        let found: Vec<_> = own.chain(patterns.map(|it| it.1)).collect();
        match found.is_empty() {
            true => self.others().filter(|it| it.is_object()).collect(),
            false => found,
        }
    }

    fn item(&self, index: usize) -> Vec<&'a Value> {
        let lists = self.all("prefixItems").chain(self.all("items"));
        let own: Vec<_> = lists.filter_map(|it| it.get(index)).collect();
        let others = match self.all("items").any(Value::is_array) {
            true => self.all("additionalItems"),
            false => self.all("items"),
        };
        match own.is_empty() {
            true => others.collect(),
            false => own,
        }
    }

    fn patterns(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let patterns = self.all("patternProperties").filter_map(Value::as_object);
        patterns.flatten()
    }

    /// The schemas of members that no other keyword describes.
    fn others(&self) -> impl Iterator<Item = &'a Value> {
        self.all("additionalProperties")
            .chain(self.all("unevaluatedProperties"))
    }

    fn is_closed(&self) -> bool {
        self.others().any(|it| *it == false)
    }

    fn is_open(&self) -> bool {
        let says_so = self.others().next().is_some();
        self.has_kind("{") && !self.is_closed() && (says_so || self.names().next().is_none())
    }

    fn choices(&self) -> Vec<Choice<'a>> {
        let each = self.parts.iter().map(|part| {
            let title = |keyword| part.get(keyword).and_then(Value::as_str);
            let names = elements(part, "enumNames").map(Value::as_str);
            let listed = elements(part, "enum").zip(names.chain(iter::repeat(None)));
            let constant = part.get("const").map(|it| (it, title("title")));
            constant.into_iter().chain(listed).collect::<Vec<_>>()
        });
        let each = each.filter(|it| !it.is_empty());
        each.min_by_key(Vec::len).unwrap_or_default()
    }

    fn has_choice(&self, value: RawJsonRef<'_>) -> bool {
        let choices = self.choices();
        choices.is_empty() || choices.iter().any(|it| equals(it.0, value))
    }

    /// The kinds of JSON that fit, in the order of the schema; empty if all do.
    fn kinds(&self) -> Vec<&'a str> {
        let types = self.parts.iter().map(|part| {
            let types = part.get("type").into_iter().chain(elements(part, "type"));
            let types = types.filter_map(Value::as_str);
            let null = part
                .get("nullable")
                .filter(|it| **it == true)
                .map(|_| "null");
            types.chain(null).collect::<Vec<_>>()
        });
        let both = |mut one: Vec<&'a str>, other: Vec<&'a str>| {
            one.retain(|it| other.contains(it) || *it == "integer" && other.contains(&"number"));
            one
        };
        let kinds = types
            .filter(|it| !it.is_empty())
            .reduce(both)
            .unwrap_or_default();
        if !kinds.is_empty() {
            return kinds;
        }
        let choices = self.choices();
        let has = |keywords: &[&str]| keywords.iter().any(|it| self.all(it).next().is_some());
        match () {
            () if !choices.is_empty() => choices
                .iter()
                .map(|it| kind_of(&it.0.to_string()))
                .collect(),
            () if has(&["properties", "patternProperties"]) => vec!["object"],
            () if has(&["items", "prefixItems"]) => vec!["array"],
            () => Vec::new(),
        }
    }

    /// Returns true if JSON is of one of the kinds.
    fn has_kind(&self, json: &str) -> bool {
        let kinds = self.kinds();
        kinds.is_empty() || kinds.iter().any(|it| is_kind(json, it))
    }
}

/// The value of a form's field, in which the protocol has no more digits of a number than an `f64` has.
///
/// # Errors
///
/// If digits of a number would be lost.
pub(crate) fn exact(json: &RawJson) -> Result<Value, String> {
    let text = json.get();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_written = || text.parse::<f64>().is_ok_and(|it| it.to_string() == text);
    if matches!(kind_of(text), "integer" | "number")
        && digits > f64::DIGITS as usize
        && !is_written()
    {
        return Err(format!("has more digits than a form can carry: {text}"));
    }
    json.parse()
        .map_err(|error| format!("can't be sent: {error}"))
}

/// The schema to which another one refers.
fn target<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    let reference = schema.get("$ref")?.as_str()?;
    let pointer = percent_decode_str(reference.strip_prefix('#')?);
    root.pointer(&pointer.decode_utf8_lossy())
}

pub(crate) fn elements<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a Value> {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Returns true if a name fits a pattern. Every name fits a pattern that can't be read.
fn is_match(pattern: &str, name: &str) -> bool {
    Regex::new(pattern).map_or(true, |it| it.is_match(name))
}

/// Returns true if JSON is the value of a schema, as which `1.0` is 1.
fn equals(expected: &Value, json: RawJsonRef<'_>) -> bool {
    let Ok(value) = json.parse::<Value>() else {
        return false;
    };
    let is_float = value.is_f64() || expected.is_f64();
    value == *expected || is_float && value.as_f64() == expected.as_f64() && value.is_number()
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

/// The path of a member.
pub(crate) fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Each value once, in their order.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// All lists in one, which is empty if one of them is.
fn unless_empty<T: Clone>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let lists: Vec<_> = lists.collect();
    match lists.iter().any(Vec::is_empty) {
        true => Vec::new(),
        false => lists.concat(),
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
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(schema: &Value, value: &Value) -> Vec<String> {
        let faults = Schema::new(schema).check(&RawJson::encode(value), "");
        faults
            .iter()
            .map(|(path, fault)| format!("`{path}` {fault}"))
            .collect()
    }

    #[test]
    fn the_type_decides_how_a_text_is_read() {
        let read = |schema: Value, text: &str| {
            let read = Schema::new(&schema).read(text);
            read.map(|it| it.parse::<Value>().unwrap())
        };
        assert_eq!(read(json!({"type": "string"}), "3"), Ok(json!("3")));
        assert_eq!(read(json!({"type": "integer"}), "3"), Ok(json!(3)));
        assert!(read(json!({"type": "integer"}), "3.5").is_err());
        assert_eq!(read(json!({"type": "number"}), "3"), Ok(json!(3)));
        assert_eq!(
            read(json!({"type": ["boolean", "null"]}), "true"),
            Ok(json!(true))
        );
        assert_eq!(
            read(json!({"type": ["string", "null"]}), "null"),
            Ok(Value::Null)
        );
        assert_eq!(read(json!({}), "[1]"), Ok(json!([1])));
        assert_eq!(
            read(json!({"type": ["integer", "string"]}), "x"),
            Ok(json!("x"))
        );
        let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
        assert_eq!(read(list.clone(), "3"), Ok(json!([3])));
        assert_eq!(read(list, "[3,4]"), Ok(json!([3, 4])));
        let choice = json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]});
        assert_eq!(read(choice, "a"), Ok(json!("a")));
    }

    #[test]
    fn all_faults_are_found_with_their_paths() {
        let schema = json!({
            "type": "object",
            "properties": {
                "place": {"$ref": "#/$defs/place"},
                "unit": {"enum": ["c", "f"]},
                "days": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["place", "name"],
            "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": false}},
        });
        let value = json!({"place": {"city": 1, "x": 2}, "unit": "k", "days": [1, "2"]});
        let faults = faults(&schema, &value);
        let expected = [
            "`name` is missing",
            "`place.city` must be a string, not 1",
            "`place.x` is not known",
            "`unit` must be one of \"c\", \"f\", not \"k\"",
            "`days[1]` must be a whole number, not \"2\"",
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn limits_are_checked() {
        let schema = json!({"properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9},
            "s": {"type": "string", "maxLength": 2},
            "l": {"type": "array", "minItems": 1},
        }});
        let broken = faults(&schema, &json!({"n": 12, "s": "abc", "l": []}));
        let expected = [
            "`n` must be at most 9, and is 12",
            "`s` must be at most 2 characters, and is \"abc\"",
            "`l` must be at least 1 elements, and is []",
        ];
        assert_eq!(broken, expected);
        assert!(faults(&schema, &json!({"n": 9, "s": "ab", "l": [1]})).is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let schema = json!({keyword: [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}});
            assert!(faults(&schema, &json!({"a": {"a": 1}})).len() <= 1);
            assert_eq!(Schema::new(&schema).read("{}").unwrap().get(), "{}");
            assert!(Schema::new(&schema).member("b").is_none());
        }
        assert!(Schema::new(&json!({"$ref": "#"})).kinds().is_empty());
    }
}
