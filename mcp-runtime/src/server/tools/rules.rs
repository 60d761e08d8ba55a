//! What a schema says of values, where the decoder does not say enough.
//!
//! The fields of structs get rules from attributes of schemars, which only describe: they are
//! enforced here ([`check`]). Most types have none, and cost nothing. Whatever else is wrong with a
//! value, the decoder finds; where it does, the schema tells of every fault ([`explain`]).

mod check;
mod explain;
mod words;

use mcp_types::RawJsonRef;
use schemars::generate::SchemaGenerator;
use serde_json::{Map, Value};

use self::check::Check;
use self::explain::Explain;
use self::words::{members, referred};
use super::pattern::Patterns;
use crate::schema::{Describe, walk};
use crate::server::handler::fault::{Fault, Faults};

/// What is looked at.
const KEYWORDS: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// The rules of one type.
#[derive(Debug)]
pub(super) struct Rules {
    schema: Value,
    /// The definitions that the schema refers to.
    definitions: Map<String, Value>,
    patterns: Patterns,
    /// Whether there are any that the decoder does not know.
    are_any: bool,
}

impl Rules {
    /// The rules of a type.
    pub(super) fn of(describe: Describe, generator: &mut SchemaGenerator) -> Self {
        let mut schema = describe(generator).to_value();
        let mut definitions = Map::new();
        let mut wanted = references(&mut schema);
        while let Some(name) = wanted.pop() {
            if let Some(definition) = generator.definitions().get(&name)
                && !definitions.contains_key(&name)
            {
                let mut definition = definition.clone();
                wanted.append(&mut references(&mut definition));
                definitions.insert(name, definition);
            }
        }
        let mut patterns = Patterns::new();
        let mut are_any = false;
        for schema in std::iter::once(&mut schema).chain(definitions.values_mut()) {
            walk(schema, &mut |schema| {
                drop_known(schema);
                are_any |= KEYWORDS.iter().any(|key| schema.get(key).is_some());
                if let Some(Value::String(pattern)) = schema.get("pattern") {
                    patterns.add(pattern);
                }
            });
        }
        Self {
            schema,
            definitions,
            patterns,
            are_any,
        }
    }

    /// What is wrong with `text`, the value of the argument `name`, which could not be decoded.
    pub(super) fn explain(&self, name: &str, text: &str) -> Vec<Fault> {
        self.explain_by(&self.schema, name, text)
    }

    /// What is wrong with `text`, which could not be decoded as the member `name` of the struct that
    /// takes all arguments.
    pub(super) fn explain_member(&self, name: &str, text: &str) -> Vec<Fault> {
        let whole = referred(&self.schema, &self.definitions);
        match members(whole).and_then(|members| members.get(name)) {
            Some(schema) => self.explain_by(schema, name, text),
            None => Vec::new(),
        }
    }

    fn explain_by(&self, schema: &Value, path: &str, text: &str) -> Vec<Fault> {
        let Ok(value) = RawJsonRef::from_text(text).and_then(RawJsonRef::parse) else {
            return Vec::new();
        };
        let mut explain = Explain::new(&self.definitions);
        explain.value(schema, &value, path, 0);
        let mut faults = explain.faults;
        if self.are_any {
            let mut check = Check::new(self);
            check.value(schema, &value, path, 0);
            check
                .faults
                .retain(|fault| !faults.iter().any(|known| known.is_beside(fault)));
            faults.append(&mut check.faults);
        }
        faults
    }

    /// Adds what is wrong with `text`, the value of the argument `name`, to `faults`.
    pub(super) fn check(&self, name: &str, text: &str, faults: &mut Faults) {
        self.find(name, text)
            .into_iter()
            .for_each(|fault| faults.push(fault));
    }

