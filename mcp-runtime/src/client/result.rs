//! Decodes results.
//!
//! Results are first classified by their `resultType`. A type that is not part of the core protocol
//! belongs to an extension, which may claim the result. The output of a tool is then decoded as the
//! type that the caller wants.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    CallToolResult, ContentBlock, InputRequiredResult, RawJson, RawJsonRef, ResultType,
    ServerCapabilities, methods,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::runtime::Handle;

use super::Client;
use super::channel::RequestKind;
use super::source::Source;
use crate::connection::OnLate;
use crate::error::CallError;
use crate::protocol::{Negotiated, locate, reason};

pub(super) struct Completed {
    pub(super) raw: RawJson,
    pub(super) left: Duration,
}

impl Completed {
    pub(super) fn new(raw: RawJson, left: Duration) -> Self {
        Self { raw, left }
    }
}

/// The kind of a result, by its `resultType`.
#[derive(Debug)]
pub(super) enum Outcome {
    Complete,
    InputRequired(Box<InputRequiredResult>),
    /// The core protocol does not define the type for this request. An extension may define it.
    Unknown(ResultType),
}

impl Outcome {
    /// Classifies a result by its `resultType`.
    ///
    /// A result without `resultType` is complete (2026-07-28, "Overview", section `ResultType`). In
    /// revisions that do not define `resultType`, the member belongs to the server, unless an
    /// extension claims the result.
    ///
    /// # Errors
    ///
    /// Fails if `resultType` is malformed, or if the result asks for input although the method does
    /// not allow it.
    pub(super) fn of(
        kind: RequestKind,
        result: &RawJson,
        negotiated: &Negotiated<ServerCapabilities>,
    ) -> Result<Self, CallError> {
        let revision = negotiated.revision;
        if !revision.has_type("ResultType") {
            return Ok(match result_type(result) {
                Ok(Some(own @ ResultType::Unknown { .. })) => Self::Unknown(own),
                _ => Self::Complete,
            });
        }
        let source = Source {
            method: kind.method,
            tool: None,
            revision,
            server: &|| negotiated.peer_name(),
        };
        let result_type =
            result_type(result).map_err(|fault| source.unfit(&format!("resultType: {fault}")))?;
        Ok(match result_type {
            None | Some(ResultType::Complete) => Self::Complete,
            Some(ResultType::InputRequired) if kind.may_require_input => {
                Self::InputRequired(Box::new(source.read_as(result, "InputRequiredResult")?))
            }
            Some(ResultType::InputRequired) => {
                return Err(unknown(kind.method, &ResultType::InputRequired));
            }
            Some(other) => Self::Unknown(other),
        })
    }
}

fn unknown(method: &str, result_type: &ResultType) -> CallError {
    let reason = format!("unknown `resultType` \"{}\"", result_type.as_str());
    CallError::unfit(method, reason)
}

fn result_type(result: &RawJson) -> Result<Option<ResultType>, String> {
    // Fast path: unless the JSON contains the name literally, or an escape that may hide it, the
    // member is missing and the result need not be parsed.
    if !result.get().contains("\"resultType\"") && !result.get().contains('\\') {
        return Ok(None);
    }
    let result_type = result.as_raw().member("resultType").map(RawJsonRef::parse);
    let result_type = result_type.transpose().map_err(|fault| reason(&fault));
    result_type.map(Option::flatten)
}

/// Returns true if the structured content of a result may wrap another value, because it is an object
/// whose only member is `result`.
pub(super) fn may_be_wrapped(result: &RawJson) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Structured {
        structured_content: Option<Wrapped<IgnoredAny>>,
    }

    let result = result.parse::<Structured>();
    result.is_ok_and(|result| result.structured_content.is_some())
}

/// Returns true if an output schema describes an object whose only member is `result`.
fn is_wrapper(schema: &RawJson) -> bool {
    let schema = schema.parse::<Value>().unwrap_or_default();
    let properties = schema["properties"].as_object();
    let has_one = properties.is_some_and(|it| it.len() == 1 && it.contains_key("result"));
    let required = schema["required"].as_array();
    has_one && required.is_some_and(|it| it.iter().any(|name| name == "result"))
}

