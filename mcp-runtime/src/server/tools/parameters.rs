//! What the arguments of a tool add to its description.

use mcp_types::RawJson;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
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
    /// The schema of the type, with what is said of the argument.
    pub(super) fn completed(&self, mut schema: Map<String, Value>) -> Value {
        schema.extend(self.keywords.clone());
        if let Some(header) = self.header {
            header.narrow(&mut schema);
        }
        Value::Object(schema)
    }
}

/// The schema of an object with these arguments, in their order.
pub(super) fn input_schema(parameters: &[Parameter], strict: bool) -> Option<RawJson> {
    let (schemas, definitions) = schemas(parameters);
    let names: Vec<_> = parameters.iter().map(|it| it.name).collect();
    let required = parameters.iter().filter(|it| it.is_required);
    let required: Vec<_> = required.map(|it| it.name).collect();
    let schema = InputSchema {
        names: &names,
        schemas: &schemas,
        required: &required,
        closed: strict || names.is_empty(),
        definitions: &definitions,
    };
    RawJson::new(&schema).ok()
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

/// The schema of all arguments, with the properties in the order of the parameters.
struct InputSchema<'a> {
    names: &'a [&'static str],
    schemas: &'a [Value],
    required: &'a [&'static str],
    closed: bool,
    definitions: &'a Map<String, Value>,
}

impl Serialize for InputSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(self))?;
        if !self.required.is_empty() {
            map.serialize_entry("required", self.required)?;
        }
        if self.closed {
            map.serialize_entry("additionalProperties", &false)?;
        }
        if !self.definitions.is_empty() {
            map.serialize_entry("$defs", self.definitions)?;
        }
        map.end()
    }
}

struct Properties<'a>(&'a InputSchema<'a>);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.names.iter().zip(self.0.schemas))
    }
}