    /// Adds what is wrong with `text`, the object of all arguments, to `faults`, but for arguments
    /// that have some already.
    pub(super) fn check_all(&self, text: &str, faults: &mut Faults) {
        let mut found = self.find("", text);
        found.retain(|fault| !faults.are_of(fault.argument()));
        found.into_iter().for_each(|fault| faults.push(fault));
    }

    fn find(&self, path: &str, text: &str) -> Vec<Fault> {
        let mut check = Check::new(self);
        if !self.are_any {
            return check.faults;
        }
        match RawJsonRef::from_text(text).and_then(RawJsonRef::parse) {
            Ok(value) => check.value(&self.schema, &value, path, 0),
            // A member that the type skips must not keep the others from being checked.
            Err(error) => {
                let path = if path.is_empty() { "arguments" } else { path };
                check.faults.push(Fault::in_value(path, text, &error));
            }
        }
        check.faults
    }
}

/// The schemas, or values, under `keyword`.
fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// Alternatives in words, each once.
fn one_of(words: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    let last = distinct.pop().unwrap_or_else(|| "nothing".to_owned());
    match distinct.is_empty() {
        true => last,
        false => format!("{} or {last}", distinct.join(", ")),
    }
}

/// The names of the definitions that `schema` refers to, as often as it does.
fn references(schema: &mut Value) -> Vec<String> {
    let mut names = Vec::new();
    walk(schema, &mut |schema| names.extend(definition(schema)));
    names
}

/// The name of the definition that a schema refers to by itself.
fn definition(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?;
    Some(reference.strip_prefix("#/$defs/")?.to_owned())
}

/// Removes the bounds that an integer has because of its type: no other value can be decoded.
fn drop_known(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let (least, most) = match members.get("format").and_then(Value::as_str) {
        Some("uint8") => (0, u8::MAX.into()),
        Some("uint16") => (0, u16::MAX.into()),
        Some("uint" | "uint32" | "uint64" | "uint128") => (0, i64::MAX),
        Some("int8") => (i8::MIN.into(), i8::MAX.into()),
        Some("int16") => (i16::MIN.into(), i16::MAX.into()),
        _ => return,
    };
    for (keyword, known) in [("minimum", least), ("maximum", most)] {
        if members.get(keyword).and_then(Value::as_i64) == Some(known) {
            members.remove(keyword);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(dead_code)]

    use schemars::JsonSchema;

    use super::{Explain, Rules};
    use crate::schema::{describe, for_input};

    fn has_rules<T: JsonSchema>() -> bool {
        Rules::of(describe::<T>, &mut for_input()).are_any
    }

    #[derive(JsonSchema)]
    struct Plain {
        small: u8,
        signed: Vec<i16>,
        large: Option<u64>,
        text: String,
    }

    #[derive(JsonSchema)]
    struct Inner {
        #[schemars(range(min = 1))]
        count: u32,
    }

    #[derive(JsonSchema)]
    struct Outer {
        inner: Vec<Inner>,
        plain: Plain,
    }

    #[test]
    fn only_what_a_decoder_does_not_know_is_a_rule() {
        assert!(!has_rules::<u32>());
        assert!(!has_rules::<Plain>());
        assert!(has_rules::<Inner>());
        assert!(has_rules::<Outer>());
    }

    #[derive(JsonSchema)]
    #[schemars(untagged)]
    enum Tree {
        Left { inner: Box<Tree>, left: u8 },
        Right { inner: Box<Tree>, right: u8 },
        Leaf(String),
    }

    #[test]
    fn alternatives_within_alternatives_are_not_followed_for_ever() {
        let rules = Rules::of(describe::<Tree>, &mut for_input());
        let text = r#"{"left":1,"right":2,"inner":"#.repeat(18) + "5" + &"}".repeat(18);
        let value = serde_json::from_str(&text).unwrap();
        let mut explain = Explain::new(&rules.definitions);
        explain.value(&rules.schema, &value, "tree", 0);
        assert_eq!(explain.left, 0);
    }
}
