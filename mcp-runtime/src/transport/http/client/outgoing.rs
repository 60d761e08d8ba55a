//! Messages to send, with everything that their HTTP requests need, such as the arguments of tools
//! that headers repeat (2026-07-28, "Streamable HTTP", section "Custom Headers from Tool
//! Parameters").

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{Frame, Head, Message};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    Notification, RawJsonRef, ReadResourceRequest, Request, RequestId, Revision, integer_digits,
};
use serde_json::Value;

use crate::error::CallError;
use crate::layer::BoxError;
use crate::limits::MAX_PARAM_HEADER_BYTES;
use crate::protocol::{ExtensionMethod, ParamHeader, RequestParams, StrictJson};
use crate::transport::http::headers::{
    BASE64_PREFIX, BASE64_SUFFIX, METHOD, NAME, PROTOCOL_VERSION,
};

#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) line: String,
    /// Empty for a response.
    pub(super) method: String,
    pub(super) id: Option<RequestId>,
    pub(super) cancels: Option<RequestId>,
    /// The headers of a stateless message (2026-07-28, "Streamable HTTP", section "Request
    /// Metadata"); empty for other messages.
    pub(super) headers: HeaderMap,
}

/// When a message may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resend {
    /// If the server has not processed it, as with calls of tools and extension methods.
    Unprocessed,
    /// Even if a gateway has failed, as with requests without side effects.
    Safe,
    /// Even if the connection was lost, as with notifications and responses, whose duplicates are
    /// ignored.
    Lost,
}

impl Outgoing {
    /// Parses one line.
    ///
    /// # Errors
    ///
    /// If the line is not a message, or a member that a header repeats can't be read or sent. The
    /// error contains the id of a request.
    pub(super) fn read(
        line: Vec<u8>,
        param_headers: &ParamHeaders,
    ) -> Result<Self, (Option<RequestId>, CallError)> {
        let line = String::from_utf8(line).map_err(|error| (None, not_sent(error)))?;
        let frame = Frame::parse(line.as_bytes());
        let (id, method, params) = match frame.map_err(|error| (None, not_sent(error)))? {
            Frame::Single(Message::Request { id, method, params }) => (Some(id), method, params),
            Frame::Single(Message::Notification { method, params }) => (None, method, params),
            Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. })
            | Frame::Batch(_) => (None, "".into(), None),
        };
        let headers = match headers(&method, params, param_headers) {
            Ok(headers) => headers,
            Err(reason) => return Err((id, not_sent(reason))),
        };
        let cancels = params.filter(|_| method == CancelledNotification::METHOD);
        let cancels = cancels.and_then(|raw| raw.parse::<CancelledNotificationParams>().ok());
        Ok(Self {
            method: method.into_owned(),
            id,
            cancels: cancels.and_then(|params| params.request_id),
            headers,
            line,
        })
    }

    pub(super) fn is_stateless(&self) -> bool {
        !self.headers.is_empty()
    }

    pub(super) fn resend(&self) -> Resend {
        match &self.id {
            None => Resend::Lost,
            // It is unknown whether serving an extension's method twice does harm.
            Some(_)
                if self.method == CallToolRequest::METHOD
                    || Revision::method(&self.method).is_none() =>
            {
                Resend::Unprocessed
            }
            Some(_) => Resend::Safe,
        }
    }

    /// Returns true if `message` is the answer to this request, even if it is malformed.
    pub(super) fn is_answered_by(&self, message: &[u8]) -> bool {
        let Head { id, has_method, .. } = Head::read(message);
        let ids = id.as_ref().zip(self.id.as_ref()).filter(|_| !has_method);
        ids.is_some_and(|(id, own)| match id {
            RequestId::Number(_) => id == own,
            // A number that comes back as a string is recognized, so that the request fails instead
            // of waiting.
            RequestId::String(id) => **id == *own.to_string(),
        })
    }

    pub(super) fn malformed(&self, reason: String) -> CallError {
        CallError::Malformed {
            method: self.method.clone(),
            reason,
        }
    }
}

