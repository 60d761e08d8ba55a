//! A message on its way out: what the headers have to say of it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    InitializeRequest, InitializedNotification, ListToolsRequest, Notification, RawJsonRef,
    ReadResourceRequest, Request, RequestId, RequestMetaRef,
};
use serde::Deserialize;
use serde_json::Value;

use super::annotations::Annotations;

/// A message on its way out.
pub(super) struct Outgoing {
    pub(super) line: String,
    pub(super) kind: Kind,
    pub(super) method: String,
    /// The version that a stateless request names.
    pub(super) version: Option<String>,
    /// The name or URI that the request is about.
    name: Option<String>,
    arguments: Option<Value>,
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
    #[serde(borrow)]
    arguments: Option<RawJsonRef<'a>>,
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
        let arguments = params.arguments;
        let arguments = arguments.and_then(|raw| serde_json::from_str(raw.get()).ok());
        Some(Self {
            line,
            kind,
            method,
            version,
            name,
            arguments,
        })
    }

    /// Whether to serve it twice does no harm.
    pub(super) fn is_safe(&self) -> bool {
        matches!(self.kind, Kind::Request { .. }) && self.method != CallToolRequest::METHOD
    }

    /// Adds the headers that repeat what a stateless message says (2026-07-28, "Streamable HTTP",
    /// section "Request Metadata").
    pub(super) fn mirror(&self, annotations: &Annotations, headers: &mut HeaderMap) {
        insert(headers, HeaderName::from_static("mcp-method"), &self.method);
        let Some(name) = &self.name else {
            return;
        };
        insert(headers, HeaderName::from_static("mcp-name"), name);
        if self.method != CallToolRequest::METHOD {
            return;
        }
        for (header, path) in annotations.of(name) {
            let value = path
                .iter()
                .try_fold(self.arguments.as_ref(), |value, key| Some(value?.get(key)));
            if let Some(text) = value.flatten().and_then(text) {
                insert(headers, header.clone(), &text);
            }
        }
    }
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

/// An argument as a header carries it; `None` for what no header can carry.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
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

    #[test]
    fn headers_repeat_what_a_call_says() {
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
            "name": "query",
            "arguments": {"region": "us", "deep": {"rows": 42}, "dry": null},
        }});
        let outgoing = Outgoing::read(line.to_string().into_bytes()).unwrap();
        let mut headers = HeaderMap::new();
        outgoing.mirror(&annotations, &mut headers);
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "query");
        assert_eq!(headers["mcp-param-region"], "us");
        assert_eq!(headers["mcp-param-rows"], "42");
        assert_eq!(headers.len(), 4);
    }
}
