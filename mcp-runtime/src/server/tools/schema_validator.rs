//! Validation of JSON against a schema that is written by hand.

use std::fmt::Write as _;

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::limits::MAX_FOUND_FAULTS;
use crate::server::handler::error::ArgumentError;

/// A schema, ready to validate arguments.
#[derive(Debug)]
pub(super) struct SchemaValidator(Validator);

impl SchemaValidator {
    /// Validation by `schema`. What it refers to outside of itself is never fetched.
    ///
    /// # Errors
    ///
    /// When it is no JSON Schema, in words.
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

    /// The faults of `arguments`.
    pub(super) fn errors(&self, arguments: &Value) -> Vec<ArgumentError> {
        let errors = self.0.iter_errors(arguments).take(MAX_FOUND_FAULTS);
        errors.map(|error| fault(&error)).collect()
    }
}

/// The error at the place of the value, or of the member that is missing.
fn fault(error: &ValidationError<'_>) -> ArgumentError {
    let path = path(error.instance_path());
    match error.kind() {
        ValidationErrorKind::Required {
            property: Value::String(name),
        } => ArgumentError::new(format!("{path}.{name}"), "missing"),
        _ => ArgumentError::new(path, error.to_string()),
    }
}

/// The place in the form of other errors of arguments, such as `.items[0].count`.
fn path(location: &Location) -> String {
    let mut path = String::new();
    for segment in location {
        _ = match segment {
            LocationSegment::Property(name) => write!(path, ".{name}"),
            LocationSegment::Index(index) => write!(path, "[{index}]"),
        };
    }
    path
}
