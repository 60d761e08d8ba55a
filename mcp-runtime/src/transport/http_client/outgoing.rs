//! A message on its way out: what the headers have to say of it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{ErrorObject, Frame, Message, code};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    InitializeRequest, InitializedNotification, ListToolsRequest, Notification, RawJsonRef,
    ReadResourceRequest, Request, RequestId, RequestMetaRef, integer_digits,
};
use serde::Deserialize;

use super::annotations::{Annotations, Param};
use crate::protocol::{Refusal, StrictJson, StrictValue};

/// A message on its way out.
pub(super) struct Outgoing {
    pub(super) line: String,
    pub(super) kind: Kind,
    pub(super) method: String,
    /// The version that a stateless request names.
    pub(super) version: Option<String>,
    /// The name or URI that the request is about.
    name: Option<String>,
    /// Headers that repeat arguments, once [`Outgoing::read_arguments`] has made them.
    params: HeaderMap,
}

/// What kind of message it is.
pub(super) enum Kind {
    Request {
        id: RequestId,
        initializes: bool,
        lists_tools: bool,
    },
    Cancelled(RequestId),
    Initialized,
    Other,
}

#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<RequestMetaRef<'a>>,
    name: Option<String>,
    uri: Option<String>,
}

impl Outgoing {
    /// Reads one line. `None` for one that is no message, which the driver never writes.
    pub(super) fn read(line: Vec<u8>) -> Option<Self> {
        let line = String::from_utf8(line).ok()?;
        let (kind, method, params) = match Frame::parse(line.as_bytes()).ok()? {
            Frame::Single(Message::Request { id, method, params }) => {
                let kind = Kind::Request {
                    id,
                    initializes: method == InitializeRequest::METHOD,
                    lists_tools: method == ListToolsRequest::METHOD,
                };
                (kind, method.into_owned(), params)
            }
            Frame::Single(Message::Notification { method, params }) => {
                (notification(&method, params), method.into_owned(), params)
            }
            Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. })
            | Frame::Batch(_) => (Kind::Other, String::new(), None),
        };
        let params = params.and_then(|raw| serde_json::from_str::<Params<'_>>(raw.get()).ok());
        let params = params.unwrap_or_default();
        let version = params.meta.and_then(|meta| meta.protocol_version);
        let version = version.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let name = match &*method {
            CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name,
            ReadResourceRequest::METHOD => params.uri,
            _ => None,
        };
        Some(Self {
            line,
            kind,
            method,
            version,
            name,
            params: HeaderMap::new(),
        })
    }

    /// Whether to serve it twice does no harm.
    pub(super) fn is_safe(&self) -> bool {
        matches!(self.kind, Kind::Request { .. }) && self.method != CallToolRequest::METHOD
    }

    /// Makes the headers that repeat arguments of a stateless call (2026-07-28, "Streamable HTTP",
    /// section "Custom Headers from Tool Parameters").
    ///
    /// # Errors
    ///
    /// With the path of an argument that can't be read, or that no header can carry: the call must
    /// not be sent.
    pub(super) fn read_arguments(&mut self, annotations: &Annotations) -> Result<(), ErrorObject> {
        let annotated = self.name.as_deref().map(|name| annotations.of(name));
        let annotated = annotated.unwrap_or_default();
        if annotated.is_empty() || self.version.is_none() || self.method != CallToolRequest::METHOD
        {
            return Ok(());
        }
        let params = param_headers(&self.line, annotated).map_err(|refusal| {
            let message = format!("The call was not sent: {refusal}");
            ErrorObject::new(code::INVALID_PARAMS, message)
        })?;
        self.params = params;
        Ok(())
    }

    /// Adds the headers that repeat what a stateless message says (2026-07-28, "Streamable HTTP",
    /// section "Request Metadata").
    pub(super) fn mirror(&self, headers: &mut HeaderMap) {
        insert(headers, HeaderName::from_static("mcp-method"), &self.method);
        let Some(name) = &self.name else {
            return;
        };
        insert(headers, HeaderName::from_static("mcp-name"), name);
        headers.extend(self.params.clone());
    }
}

