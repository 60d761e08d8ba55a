//! Parameters, decoded so that a fault is named by its path.

use mcp_types::RawJsonRef;
use serde::Deserialize;

use super::place::locate;
use crate::error::RequestError;

/// Decodes the parameters of a known method; absent ones count as an empty object.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the first fault, such as `params.clientInfo.name`.
pub(crate) fn decode_params<'a, T: Deserialize<'a>>(
    params: Option<RawJsonRef<'a>>,
) -> Result<T, RequestError> {
    let params = params.unwrap_or(RawJsonRef::empty_object());
    let decoded = params.parse();
    decoded.map_err(|error| invalid_params("params", params.get(), &error))
}

/// The error for `text`, which stands at `path` and was refused with `error`.
pub(crate) fn invalid_params(path: &str, text: &str, error: &serde_json::Error) -> RequestError {
    let mut path = path.to_owned();
    locate(text, error, &mut path);
    let reason = reason(error);
    let of_member = |name: &str, reason: &str| RequestError::InvalidParams {
        path: format!("{path}.{name}"),
        reason: reason.to_owned(),
    };
    if let Some(name) = field(&reason, "missing") {
        return of_member(name, "missing");
    }
    if let Some(name) = field(&reason, "duplicate") {
        return of_member(name, "the member occurs twice");
    }
    RequestError::InvalidParams { path, reason }
}

/// The message without the position, which means nothing to someone who sent one line.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    }
}

/// The name of the member that is `fault`, in the words of serde.
fn field<'a>(reason: &'a str, fault: &str) -> Option<&'a str> {
    let name = reason.strip_prefix(fault)?.strip_prefix(" field `")?;
    name.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use mcp_types::CompleteRequestParams;

    use super::*;

    fn fault(params: &str) -> String {
        let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
        decode_params::<CompleteRequestParams>(Some(params))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_fault_is_named_by_its_path() {
        assert_eq!(fault("{}"), "Invalid params: params.argument: missing");
        assert_eq!(
            fault(r#"{"argument":{}}"#),
            "Invalid params: params.argument.name: missing"
        );
        assert_eq!(
            fault(r#"{"argument":{"name":1}}"#),
            "Invalid params: params.argument.name: invalid type: integer `1`, expected a string"
        );
    }

    #[test]
    fn absent_params_are_an_empty_object() {
        let missing = decode_params::<CompleteRequestParams>(None).unwrap_err();
        let words = "Invalid params: params.argument: missing";
        assert_eq!(missing.to_string(), words);
    }
}
