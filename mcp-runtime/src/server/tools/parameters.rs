//! What the arguments of a tool add to its description.

use mcp_types::{Encode, OrderedMap, RawJson};
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

/// The schema of an object with these arguments, in their order.
pub(super) fn input_schema(parameters: &[Parameter], strict: bool) -> RawJson {
    let (schemas, definitions) = schemas(parameters);
    let names = parameters.iter().map(|it| it.name.to_owned());
    let properties: OrderedMap<_> = names.zip(schemas).collect();
    let required = parameters.iter().filter(|it| it.is_required);
    let required: Vec<_> = required.map(|it| it.name).collect();
    let mut members: Vec<(&str, &dyn Encode)> =
        vec![("type", &"object"), ("properties", &properties)];
    if !required.is_empty() {
        members.push(("required", &required));
    }
    if strict || parameters.is_empty() {
        members.push(("additionalProperties", &false));
    }
    if !definitions.is_empty() {
        members.push(("$defs", &definitions));
    }
    RawJson::object(&members)
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
