//! Arguments as one JSON object, which a JSON Schema describes instead of Rust types.

use mcp_types::{RawJson, RawJsonRef};
use serde_json::{Map, Value};
use thiserror::Error;

use super::builder::{Arguments, ToolBuilder};
use super::entry::ToolCall;
use super::schema_validator::SchemaValidator;
use crate::server::handler::error::{ArgumentError, InvalidArguments};
use crate::server::handler::run::Rejection;

/// All arguments of a call as one JSON object, under a schema that is written by hand.
///
/// Made by [`ToolBuilder::input_schema`].
#[derive(Debug)]
pub struct JsonArguments {
    schema: RawJson,
    validator: SchemaValidator,
}

/// A JSON Schema that can't be the schema of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("tool `{tool}`: the schema can't be used: {reason}")]
pub struct InvalidSchema {
    tool: String,
    reason: String,
}

impl InvalidSchema {
    pub(super) fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        let tool = tool.into();
        let reason = reason.into();
        Self { tool, reason }
    }
}

impl JsonArguments {
    /// Arguments under `schema`; `"type": "object"` is added where it is left out.
    ///
    /// # Errors
    ///
    /// When it is no schema of objects, in words.
    pub(super) fn new(schema: &RawJson) -> Result<Self, String> {
        let mut members: Map<String, Value> =
            schema.parse().map_err(|_| "it is no object".to_owned())?;
        let mut schema = schema.clone();
        match members.get("type") {
            Some(kind) if kind == "object" => {}
            Some(kind) => return Err(format!("its type is {kind}, not \"object\"")),
            None => {
                members.insert("type".to_owned(), "object".into());
                schema = RawJson::encode(&members);
            }
        }
        let validator = SchemaValidator::new(&Value::Object(members))?;
        Ok(Self { schema, validator })
    }
}

impl Arguments for JsonArguments {
    type Values = Value;

    fn declare(self, builder: &mut ToolBuilder) -> Self {
        builder.input_schema = Some(self.schema.clone());
        self
    }

    fn read(&self, call: &ToolCall<'_>) -> Result<Value, Rejection> {
        let given = call.arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = given.parse().map_err(|error| {
            InvalidArguments(vec![ArgumentError::from_decoder("", given.get(), &error)])
        })?;
        InvalidArguments(self.validator.errors(&arguments)).into_result()?;
        Ok(arguments)
    }
}
