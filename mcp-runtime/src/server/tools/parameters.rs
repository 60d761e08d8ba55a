//! Types of arguments, and the input schema that they make.

use std::sync::OnceLock;

use mcp_types::{OrderedMap, RawJson};
use schemars::generate::SchemaGenerator;
use serde::Serialize;
use serde_json::{Map, Value};

use super::argument::Argument;
use super::header::Header;
use super::rules::Rules;
use super::spec::expected;
use crate::schema::{self, Describe, Plain};
use crate::server::handler::fault::{Fault, Faults};

/// The type of an argument.
pub(super) enum Kind {
    /// A type that the decoder checks in full.
    Plain(Plain),
    /// A type that schemars describes.
    Described {
        describe: Describe,
        /// The rules of its schema, made by the first call.
        rules: OnceLock<Rules>,
    },
}

impl Kind {
    pub(super) fn of<T: schemars::JsonSchema + 'static>() -> Self {
        match Plain::of::<T>() {
            Some(plain) => Self::Plain(plain),
            None => Self::Described {
                describe: schema::describe::<T>,
                rules: OnceLock::new(),
            },
        }
    }

    /// The name of the type in JSON Schema, for a person.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Plain(plain) => plain.name().to_owned(),
            Self::Described { describe, .. } => {
                expected(&describe(&mut schema::for_input()).to_value())
            }
        }
    }

    /// Adds to `faults` what the schema forbids of `text`, the value of the argument `name`, that
    /// its decoder does not know.
    pub(super) fn check(&self, name: &str, text: &str, faults: &mut Faults) {
        if let Some(rules) = self.rules() {
            rules.check(name, text, faults);
        }
    }

    /// The faults that the schema finds in `text`, the value of the argument `name`, which its
    /// decoder refused.
    pub(super) fn explain(&self, name: &str, text: &str) -> Vec<Fault> {
        self.rules()
            .map_or_else(Vec::new, |rules| rules.explain(name, text))
    }

    fn rules(&self) -> Option<&Rules> {
        match self {
            Self::Plain(_) => None,
            Self::Described { describe, rules } => {
                let make = || Rules::of(*describe, &mut schema::for_input());
                Some(rules.get_or_init(make))
            }
        }
    }

    /// The source of its schema.
    fn shape(&self) -> Shape {
        match self {
            Self::Plain(plain) => Shape::Plain(*plain),
            Self::Described { describe, .. } => Shape::Described(*describe),
        }
    }
}

/// The source of an argument's schema.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Plain(Plain),
    Described(Describe),
}

/// What is shown of an argument, whatever its type.
#[derive(Debug)]
pub(super) struct Parameter {
    name: &'static str,
    shape: Shape,
    /// Keywords that are added to the schema of the type.
    keywords: Map<String, Value>,
    header: Option<Header>,
    is_required: bool,
}

impl<T> Argument<T> {
    /// What is shown of the argument, which itself needs that no more.
    pub(super) fn parameter(&mut self) -> Parameter {
        Parameter {
            name: self.name,
            shape: self.kind.shape(),
            keywords: std::mem::take(&mut self.keywords),
            header: self.header,
            is_required: self.is_required(),
        }
    }
}

impl Parameter {
    /// Whether the argument, or a part of it, may have to be repeated in a header.
    pub(super) fn may_have_headers(&self) -> bool {
        self.header.is_some() || matches!(self.shape, Shape::Described(..))
    }

    /// The schema of the type, with the keywords of the argument.
    fn schema(&self, generator: &mut SchemaGenerator) -> Value {
        let mut schema = match self.shape {
            Shape::Plain(plain) => plain.schema(),
            Shape::Described(describe) => match describe(generator).to_value() {
                Value::Object(schema) => schema,
                _ => Map::new(),
            },
        };
        schema.extend(self.keywords.clone());
        if let Some(header) = self.header {
            header.narrow(&mut schema);
        }
        Value::Object(schema)
    }
}

/// The schema of an object with arguments.
#[derive(Serialize)]
struct InputSchema<'a> {
    r#type: &'static str,
    properties: OrderedMap<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'a str>,
    #[serde(
        rename = "additionalProperties",
        skip_serializing_if = "Option::is_none"
    )]
    additional_properties: Option<bool>,
    #[serde(rename = "$defs", skip_serializing_if = "Map::is_empty")]
    definitions: Map<String, Value>,
}

/// The schema of an object with these arguments, in their order.
pub(super) fn input_schema(parameters: &[Parameter], strict: bool) -> RawJson {
    let mut generator = schema::for_input();
    let schemas = parameters.iter().map(|it| it.schema(&mut generator));
    let mut schemas: Vec<_> = schemas.collect();
    let definitions = schema::finish(&mut generator, &mut schemas);
    let names = parameters.iter().map(|it| it.name.to_owned());
    let required = parameters.iter().filter(|it| it.is_required);
    RawJson::encode(&InputSchema {
        r#type: "object",
        properties: names.zip(schemas).collect(),
        required: required.map(|it| it.name).collect(),
        additional_properties: (strict || parameters.is_empty()).then_some(false),
        definitions,
    })
}
