//! Parameters, decoded so that a fault is named by its path.

use mcp_types::RawJsonRef;
use serde::Deserialize;

use super::Refusal;
use super::place::locate;

/// Decodes the parameters of a known method; absent ones count as an empty object.
///
/// # Errors
///
/// [`Refusal::InvalidParams`] with the path of the first fault, such as `params.clientInfo.name`.
pub(crate) fn decode_params<'a, T: Deserialize<'a>>(
    params: Option<RawJsonRef<'a>>,
) -> Result<T, Refusal> {
    let params = params.unwrap_or(RawJsonRef::EMPTY_OBJECT);
    let decoded = params.parse();
    decoded.map_err(|error| invalid_params("params", params.get(), &error))
}

/// What is wrong with `text`, which stands at `path` and was refused with `error`.
pub(crate) fn invalid_params(path: &str, text: &str, error: &serde_json::Error) -> Refusal {
    let mut path = path.to_owned();
    locate(text, error, &mut path);
    let reason = reason(error);
    match missing_field(&reason) {
        Some(field) => Refusal::InvalidParams {
            path: format!("{path}.{field}"),
            reason: "missing".to_owned(),
        },
        None => Refusal::InvalidParams { path, reason },
    }
}

/// The message without the position, which means nothing to someone who sent one line.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    }
}

fn missing_field(reason: &str) -> Option<&str> {
    reason.strip_prefix("missing field `")?.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Outer {
        inner: Inner,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Inner {
        name: String,
    }

    fn fault(params: &str) -> String {
        let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
        decode_params::<Outer>(Some(params))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_fault_is_named_by_its_path() {
        assert_eq!(fault("{}"), "Invalid params: params.inner: missing");
        assert_eq!(
            fault(r#"{"inner":{}}"#),
            "Invalid params: params.inner.name: missing"
        );
        assert_eq!(
            fault(r#"{"inner":{"name":1}}"#),
            "Invalid params: params.inner.name: invalid type: integer `1`, expected a string"
        );
    }

    #[test]
    fn absent_params_are_an_empty_object() {
        let missing = decode_params::<Outer>(None).unwrap_err();
        assert_eq!(missing.to_string(), "Invalid params: params.inner: missing");
    }
}