fn not_sent(reason: impl Into<BoxError>) -> CallError {
    CallError::NotSent(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

/// Returns the headers that repeat members of a stateless message.
///
/// # Errors
///
/// If a member can't be read, or can't be sent in a header. The error names its path and the
/// reason.
fn headers(
    method: &str,
    params: Option<RawJsonRef<'_>>,
    param_headers: &ParamHeaders,
) -> Result<HeaderMap, BoxError> {
    let mut headers = HeaderMap::new();
    let params = RequestParams::read(params)?;
    let Some(version) = params.meta.protocol_version else {
        return Ok(headers);
    };
    let mut insert = |name: &str, text: &str| {
        let value = HeaderValue::try_from(&*encode(text))?;
        headers.insert(HeaderName::try_from(name)?, value);
        Ok::<_, BoxError>(())
    };
    insert(PROTOCOL_VERSION.as_str(), &version.parse::<Cow<'_, str>>()?)?;
    insert(METHOD.as_str(), method)?;
    let name = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name()?,
        ReadResourceRequest::METHOD => params.uri()?,
        _ => match param_headers.named_by(method, &params) {
            Some(name) => name,
            None => return Ok(headers),
        },
    };
    insert(NAME.as_str(), &name)?;
    if method == CallToolRequest::METHOD
        && let Some(annotated) = param_headers.tools.get(&*name)
    {
        let arguments = params
            .shared
            .arguments
            .unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments")?;
        for param in annotated {
            if let Some(text) = text(param, &arguments)? {
                insert(&param.name, &text)?;
            }
        }
    }
    Ok(headers)
}

/// The annotated arguments of the tools that a server has listed, up to [`MAX_PARAM_HEADER_BYTES`].
/// For tools beyond this limit, the server's error makes the client list them again (2026-07-28,
/// "Streamable HTTP", section "Client Behavior").
#[derive(Debug, Default)]
pub(super) struct ParamHeaders {
    /// The annotated arguments of each tool that has any.
    tools: HashMap<String, Vec<ParamHeader>>,
    /// The number of bytes in the names in `tools`.
    bytes: usize,
    methods: Vec<ExtensionMethod>,
}

impl ParamHeaders {
    pub(super) fn with_methods(methods: Vec<ExtensionMethod>) -> Self {
        Self {
            methods,
            ..Self::default()
        }
    }

    /// Returns the parameter that `Mcp-Name` repeats in a request for an extension's method; `None`
    /// if it is absent or not a string, which is left for the server to judge.
    fn named_by<'a>(&self, method: &str, params: &RequestParams<'a>) -> Option<Cow<'a, str>> {
        let method = self.methods.iter().find(|it| it.name() == method)?;
        params.raw?.member(method.parameter()?)?.parse().ok()
    }

    /// Reads the annotations in the answer to `tools/list`, and removes tools whose annotations are
    /// invalid.
    ///
    /// # Errors
    ///
    /// If the list can't be read.
    pub(super) fn read_list(&mut self, message: Vec<u8>) -> serde_json::Result<Vec<u8>> {
        let annotation = memchr::memmem::find(&message, ParamHeader::ANNOTATION.as_bytes());
        if annotation.is_none() && self.tools.is_empty() {
            return Ok(message);
        }
        let mut list = serde_json::from_slice::<Value>(&message)?;
        let tools = list.pointer_mut("/result/tools");
        let Some(tools) = tools.and_then(Value::as_array_mut) else {
            return Ok(message);
        };
        let before = tools.len();
        tools.retain(|tool| {
            let name = tool["name"].as_str().unwrap_or_default();
            match annotated_params(&tool["inputSchema"]) {
                Ok(params) => {
                    self.set(name, params);
                    true
                }
                Err(reason) => {
                    crate::log::warn!(
                        tool = name,
                        reason,
                        "a tool with invalid headers was dropped"
                    );
                    false
                }
            }
        });
        if tools.len() == before {
            return Ok(message);
        }
        serde_json::to_vec(&list)
    }

    /// Replaces the annotated arguments of a tool. When there are too many, the arguments of other
    /// tools are dropped.
    fn set(&mut self, tool: &str, params: Vec<ParamHeader>) {
        if let Some(before) = self.tools.remove(tool) {
            self.bytes -= size(tool, &before);
        }
        let size = size(tool, &params);
        if params.is_empty() || size > MAX_PARAM_HEADER_BYTES {
            return;
        }
        if self.bytes + size > MAX_PARAM_HEADER_BYTES {
            crate::log::warn!(
                "the server lists too many tools with headers: earlier ones are forgotten"
            );
            self.tools.clear();
            self.bytes = 0;
        }
        self.bytes += size;
        self.tools.insert(tool.to_owned(), params);
    }
}

/// The number of bytes in the names of a tool and of its annotated arguments.
fn size(tool: &str, params: &[ParamHeader]) -> usize {
    let of_param = |param: &ParamHeader| {
        let path: usize = param.path.iter().map(String::len).sum();
        param.name.len() + path
    };
    tool.len() + params.iter().map(of_param).sum::<usize>()
}

/// Returns the value of an argument for a header; `None` if the argument is absent.
///
/// # Errors
///
/// If the argument is a list or an object.
fn text<'a>(
    param: &ParamHeader,
    arguments: &StrictJson<'a>,
) -> Result<Option<Cow<'a, str>>, String> {
    Ok(Some(match arguments.get(&param.path) {
        None | Some(StrictJson::Null) => return Ok(None),
        Some(StrictJson::String(text)) => text.clone(),
        Some(StrictJson::Bool(flag)) => flag.to_string().into(),
        Some(StrictJson::Number(number)) => integer_digits(number).unwrap_or(Cow::Borrowed(number)),
        Some(StrictJson::Array(_) | StrictJson::Object(_)) => {
            let path = param.path.join(".");
            let name = &param.name;
            return Err(format!(
                "`params.arguments.{path}` is a list or an object, which can't be sent in the \
                 header `{name}`"
            ));
        }
    }))
}

