//! Responses as layers see them, and the errors of layers.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use mcp_types::{ErrorObject, RawJson};
use serde::Serialize;

use super::Answer;
use crate::connection::BoxFuture;

/// The error of a [response](McpResponse) that is not a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("a response must be a JSON object: {0}")]
pub struct InvalidResponse(#[from] serde_json::Error);

/// The result of a request, on its way to the caller.
///
/// Errors are no responses, except for those of tools ([`is_error`](Self::is_error)).
pub struct McpResponse(McpResponseBody);

pub(crate) enum McpResponseBody {
    /// The result of a server, as it is sent.
    Answer(Answer),
    /// The result of one entry, not yet as the revision of the client has it.
    Typed(Box<dyn TypedResult>),
    /// What a layer has made, or a client has received.
    Json(RawJson),
    /// The subscription that a server has accepted; behind a lock, so that a response is `Sync`.
    Accepted(Mutex<BoxFuture<Result<Answer, ErrorObject>>>),
}

/// A result that is written only when a layer asks for it.
pub(crate) trait TypedResult: Any + Send + Sync {
    fn json(&self) -> RawJson;

    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Serialize + Send + Sync + 'static> TypedResult for T {
    fn json(&self) -> RawJson {
        RawJson::encode(self)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl McpResponse {
    /// A result of a layer's own: the text of a JSON object.
    ///
    /// It is sent as it is. In revisions that have them, `resultType` and the server's name in
    /// `_meta` are added where they are missing.
    ///
    /// # Errors
    ///
    /// When the text is no JSON object.
    pub fn new(json: impl Into<String>) -> Result<Self, InvalidResponse> {
        Self::from_json(RawJson::from_text(json)?)
    }

    /// The same of a value, such as a [`CallToolResult`](mcp_types::CallToolResult).
    ///
    /// # Errors
    ///
    /// When the value is no object, or has no JSON form.
    pub fn of(result: &impl Serialize) -> Result<Self, InvalidResponse> {
        Self::from_json(RawJson::new(result)?)
    }

    fn from_json(json: RawJson) -> Result<Self, InvalidResponse> {
        if json.is_object() {
            Ok(Self(McpResponseBody::Json(json)))
        } else {
            Err(<serde_json::Error as serde::de::Error>::custom("it is none").into())
        }
    }

    pub(crate) fn with(body: McpResponseBody) -> Self {
        Self(body)
    }

    pub(crate) fn into_body(self) -> McpResponseBody {
        self.0
    }

    /// The result as JSON; `None` for the acceptance of a subscription (`subscriptions/listen`),
    /// whose stream begins after all layers. Written when this is called.
    ///
    /// # Errors
    ///
    /// When the result has no JSON form.
    pub fn json(&self) -> serde_json::Result<Option<Cow<'_, str>>> {
        Ok(Some(match &self.0 {
            McpResponseBody::Answer(answer) => answer.json()?,
            McpResponseBody::Typed(result) => Cow::Owned(result.json().get().to_owned()),
            McpResponseBody::Json(json) => Cow::Borrowed(json.get()),
            McpResponseBody::Accepted(_) => return Ok(None),
        }))
    }

    /// Returns true for the result of a tool that has failed (`isError`).
    #[must_use]
    pub fn is_error(&self) -> bool {
        match &self.0 {
            McpResponseBody::Answer(answer) => answer.is_error(),
            McpResponseBody::Typed(result) => result.json().is_error(),
            McpResponseBody::Json(json) => json.is_error(),
            McpResponseBody::Accepted(_) => false,
        }
    }

    /// Returns true if the server asks for input instead: the client will repeat the request
    /// (2026-07-28, "Multi Round-Trip Requests").
    #[must_use]
    pub fn is_input_required(&self) -> bool {
        match &self.0 {
            McpResponseBody::Answer(answer) => answer.is_input_required(),
            McpResponseBody::Json(json) => json.is_input_required(),
            McpResponseBody::Typed(_) | McpResponseBody::Accepted(_) => false,
        }
    }
}

impl fmt::Debug for McpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            McpResponseBody::Answer(_) => "Answer",
            McpResponseBody::Typed(_) => "Typed",
            McpResponseBody::Json(_) => "Json",
            McpResponseBody::Accepted(_) => "Accepted",
        };
        f.debug_tuple("McpResponse").field(&kind).finish()
    }
}

/// The error of a layer.
///
/// A server answers with a [`ProtocolError`](crate::ProtocolError) as it is, with
/// [`TooManyRequests`] as that describes, and with any other one as an internal error (-32603)
/// without details, whose text is logged.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request was refused, for there were too many; the caller may repeat it after a time.
///
/// Answered with the JSON-RPC error -32603, whose `data.retryAfterMs` is the time in milliseconds.
/// A request that is alone in its HTTP request is answered with the status 429 and `Retry-After` as
/// well (RFC 6585, section 4).
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::layer::{McpRequest, Next, TooManyRequests, from_fn};
///
/// let closed = from_fn(async |_: McpRequest, _: Next| {
///     Err(TooManyRequests::retry_after(Duration::from_secs(3600)).into())
/// });
/// # drop(closed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests: the next one is served in {retry_after:?}")]
pub struct TooManyRequests {
    retry_after: Duration,
}

impl TooManyRequests {
    /// The refusal of a request that may be repeated after a time.
    #[must_use]
    pub const fn retry_after(retry_after: Duration) -> Self {
        Self { retry_after }
    }

    /// The time after which the request may be repeated.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.retry_after
    }
}
