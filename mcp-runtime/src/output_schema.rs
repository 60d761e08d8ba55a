//! Validates structured content against the output schema of its tool.

use jsonschema::Validator;
use mcp_types::{CallToolResult, RawJson};
use serde_json::Value;

/// Validates a result against the output schema of its tool. A result with `isError` needs no
/// structured content.
///
/// # Errors
///
/// A description of the first fault.
pub(crate) fn check(schema: &RawJson, result: &CallToolResult) -> Result<(), String> {
    if result.is_error == Some(true) {
        return Ok(());
    }
    let structured = result.structured_content.as_ref();
    let structured = structured.ok_or("there is no structured content, but an output schema")?;
    let unreadable = |fault: serde_json::Error| fault.to_string();
    let structured: Value = structured.parse().map_err(unreadable)?;
    let schema: Value = schema.parse().map_err(unreadable)?;
    let validator = validator(&schema)?;
    match validator.iter_errors(&structured).next() {
        None => Ok(()),
        Some(fault) => Err(format!(
            "structured content at \"{}\": {fault}",
            fault.instance_path()
        )),
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema)
        .map_err(|fault| format!("the output schema can't be used: {fault}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(schema: Value, result: Value) -> Result<(), String> {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        check(&RawJson::from(schema), &result)
    }

    fn number() -> Value {
        json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
    }

    #[test]
    fn what_fits_passes_and_what_does_not_is_named() {
        let fits = json!({"content": [], "structuredContent": {"n": 1}});
        assert_eq!(checked(number(), fits), Ok(()));
        let misfit = json!({"content": [], "structuredContent": {"n": "one"}});
        let reason = checked(number(), misfit).unwrap_err();
        assert!(
            reason.contains("\"/n\"") && reason.contains("number"),
            "{reason}"
        );
        assert!(checked(number(), json!({"content": []})).is_err());
    }

    #[test]
    fn an_error_needs_no_structure() {
        let failed = json!({"content": [], "isError": true});
        assert_eq!(checked(number(), failed), Ok(()));
    }

    #[test]
    fn schemas_do_not_reach_into_the_network() {
        let remote = json!({"$ref": "https://example.org/schema.json"});
        let result = json!({"content": [], "structuredContent": {}});
        let reason = checked(remote, result).unwrap_err();
        assert!(reason.contains("can't be used"), "{reason}");
    }
}
