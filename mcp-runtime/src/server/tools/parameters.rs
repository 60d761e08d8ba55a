//! What the arguments of a tool add to its description.

use mcp_types::{OrderedMap, RawJson};
use serde::Serialize;
use serde_json::{Map, Value};

use super::argument::Argument;
use super::header::Header;
use super::kind::Shape;

/// What is shown of an argument, whatever its type.
#[derive(Debug)]
pub(super) struct Parameter {
    name: &'static str,
    pub(super) shape: Shape,
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

    /// The schema of the type, with what is said of the argument.
    pub(super) fn completed(&self, mut schema: Map<String, Value>) -> Value {
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
    let (schemas, definitions) = schemas(parameters);
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

/// The schemas of all arguments, and the definitions that they refer to.
fn schemas(parameters: &[Parameter]) -> (Vec<Value>, Map<String, Value>) {
    let mut schemas = Vec::new();
    for parameter in parameters {
        match parameter.shape {
            Shape::Plain(plain) => schemas.push(parameter.completed(plain.schema())),
            Shape::Described(_, together) => return together(parameters),
        }
    }
    (schemas, Map::new())
}