/// Encodes a string as the value of a header: unchanged if it is plain, else in Base64 (2026-07-28,
/// "Streamable HTTP", section "Value Encoding").
fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text;
    let looks_encoded = text.starts_with(BASE64_PREFIX) && text.ends_with(BASE64_SUFFIX);
    if plain && !looks_encoded {
        Cow::Borrowed(text)
    } else {
        let encoded = STANDARD.encode(text);
        Cow::Owned(format!("{BASE64_PREFIX}{encoded}{BASE64_SUFFIX}"))
    }
}

/// Returns the annotated parameters of a schema.
///
/// # Errors
///
/// The reason why an annotation, and therefore the tool, is invalid.
fn annotated_params(schema: &Value) -> Result<Vec<ParamHeader>, &'static str> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for (path, property) in ParamHeader::annotated(schema) {
        let kind = property["type"].as_str();
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Err("only strings, integers and booleans can be sent in headers");
        }
        let param = ParamHeader::of_property(path, property);
        let param = param.ok_or("an annotation is not a valid header name")?;
        if !seen.insert(param.name.clone()) {
            return Err("two arguments have the same header");
        }
        found.push(param);
    }
    // Quotes within a string are escaped, so every match is a member.
    let annotation = format!("\"{}\":\"", ParamHeader::ANNOTATION);
    if found.len() == schema.to_string().matches(&annotation).count() {
        Ok(found)
    } else {
        Err("an annotation is in a place that does not describe an argument")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the headers for a call of a tool with annotated arguments.
    fn headers(arguments: &str) -> Result<HeaderMap, String> {
        let mut param_headers = ParamHeaders::default();
        let list = json!({"result": {"tools": [{"name": "query", "inputSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "deep": {"type": "object", "properties": {
                    "rows": {"type": "integer", "x-mcp-header": "Rows"},
                }},
                "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            },
        }}]}});
        let list = list.to_string().into_bytes();
        assert_eq!(param_headers.read_list(list.clone()).unwrap(), list);
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
            "name": "query",
            "arguments": "ARGUMENTS",
        }});
        let line = line.to_string().replace("\"ARGUMENTS\"", arguments);
        let outgoing = Outgoing::read(line.into_bytes(), &param_headers);
        outgoing
            .map(|outgoing| outgoing.headers)
            .map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn headers_repeat_what_a_call_says() {
        let headers = headers(r#"{"region": "us", "deep": {"rows": 4.2e1}, "dry": null}"#).unwrap();
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "query");
        assert_eq!(headers["mcp-param-region"], "us");
        assert_eq!(headers["mcp-param-rows"], "42");
        assert_eq!(headers.len(), 5);
        for arguments in ["{}", r#"{"deep": 7}"#, r#"{"region": null}"#] {
            let headers = super::tests::headers(arguments).unwrap();
            assert_eq!(headers.len(), 3, "{arguments}");
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

    fn is_valid(properties: &Value) -> bool {
        annotated_params(&json!({"type": "object", "properties": properties})).is_ok()
    }

    #[test]
    fn annotations_of_primitive_arguments_are_valid() {
        assert!(is_valid(&json!({
            "a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": "object", "properties": {
                "c": {"type": "integer", "x-mcp-header": "C"},
            }},
        })));
        assert!(is_valid(&json!({})));
    }

    #[test]
    fn other_annotations_make_a_tool_invalid() {
        for property in [
            json!({"type": "string", "x-mcp-header": ""}),
            json!({"type": "string", "x-mcp-header": 7}),
            json!({"type": "string", "x-mcp-header": "a b"}),
            json!({"type": "string", "x-mcp-header": "a:b"}),
            json!({"type": "string", "x-mcp-header": "ä"}),
            json!({"type": "string", "x-mcp-header": "a\nb"}),
            json!({"type": "number", "x-mcp-header": "A"}),
            json!({"type": "object", "x-mcp-header": "A"}),
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
            json!({"anyOf": [{"type": "string", "x-mcp-header": "A"}]}),
        ] {
            assert!(!is_valid(&json!({"x": property})), "{property}");
        }
        assert!(!is_valid(&json!({
            "a": {"type": "string", "x-mcp-header": "Same"},
            "b": {"type": "string", "x-mcp-header": "SAME"},
        })));
    }

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
            assert_eq!(encode(text), expected, "{text:?}");
        }
    }
}
