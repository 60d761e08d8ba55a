//! A message to send, with all that its HTTP request depends on.

use std::borrow::Cow;
use std::error::Error;
use std::io;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    Notification, RawJsonRef, ReadResourceRequest, Request, RequestId,
};

use super::param_headers::{ParamHeaders, encode, text};
use crate::error::CallError;
use crate::protocol::{RequestParams, StrictJson};
use crate::transport::http::headers::{METHOD, NAME, PROTOCOL_VERSION};

/// A message to send.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) line: String,
    /// Empty for a response.
    pub(super) method: String,
    /// The id of a request.
    pub(super) id: Option<RequestId>,
    /// The request that a notification cancels.
    pub(super) cancels: Option<RequestId>,
    /// The headers of a stateless message (2026-07-28, "Streamable HTTP", section "Request
    /// Metadata"); empty for any other.
    pub(super) headers: HeaderMap,
}

/// Conditions for sending a request again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resend {
    /// The server has not processed it: a call of a tool.
    Unprocessed,
    /// The same, or a gateway has failed: a request without side effects.
    Safe,
    /// The server has not processed it, or its answer was lost: notifications and responses, whose
    /// duplicates are ignored.
    Lost,
}

impl Outgoing {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// If it is no message, or a member for a header can't be read or sent. Has the id of a request.
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
            Some(_) if self.method == CallToolRequest::METHOD => Resend::Unprocessed,
            Some(_) => Resend::Safe,
        }
    }

    /// Whether `message` is the answer to this request, or fails to be it.
    pub(super) fn is_answered_by(&self, message: &[u8]) -> bool {
        let id = match Frame::parse(message) {
            Ok(Frame::Single(
                Message::Response { id, .. } | Message::InvalidResponse { id, .. },
            )) => id,
            Err(InvalidMessage {
                id,
                has_method: false,
                ..
            }) => id,
            _ => None,
        };
        id.is_some_and(|id| self.has_id(&id))
    }

    /// Whether this is the request `id`. A number that came back as a string is recognized, so that
    /// the request fails.
    pub(super) fn has_id(&self, id: &RequestId) -> bool {
        self.id.as_ref().is_some_and(|own| match id {
            RequestId::Number(_) => id == own,
            RequestId::String(id) => **id == *own.to_string(),
        })
    }

    /// The error for an answer that can't be used.
    pub(super) fn malformed(&self, reason: String) -> CallError {
        CallError::Malformed {
            method: self.method.clone(),
            reason,
        }
    }
}

/// The error of a message that has no form for HTTP.
fn not_sent(reason: impl Into<Box<dyn Error + Send + Sync>>) -> CallError {
    CallError::NotSent(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

/// Returns the headers that repeat members of a stateless message.
///
/// # Errors
///
/// The path of a member that can't be read or that no header can repeat, and the reason.
fn headers(
    method: &str,
    params: Option<RawJsonRef<'_>>,
    param_headers: &ParamHeaders,
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let params = RequestParams::read(params).map_err(|error| error.to_string())?;
    let Some(version) = params.meta().protocol_version else {
        return Ok(headers);
    };
    let version: Cow<'_, str> = version
        .parse()
        .map_err(|error| format!("the protocol version can't be read: {error}"))?;
    let mut insert = |name: &str, text: &str| {
        let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
        let value = HeaderValue::try_from(&*encode(text));
        headers.insert(name, value.map_err(|error| error.to_string())?);
        Ok::<_, String>(())
    };
    insert(PROTOCOL_VERSION.as_str(), &version)?;
    insert(METHOD.as_str(), method)?;
    let name = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name(),
        ReadResourceRequest::METHOD => params.uri(),
        _ => return Ok(headers),
    };
    let name = name.map_err(|error| error.to_string())?;
    insert(NAME.as_str(), &name)?;
    if method == CallToolRequest::METHOD && !param_headers.of(&name).is_empty() {
        let arguments = params.raw_arguments().unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments");
        let arguments = arguments.map_err(|error| error.to_string())?;
        for param in param_headers.of(&name) {
            if let Some(text) = text(param, &arguments)? {
                insert(&param.name, &text)?;
            }
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The headers of a call of a tool with annotated arguments.
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
}
