//! What a schema says of values beyond their types, enforced where only the schema says it.
//!
//! The fields of structs get such rules from attributes of schemars, which only describe. Whatever
//! else is wrong with a value, the decoder finds. Most types have no rules, and cost nothing.

mod check;

use mcp_types::RawJsonRef;
use schemars::generate::SchemaGenerator;
use serde_json::{Map, Value};

use self::check::Check;
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
}

impl Rules {
    /// The rules of a type, if it has any that its decoder does not know.
    pub(super) fn of(describe: Describe, generator: &mut SchemaGenerator) -> Option<Self> {
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
        are_any.then_some(Self {
            schema,
            definitions,
            patterns,
        })
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
        match RawJsonRef::from_text(text).and_then(RawJsonRef::read) {
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

    use super::Rules;
    use crate::schema::{describe, for_input};

    fn has_rules<T: JsonSchema>() -> bool {
        Rules::of(describe::<T>, &mut for_input()).is_some()
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
}
