//! A message on its way out: what the headers have to say of it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    InitializeRequest, InitializedNotification, ListToolsRequest, Notification, RawJsonRef,
    ReadResourceRequest, Request, RequestId, RequestMetaRef, integer_digits,
};
use serde::Deserialize;

use super::annotations::{Annotations, Param};
use crate::protocol::{StrictJson, StrictValue};

/// A message on its way out.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) line: String,
    pub(super) kind: Kind,
    pub(super) method: String,
    /// The version that a stateless request names.
    pub(super) version: Option<String>,
    /// The name or URI that the request is about.
    name: Option<String>,
}

/// What kind of message it is.
#[derive(Debug)]
pub(super) enum Kind {
    Request {
        id: RequestId,
        initializes: bool,
        lists_tools: bool,
    },
    Cancelled(RequestId),
    Initialized,
    Notification,
    Response,
}

/// A message that can't be sent over HTTP.
#[derive(Debug)]
pub(super) struct Unsendable {
    /// The id, if it is a request.
    pub(super) id: Option<RequestId>,
    pub(super) reason: String,
}

/// What is repeated in headers. Everything is taken raw first, as most of it is of no use.
#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<RequestMetaRef<'a>>,
    #[serde(borrow)]
    name: Option<RawJsonRef<'a>>,
    #[serde(borrow)]
    uri: Option<RawJsonRef<'a>>,
}

impl Outgoing {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// If it is no message, or what has to be repeated in headers can't be read.
    pub(super) fn read(line: Vec<u8>) -> Result<Self, Unsendable> {
        let unsendable = |reason: String| Unsendable { id: None, reason };
        let line = String::from_utf8(line).map_err(|error| unsendable(error.to_string()))?;
        let frame = Frame::parse(line.as_bytes());
        let (kind, method, params) = match frame.map_err(|error| unsendable(error.to_string()))? {
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
            | Frame::Batch(_) => (Kind::Response, String::new(), None),
        };
        let unsendable = |path: &str, fault: serde_json::Error| Unsendable {
            id: match &kind {
                Kind::Request { id, .. } => Some(id.clone()),
                _ => None,
            },
            reason: format!("`{path}` can't be read: {fault}"),
        };
        let params = params.map(|raw| serde_json::from_str::<Params<'_>>(raw.get()));
        let params = params.transpose();
        let params = params
            .map_err(|fault| unsendable("params", fault))?
            .unwrap_or_default();
        let text = |path: &str, raw: Option<RawJsonRef<'_>>| {
            let text = raw.map(|raw| serde_json::from_str::<Option<String>>(raw.get()));
            let text = text.transpose().map_err(|fault| unsendable(path, fault))?;
            Ok::<_, Unsendable>(text.flatten())
        };
        let version = params.meta.and_then(|meta| meta.protocol_version);
        let version = text("params._meta.protocolVersion", version)?;
        let name = match &*method {
            CallToolRequest::METHOD | GetPromptRequest::METHOD => text("params.name", params.name)?,
            ReadResourceRequest::METHOD => text("params.uri", params.uri)?,
            _ => None,
        };
        Ok(Self {
            line,
            kind,
            method,
            version,
            name,
        })
    }

    /// Whether to serve it twice does no harm.
    pub(super) fn is_safe(&self) -> bool {
        matches!(self.kind, Kind::Request { .. }) && self.method != CallToolRequest::METHOD
    }

    /// Whether it is sent again when nobody knows whether it has arrived: notifications and
    /// responses that come twice are ignored. Requests are repeated by whoever made them.
    pub(super) fn is_repeated(&self) -> bool {
        !matches!(self.kind, Kind::Request { .. })
    }

    /// Adds the headers that repeat what a stateless message says (2026-07-28, "Streamable HTTP",
    /// section "Request Metadata").
    ///
    /// # Errors
    ///
    /// If a header that is required has no value that can be sent.
    pub(super) fn mirror(
        &self,
        annotations: &Annotations,
        headers: &mut HeaderMap,
    ) -> Result<(), String> {
        insert(headers, HeaderName::from_static("mcp-method"), &self.method)?;
        let Some(name) = &self.name else {
            return Ok(());
        };
        insert(headers, HeaderName::from_static("mcp-name"), name)?;
        let annotated = annotations.of(name);
        if self.method == CallToolRequest::METHOD && !annotated.is_empty() {
            headers.extend(param_headers(&self.line, annotated)?);
        }
        Ok(())
    }
}

/// The headers that repeat arguments of the call in `line`.
///
/// # Errors
///
/// With the path of an argument that can't be read, or that no header can carry.
fn param_headers(line: &str, annotated: &[Param]) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let Ok(Frame::Single(Message::Request { params, .. })) = Frame::parse(line.as_bytes()) else {
        return Ok(headers);
    };
    let arguments = params.and_then(|params| params.member("arguments"));
    let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
    let arguments = StrictJson::read(arguments.get(), "params.arguments");
    let arguments = arguments.map_err(|refusal| refusal.to_string())?;
    for (header, path) in annotated {
        let text = match arguments.get(path) {
            None | Some(StrictValue::Null) => continue,
            Some(StrictValue::String(text)) => Cow::Borrowed(&**text),
            Some(StrictValue::Bool(flag)) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Some(StrictValue::Number(number)) => {
                integer_digits(number).unwrap_or(Cow::Borrowed(number))
            }
            Some(StrictValue::Array(_) | StrictValue::Object(_)) => {
                return Err(format!(
                    "`params.arguments.{}` is a list or an object, which can't be sent in the \
                     header `{header}`",
                    path.join(".")
                ));
            }
        };
        insert(&mut headers, header.clone(), &text)?;
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
        CancelledNotification::METHOD => cancelled().map_or(Kind::Notification, Kind::Cancelled),
        _ => Kind::Notification,
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) -> Result<(), String> {
    let value = HeaderValue::try_from(&*encoded(text));
    let value = value.map_err(|_| format!("the header `{name}` has no value that can be sent"))?;
    headers.insert(name, value);
    Ok(())
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
    fn headers(arguments: &str) -> Result<HeaderMap, String> {
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
        let outgoing = Outgoing::read(line.into_bytes()).unwrap();
        let mut headers = HeaderMap::new();
        let mirrored = outgoing.mirror(&annotations, &mut headers);
        mirrored.map(|()| headers)
    }

    #[test]
    fn headers_repeat_what_a_call_says() {
        let headers = headers(r#"{"region": "us", "deep": {"rows": 4.2e1}, "dry": null}"#).unwrap();
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "query");
        assert_eq!(headers["mcp-param-region"], "us");
        assert_eq!(headers["mcp-param-rows"], "42");
        assert_eq!(headers.len(), 4);
        for arguments in ["{}", r#"{"deep": 7}"#, r#"{"region": null}"#] {
            assert_eq!(
                super::tests::headers(arguments).unwrap().len(),
                2,
                "{arguments}"
            );
        }
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
            let reason = headers(arguments).unwrap_err();
            assert!(reason.contains(path), "{reason}");
        }
    }
}
