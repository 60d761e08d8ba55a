//! Schemas without the feature `validation`: they are listed, and nothing is held against them.

use serde_json::Value;

use crate::server::handler::error::ArgumentError;

/// A schema that accepts everything.
#[derive(Debug)]
pub(super) struct SchemaValidator;

#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "has the signatures of its counterpart"
)]
impl SchemaValidator {
    /// Accepts every schema.
    pub(super) fn new(_: &Value) -> Result<Self, String> {
        Ok(Self)
    }

    /// Finds no faults.
    pub(super) fn errors(&self, _: &Value) -> Vec<ArgumentError> {
        Vec::new()
    }
}
