//! What the arguments of a tool add to its description.

use mcp_types::RawJson;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::argument::Argument;
use super::header::Header;
use crate::schema::{self, Describe};

/// What is shown of an argument, whatever its type.
#[derive(Debug)]
pub(super) struct Parameter {
    name: &'static str,
    describe: Describe,
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
            describe: self.describe,
            keywords: std::mem::take(&mut self.keywords),
            header: self.header,
            is_required: self.is_required(),
        }
    }
}

/// The schema of an object with these arguments, in their order.
pub(super) fn input_schema(parameters: Vec<Parameter>, strict: bool) -> Option<RawJson> {
    let mut generator = schema::for_input();
    let (mut names, mut required, mut schemas) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in parameters {
        let mut schema = (parameter.describe)(&mut generator).to_value();
        if let Value::Bool(_) = schema {
            schema = Value::Object(Map::new());
        }
        if let Value::Object(members) = &mut schema {
            members.extend(parameter.keywords);
            if let Some(header) = parameter.header {
                header.narrow(members);
            }
        }
        if parameter.is_required {
            required.push(parameter.name);
        }
        names.push(parameter.name);
        schemas.push(schema);
    }
    let definitions = schema::finish(&mut generator, &mut schemas);
    let schema = InputSchema {
        names: &names,
        schemas: &schemas,
        required: &required,
        closed: strict || names.is_empty(),
        definitions: &definitions,
    };
    RawJson::new(&schema).ok()
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