/// An object whose only member is `result`. In the handshake era, structured content must be an
/// object, so servers wrap other values like this.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped<T> {
    result: T,
}

/// Decodes the output of a tool from its structured content, or from its text if there is no
/// structured content. `schema` is the tool's output schema. It decides whether the content is
/// unwrapped.
pub(super) fn typed<Out: DeserializeOwned>(
    result: CallToolResult,
    schema: Option<&RawJson>,
) -> Result<Out, CallError> {
    if result.is_error == Some(true) {
        return Err(CallError::Tool(text(&result)));
    }
    let decoded = match &result.structured_content {
        Some(structured) => with_integers(structured, |structured| match schema.map(is_wrapper) {
            Some(false) => structured.parse(),
            Some(true) => unwrapped(structured).or_else(|fault| {
                if ignores_result::<Out>() {
                    Err(fault)
                } else {
                    structured.parse().map_err(|_| fault)
                }
            }),
            None => structured
                .parse()
                .or_else(|fault| unwrapped(structured).map_err(|_| fault)),
        }),
        None => {
            let text = text(&result);
            let json = if result.content.is_empty() {
                "null"
            } else {
                &text
            };
            serde_json::from_str(json).or_else(|_| serde_json::from_value(Value::String(text)))
        }
    };
    decoded.map_err(|fault| CallError::unfit(methods::TOOLS_CALL, fault))
}

/// Decodes the output of a tool that is known never to wrap its value.
pub(super) fn whole<Out: DeserializeOwned>(
    result: CallToolResult,
    _: Option<&RawJson>,
) -> Result<Out, CallError> {
    match &result.structured_content {
        Some(structured) if result.is_error != Some(true) => {
            with_integers(structured, |structured| {
                structured.parse().map_err(|fault| {
                    let mut path = "structuredContent".to_owned();
                    locate(structured.get(), &fault, &mut path);
                    let reason = format!("{path}: {}", reason(&fault));
                    CallError::unfit(methods::TOOLS_CALL, reason)
                })
            })
        }
        _ => typed(result, None),
    }
}

/// Decodes JSON. If this fails, decodes it again with numbers such as `3.0` replaced by integers,
/// because JSON Schema does not distinguish them.
fn with_integers<T, E>(json: &RawJson, decode: impl Fn(&RawJson) -> Result<T, E>) -> Result<T, E> {
    decode(json).or_else(|fault| {
        let mut value: Value = json.parse().map_err(|_| fault)?;
        replace_integers(&mut value);
        decode(&value.into())
    })
}

fn replace_integers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(replace_integers),
        Value::Object(members) => members.values_mut().for_each(replace_integers),
        // `f64` formats whole numbers without a decimal point. Adding 0 removes the sign of -0.
        Value::Number(number) if number.is_f64() => {
            let text = number.as_f64().map(|number| (number + 0.0).to_string());
            let integer = text.and_then(|text| text.parse().ok());
            *number = integer.unwrap_or(number.clone());
        }
        _ => {}
    }
}

/// Decodes the output of a tool that may wrap its value. If the structured content is an object whose
/// only member is `result`, the value is unwrapped.
pub(super) fn perhaps_wrapped<Out: DeserializeOwned>(
    mut result: CallToolResult,
    _: Option<&RawJson>,
) -> Result<Out, CallError> {
    let structured = result.structured_content.as_ref();
    if let Some(Ok(value)) = structured.map(unwrapped) {
        result.structured_content = Some(value);
    }
    whole(result, None)
}

/// Returns the result of a tool unchanged, or an error if the tool reports one.
pub(super) fn succeeded(
    result: CallToolResult,
    _: Option<&RawJson>,
) -> Result<CallToolResult, CallError> {
    match result.is_error {
        Some(true) => Err(CallError::Tool(text(&result))),
        _ => Ok(result),
    }
}

