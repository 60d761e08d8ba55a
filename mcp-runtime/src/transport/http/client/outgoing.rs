//! A message to send, with all that its HTTP request depends on.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message};
use mcp_types::{
    CallToolRequest, CancelledNotification, CancelledNotificationParams, GetPromptRequest,
    Notification, RawJsonRef, ReadResourceRequest, Request, RequestId, RequestMetaRef,
    RequestParamsRef,
};

use super::param_headers::{ParamHeaders, encode};
use crate::error::CallError;
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
    /// The version in the `_meta` of a stateless request.
    version: Option<String>,
    /// The name or URI that the request is about.
    name: Option<String>,
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

/// A message that can't be sent over HTTP.
#[derive(Debug)]
pub(super) struct Unsendable {
    /// The id of a request.
    pub(super) id: Option<RequestId>,
    pub(super) error: CallError,
}

impl Outgoing {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// If it is no message, or a member for a header can't be read.
    pub(super) fn read(line: Vec<u8>) -> Result<Self, Unsendable> {
        let unsendable = |id, reason: String| Unsendable {
            id,
            error: not_sent(reason),
        };
        let line = String::from_utf8(line).map_err(|error| unsendable(None, error.to_string()))?;
        let frame = Frame::parse(line.as_bytes());
        let frame = frame.map_err(|error| unsendable(None, error.to_string()))?;
        let (id, method, params) = match frame {
            Frame::Single(Message::Request { id, method, params }) => (Some(id), method, params),
            Frame::Single(Message::Notification { method, params }) => (None, method, params),
            Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. })
            | Frame::Batch(_) => (None, "".into(), None),
        };
        let method = method.into_owned();
        let (version, name) =
            mirrored(&method, params).map_err(|reason| unsendable(id.clone(), reason))?;
        let cancels = match &*method {
            CancelledNotification::METHOD => params.and_then(cancelled),
            _ => None,
        };
        Ok(Self {
            line,
            method,
            id,
            cancels,
            version,
            name,
        })
    }

    pub(super) fn is_stateless(&self) -> bool {
        self.version.is_some()
    }

    pub(super) fn resend(&self) -> Resend {
        match &self.id {
            None => Resend::Lost,
            Some(_) if self.method == CallToolRequest::METHOD => Resend::Unprocessed,
            Some(_) => Resend::Safe,
        }
    }

    /// Adds the headers of a stateless message (2026-07-28, "Streamable HTTP", section "Request
    /// Metadata").
    ///
    /// # Errors
    ///
    /// If a header has no value that can be sent.
    pub(super) fn add_headers(
        &self,
        param_headers: &ParamHeaders,
        headers: &mut HeaderMap,
    ) -> Result<(), CallError> {
        let mut insert = |name: &HeaderName, text: &str| {
            let value = HeaderValue::try_from(text).map_err(|_| {
                not_sent(format!("the header `{name}` has no value that can be sent"))
            })?;
            headers.insert(name, value);
            Ok::<_, CallError>(())
        };
        insert(
            &PROTOCOL_VERSION,
            self.version.as_deref().unwrap_or_default(),
        )?;
        insert(&METHOD, &encode(&self.method))?;
        let Some(name) = &self.name else {
            return Ok(());
        };
        insert(&NAME, &encode(name))?;
        if self.method == CallToolRequest::METHOD {
            let values = param_headers.values(name, &self.line).map_err(not_sent)?;
            for (header, value) in values {
                insert(&header, &encode(&value))?;
            }
        }
        Ok(())
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
fn not_sent(reason: String) -> CallError {
    let invalid = std::io::ErrorKind::InvalidInput;
    CallError::NotSent(std::io::Error::new(invalid, reason))
}

/// Reads the version and the name that headers repeat.
///
/// # Errors
///
/// The path of a member that can't be read, and why.
fn mirrored(
    method: &str,
    params: Option<RawJsonRef<'_>>,
) -> Result<(Option<String>, Option<String>), String> {
    let unreadable =
        |path: &str, error: serde_json::Error| format!("`{path}` can't be read: {error}");
    let params = params.unwrap_or(RawJsonRef::empty_object());
    let params: RequestParamsRef<'_> =
        serde_json::from_str(params.get()).map_err(|error| unreadable("params", error))?;
    let text = |path: &str, raw: Option<RawJsonRef<'_>>| {
        let text = raw.map_or(Ok(None), |raw| serde_json::from_str(raw.get()));
        text.map_err(|error| unreadable(path, error))
    };
    let meta = params.meta.map(|raw| serde_json::from_str(raw.get()));
    let meta: Option<RequestMetaRef<'_>> = meta
        .transpose()
        .map_err(|error| unreadable("params._meta", error))?;
    let version = meta.and_then(|meta| meta.protocol_version);
    let version = text("params._meta.protocolVersion", version)?;
    let name = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => text("params.name", params.name)?,
        ReadResourceRequest::METHOD => text("params.uri", params.uri)?,
        _ => None,
    };
    Ok((version, name))
}

fn cancelled(params: RawJsonRef<'_>) -> Option<RequestId> {
    params
        .parse::<CancelledNotificationParams>()
        .ok()?
        .request_id
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
        let outgoing = Outgoing::read(line.into_bytes()).unwrap();
        let mut headers = HeaderMap::new();
        let added = outgoing.add_headers(&param_headers, &mut headers);
        added
            .map(|()| headers)
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
