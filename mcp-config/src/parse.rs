//! Parsing of JSON with comments, TOML and YAML.

use std::fmt;

use jsonc_parser::common::Ranged as _;
use jsonc_parser::{ParseOptions, ast, parse_to_ast};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};
use toml::de::{DeTable, DeValue};

use crate::node::{Fault, Node, Value};
use crate::source::Language;

/// Parses the text of a file; an empty one is null.
///
/// Limits: 512 levels of nesting in JSON, 80 in TOML, 64 in YAML, whose aliases may not become more
/// than 100,000 values.
pub(crate) fn parse(text: &str, language: Language) -> Result<Node, Fault> {
    match language {
        Language::Json => json(text),
        Language::Toml => toml(text),
        Language::Yaml => yaml(text),
    }
}

fn json(text: &str) -> Result<Node, Fault> {
    let options = ParseOptions {
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let ast = parse_to_ast(text, &Default::default(), &options).map_err(|error| Fault {
        at: Some(error.range().start),
        text: error.kind().to_string(),
    })?;
    let null = Node {
        at: 0,
        value: Value::Null,
    };
    Ok(ast.value.map_or(null, of_json))
}

fn of_json(node: ast::Value<'_>) -> Node {
    let at = node.range().start;
    let value = match node {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(it) => Value::Bool(it.value),
        ast::Value::NumberLit(it) => Value::Number(it.value.to_owned()),
        ast::Value::StringLit(it) => Value::Text(it.value.into_owned()),
        ast::Value::Array(it) => Value::List(it.elements.into_iter().map(of_json).collect()),
        ast::Value::Object(it) => {
            let members = it.properties.into_iter();
            Value::Map(
                members
                    .map(|it| (it.name.into_string(), of_json(it.value)))
                    .collect(),
            )
        }
    };
    Node { at, value }
}

fn toml(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| Fault {
        at: error.span().map(|span| span.start),
        text: error.message().to_owned(),
    })?;
    let at = table.span().start;
    Ok(of_toml(at, DeValue::Table(table.into_inner())))
}

fn of_toml(at: usize, value: DeValue<'_>) -> Node {
    let node = |it: toml::Spanned<DeValue<'_>>| of_toml(it.span().start, it.into_inner());
    let value = match value {
        DeValue::String(it) => Value::Text(it.into_owned()),
        DeValue::Boolean(it) => Value::Bool(it),
        DeValue::Integer(it) => Value::Number(it.to_string()),
        DeValue::Float(it) => Value::Number(it.to_string()),
        DeValue::Datetime(it) => Value::Text(it.to_string()),
        DeValue::Array(it) => Value::List(it.into_iter().map(node).collect()),
        DeValue::Table(it) => {
            let members = it.into_iter();
            Value::Map(
                members
                    .map(|(key, it)| (key.into_inner().into_owned(), node(it)))
                    .collect(),
            )
        }
    };
    Node { at, value }
}

fn yaml(text: &str) -> Result<Node, Fault> {
    let mut options = serde_saphyr::Options::default();
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    options.alias_limits.max_total_replayed_events = 100_000;
    serde_saphyr::from_str_with_options(text, options).map_err(|error| Fault {
        at: error.location().and_then(offset),
        text: error.without_snippet().to_string(),
    })
}

fn offset(location: serde_saphyr::Location) -> Option<usize> {
    usize::try_from(location.span().byte_offset()?).ok()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self {
            at: offset(spanned.referenced).unwrap_or(0),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = access.next_element()? {
            list.push(element);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some(member) = access.next_entry()? {
            map.push(member);
        }
        Ok(Value::Map(map))
    }
}