/// The headers that repeat arguments of the call in `line`.
fn param_headers(line: &str, annotated: &[Param]) -> Result<HeaderMap, Refusal> {
    let mut headers = HeaderMap::new();
    let Ok(Frame::Single(Message::Request { params, .. })) = Frame::parse(line.as_bytes()) else {
        return Ok(headers);
    };
    let arguments = params.and_then(|params| params.member("arguments"));
    let arguments = arguments.unwrap_or(RawJsonRef::EMPTY_OBJECT);
    let arguments = StrictJson::read(arguments.get(), "params.arguments")?;
    for (header, path) in annotated {
        let text = match arguments.get(path) {
            None | Some(StrictValue::Null) => continue,
            Some(StrictValue::String(text)) => Cow::Borrowed(&**text),
            Some(StrictValue::Bool(flag)) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Some(StrictValue::Number(number)) => {
                integer_digits(number).unwrap_or(Cow::Borrowed(number))
            }
            Some(StrictValue::Array(_) | StrictValue::Object(_)) => {
                return Err(Refusal::InvalidParams {
                    path: format!("params.arguments.{}", path.join(".")),
                    reason: format!("a list or an object can't be sent in the header `{header}`"),
                });
            }
        };
        insert(&mut headers, header.clone(), &text);
    }
    Ok(headers)
}

fn notification(method: &str, params: Option<RawJsonRef<'_>>) -> Kind {
    let cancelled = || {
        let params = params?.parse::<CancelledNotificationParams>().ok()?;
        params.request_id
    };
    match method {
        InitializedNotification::METHOD => Kind::Initialized,
        CancelledNotification::METHOD => cancelled().map_or(Kind::Other, Kind::Cancelled),
        _ => Kind::Other,
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::try_from(&*encoded(text)) {
        headers.insert(name, value);
    }
}

/// The text itself where it is plain, else in Base64 (section "Value Encoding").
fn encoded(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text;
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if plain && !looks_encoded {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(text)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_plain_is_encoded() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("us west 1", "us west 1"),
            ("", ""),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encoded(text), expected, "{text:?}");
        }
    }

    /// The headers of a call of a tool with annotated arguments.
    fn headers(arguments: &str) -> Result<HeaderMap, ErrorObject> {
        let tools = json!([{"name": "query", "inputSchema": {"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {
                "rows": {"type": "integer", "x-mcp-header": "Rows"},
            }},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        }}}]);
        let mut annotations = Annotations::default();
        assert_eq!(annotations.learn(&tools).len(), 0);
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
            "name": "query",
            "arguments": "ARGUMENTS",
        }});
        let line = line.to_string().replace("\"ARGUMENTS\"", arguments);
        let mut outgoing = Outgoing::read(line.into_bytes()).unwrap();
        outgoing.read_arguments(&annotations)?;
        let mut headers = HeaderMap::new();
        outgoing.mirror(&mut headers);
        Ok(headers)
    }

    #[test]
    fn headers_repeat_what_a_call_says() {
        let headers = headers(r#"{"region": "us", "deep": {"rows": 4.2e1}, "dry": null}"#).unwrap();
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "query");
        assert_eq!(headers["mcp-param-region"], "us");
        assert_eq!(headers["mcp-param-rows"], "42");
        assert_eq!(headers.len(), 4);
    }

    #[test]
    fn what_no_header_can_repeat_is_not_sent() {
        for (arguments, path) in [
            (
                r#"{"region": "us", "other": [1e400]}"#,
                "params.arguments.other[0]",
            ),
            (
                r#"{"region": "us", "other": "\ud800"}"#,
                "params.arguments.other",
            ),
            (
                r#"{"region": "us", "region": "eu"}"#,
                "params.arguments.region",
            ),
            (r#"{"deep": {"rows": [42]}}"#, "params.arguments.deep.rows"),
        ] {
            let error = headers(arguments).unwrap_err();
            assert_eq!(error.code, -32602);
            let expected = format!("The call was not sent: Invalid params: {path}: ");
            assert!(error.message.starts_with(&expected), "{error}");
        }
    }
}