/// Returns true if `Out` can be decoded from an object regardless of its member `result`.
fn ignores_result<Out: DeserializeOwned>() -> bool {
    let mut objects = [r#"{"result":0}"#, r#"{"result":""}"#].into_iter();
    objects.all(|object| serde_json::from_str::<Out>(object).is_ok())
}

/// Decodes the value inside a wrapper. Structured content that is not an object is decoded directly.
fn unwrapped<Out: DeserializeOwned>(structured: &RawJson) -> serde_json::Result<Out> {
    // Without this check, serde would also accept an array of one element as a wrapper.
    if !structured.is_object() {
        return structured.parse();
    }
    let wrapped: Wrapped<Out> = structured.parse()?;
    Ok(wrapped.result)
}

/// Joins the text blocks of a result, one block per line.
fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Lets an extension replace a result whose `resultType` (`name`) is not part of the core protocol
/// with the complete result.
///
/// # Errors
///
/// Fails with the error of the extension that claims the result. [`CallError::Result`] if no
/// extension claims it, or if the extension's result is not complete.
pub(super) async fn claim(
    client: &Client,
    kind: RequestKind,
    negotiated: &Negotiated<ServerCapabilities>,
    raw: RawJson,
    name: ResultType,
    left: Duration,
) -> Result<Completed, CallError> {
    let claim = {
        let mut active = client.state().config.extensions.active(negotiated);
        active.find_map(|extension| extension.claim(client, kind.method, &raw))
    };
    match claim {
        Some(claim) => {
            let raw = claim.await?;
            match Outcome::of(kind, &raw, negotiated)? {
                Outcome::Complete => Ok(Completed::new(raw, left)),
                _ => Err(CallError::unfit(
                    kind.method,
                    "the result that an extension obtained instead is not complete",
                )),
            }
        }
        // In revisions without `resultType`, the member belongs to the server and is not an error.
        None if negotiated.revision.has_type("ResultType") => Err(unknown(kind.method, &name)),
        None => Ok(Completed::new(raw, left)),
    }
}

/// Returns a callback that passes a result to the extensions if the caller has dropped the call.
/// Returns `None` for clients without extensions.
pub(super) fn on_late(
    client: &Client,
    kind: RequestKind,
    negotiated: &Arc<Negotiated<ServerCapabilities>>,
) -> Option<OnLate> {
    if client.state().config.extensions.is_empty() {
        return None;
    }
    let client = client.weak();
    let negotiated = Arc::clone(negotiated);
    // The callback may run while a future is dropped, possibly outside of the runtime's context.
    let runtime = Handle::current();
    Some(Arc::new(move |raw| {
        if !matches!(
            Outcome::of(kind, &raw, &negotiated),
            Ok(Outcome::Unknown(_))
        ) {
            return;
        }
        let Some(client) = client() else { return };
        let negotiated = Arc::clone(&negotiated);
        runtime.spawn(async move {
            let mut active = client.state().config.extensions.active(&negotiated);
            let taken = active.find_map(|it| it.abandoned(&client, kind.method, &raw));
            if let Some(taken) = taken {
                taken.await;
            }
        });
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use mcp_types::{CallToolRequest, ListToolsRequest, Revision};
    use serde_json::json;

    use super::*;

    fn negotiated(revision: Revision) -> Negotiated<ServerCapabilities> {
        Negotiated {
            revision,
            peer_info: None,
            peer_capabilities: ServerCapabilities::new(),
            instructions: None,
        }
    }

    fn outcome(result: serde_json::Value) -> Outcome {
        let kind = RequestKind::of::<CallToolRequest>();
        Outcome::of(kind, &result.into(), &negotiated(Revision::LATEST)).unwrap()
    }

    fn said(text: &str) -> CallToolResult {
        CallToolResult::text(text)
    }

    #[test]
    fn a_result_is_final_unless_it_says_otherwise() {
        for complete in [
            json!({"content": []}),
            json!({"content": [], "resultType": "complete"}),
        ] {
            assert!(matches!(outcome(complete), Outcome::Complete));
        }
        match outcome(json!({"content": [], "resultType": "maybe"})) {
            Outcome::Unknown(other) => assert_eq!(other.as_str(), "maybe"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_wish_for_input_is_told_from_a_result() {
        let wish = json!({"resultType": "input_required", "requestState": "s"});
        match outcome(wish.clone()) {
            Outcome::InputRequired(wanted) => {
                assert_eq!(wanted.request_state.as_deref(), Some("s"));
            }
            other => panic!("{other:?}"),
        }
        let list = RequestKind::of::<ListToolsRequest>();
        let list = Outcome::of(list, &wish.clone().into(), &negotiated(Revision::LATEST));
        assert!(matches!(list, Err(CallError::Result { .. })));
        for revision in Revision::ALL
            .into_iter()
            .filter(|it| *it < Revision::LATEST)
        {
            let kind = RequestKind::of::<CallToolRequest>();
            let own = Outcome::of(kind, &wish.clone().into(), &negotiated(revision));
            assert!(matches!(own, Ok(Outcome::Complete)), "{revision}");
        }
    }

    #[test]
    fn a_result_becomes_a_value() {
        assert_eq!(typed::<i64>(said("5"), None).unwrap(), 5);
        assert_eq!(typed::<String>(said("five"), None).unwrap(), "five");
        assert_eq!(typed::<()>(CallToolResult::new([]), None).unwrap(), ());
        let nothing = typed::<Option<String>>(CallToolResult::new([]), None);
        assert_eq!(nothing.unwrap(), None);
        assert_eq!(typed::<String>(CallToolResult::new([]), None).unwrap(), "");
        let structured = said("five").with_structured_content(json!({"result": 5}));
        assert_eq!(typed::<i64>(structured, None).unwrap(), 5);
        let structured = said("five").with_structured_content(json!([5]));
        assert_eq!(typed::<Vec<i64>>(structured.clone(), None).unwrap(), [5]);
        assert!(typed::<bool>(structured, None).is_err());
    }

    #[test]
    fn bindings_decide_what_is_wrapped() {
        let wrapper = said("").with_structured_content(json!({"result": [5]}));
        let bare = said("").with_structured_content(json!([5]));
        assert_eq!(
            perhaps_wrapped::<Vec<i64>>(wrapper.clone(), None).unwrap(),
            [5]
        );
        assert_eq!(
            perhaps_wrapped::<Vec<i64>>(bare.clone(), None).unwrap(),
            [5]
        );
        assert!(whole::<Vec<i64>>(wrapper.clone(), None).is_err());
        let whole = whole::<Value>(wrapper, None).unwrap();
        assert_eq!(whole, json!({"result": [5]}));
        let fault = perhaps_wrapped::<Vec<bool>>(bare.clone(), None).unwrap_err();
        assert!(
            fault.to_string().contains("structuredContent[0]: "),
            "{fault}"
        );
        let failed = bare.with_is_error(true);
        assert!(matches!(succeeded(failed, None), Err(CallError::Tool(_))));
    }

    #[test]
    fn a_number_without_a_fraction_is_an_integer() {
        let numbers = |text: &str| {
            let json = RawJson::from_text(text).unwrap();
            said("").with_structured_content(json)
        };
        let list = || numbers(r#"{"result": [3.0, 18446744073709551615, 9.3e18, -0.0]}"#);
        let expected = [3, u64::MAX, 9_300_000_000_000_000_000, 0];
        assert_eq!(typed::<Vec<u64>>(list(), None).unwrap(), expected);
        assert_eq!(perhaps_wrapped::<Vec<u64>>(list(), None).unwrap(), expected);
        assert_eq!(whole::<i64>(numbers("-3.0"), None).unwrap(), -3);
        for (text, place) in [
            (r#"{"a": [1.0, 2.5]}"#, "structuredContent.a[1]: "),
            (r#"{"a": [1.0], "b": [1e300]}"#, "structuredContent.b[0]: "),
            (r#"{"a": [1, 1e999]}"#, "structuredContent.a[1]: "),
        ] {
            let fault = whole::<HashMap<String, Vec<i64>>>(numbers(text), None).unwrap_err();
            assert!(fault.to_string().contains(place), "{fault}");
        }
    }

    #[test]
    fn an_error_of_the_tool_is_an_error() {
        let failed = typed::<i64>(said("out of order").with_is_error(true), None);
        assert_eq!(
            failed.unwrap_err().to_string(),
            "the tool reports an error: out of order"
        );
    }
}
