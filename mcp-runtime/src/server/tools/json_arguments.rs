//! Arguments that are described by a JSON Schema instead of Rust types.

use mcp_types::{RawJson, RawJsonRef};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Arguments, ToolBuilder, ToolCall};
use crate::server::handler::{ArgumentError, CallRejection, InvalidArguments};

/// All arguments of a call as one JSON object that is described by an explicit schema.
///
/// Made by [`ToolBuilder::input_schema`].
#[derive(Debug)]
pub struct JsonArguments {
    schema: RawJson,
    validator: SchemaValidator,
}

/// The error for a JSON Schema that can't be the schema of a tool.
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
    /// Describes the arguments with `schema`. `"type": "object"` is added if it is left out.
    ///
    /// # Errors
    ///
    /// With the reason, when the schema does not describe an object.
    pub(super) fn new(schema: &RawJson) -> Result<Self, String> {
        let mut members: Map<String, Value> = schema
            .parse()
            .map_err(|_| "it is not an object".to_owned())?;
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

    fn read(&self, call: &ToolCall<'_>) -> Result<Value, CallRejection> {
        let given = call.arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = given.parse().map_err(|error| {
            InvalidArguments(vec![ArgumentError::from_decoder("", given.get(), &error)])
        })?;
        InvalidArguments(self.validator.errors(&arguments)).into_result()?;
        Ok(arguments)
    }
}

/// A compiled schema that validates arguments. Without the feature `validation`, it accepts
/// everything.
#[derive(Debug)]
pub(super) struct SchemaValidator(#[cfg(feature = "validation")] jsonschema::Validator);

#[cfg(feature = "validation")]
impl SchemaValidator {
    /// Compiles `schema`. References to other documents are never fetched.
    ///
    /// # Errors
    ///
    /// With the reason, when it is not a valid JSON Schema.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::validator_for(schema);
        validator.map(Self).map_err(|error| {
            let place = error.instance_path().to_string();
            match place.as_str() {
                "" => error.to_string(),
                place => format!("at \"{place}\": {error}"),
            }
        })
    }

    fn errors(&self, arguments: &Value) -> Vec<ArgumentError> {
        let errors = self.0.iter_errors(arguments);
        let errors = errors.take(crate::limits::MAX_FOUND_FAULTS);
        errors.map(|error| fault(&error)).collect()
    }
}

#[cfg(not(feature = "validation"))]
#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "has the signatures of its counterpart"
)]
impl SchemaValidator {
    pub(super) fn new(_: &Value) -> Result<Self, String> {
        Ok(Self())
    }

    fn errors(&self, _: &Value) -> Vec<ArgumentError> {
        Vec::new()
    }
}

/// Converts the error. The path leads to the invalid value or the missing member.
#[cfg(feature = "validation")]
fn fault(error: &jsonschema::ValidationError<'_>) -> ArgumentError {
    use jsonschema::error::ValidationErrorKind;

    let path = path(error.instance_path());
    match error.kind() {
        ValidationErrorKind::Required {
            property: Value::String(name),
        } => ArgumentError::new(format!("{path}.{name}"), "missing"),
        _ => ArgumentError::new(path, error.to_string()),
    }
}

/// Formats a path as other errors of arguments do, such as `.items[0].count`.
#[cfg(feature = "validation")]
fn path(location: &jsonschema::paths::Location) -> String {
    use std::fmt::Write as _;

    use jsonschema::paths::LocationSegment;

    let mut path = String::new();
    for segment in location {
        _ = match segment {
            LocationSegment::Property(name) => write!(path, ".{name}"),
            LocationSegment::Index(index) => write!(path, "[{index}]"),
        };
    }
    path
}
