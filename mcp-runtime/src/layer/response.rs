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
/// Errors are not responses, except for the errors of tools ([`is_error`](Self::is_error)).
pub struct McpResponse(McpResponseBody);

pub(crate) enum McpResponseBody {
    /// A result of the server in the form in which it is sent.
    Answer(Answer),
    /// A result of one entry that is not yet converted to the client's revision.
    Typed(Box<dyn TypedResult>),
    /// A result that a layer has made or a client has received.
    Json(RawJson),
    /// A subscription that the server has accepted. The lock only makes the response `Sync`.
    Accepted(Mutex<BoxFuture<Result<Answer, ErrorObject>>>),
}

/// A result that is serialized only when a layer asks for its JSON.
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
    /// Makes a result from the text of a JSON object.
    ///
    /// The text is sent unchanged, except that `resultType` and the server's name in `_meta` are
    /// added where the revision requires them and they are missing.
    ///
    /// # Errors
    ///
    /// When the text is not a JSON object.
    pub fn new(json: impl Into<String>) -> Result<Self, InvalidResponse> {
        Self::from_json(RawJson::from_text(json)?)
    }

    /// Makes a result from a value, such as a [`CallToolResult`](mcp_types::CallToolResult).
    ///
    /// # Errors
    ///
    /// When the value is not serialized as an object, or can't be serialized.
    pub fn of(result: &impl Serialize) -> Result<Self, InvalidResponse> {
        Self::from_json(RawJson::new(result)?)
    }

    fn from_json(json: RawJson) -> Result<Self, InvalidResponse> {
        if json.is_object() {
            Ok(Self(McpResponseBody::Json(json)))
        } else {
            Err(
                <serde_json::Error as serde::de::Error>::custom("it is another kind of value")
                    .into(),
            )
        }
    }

    pub(crate) fn with(body: McpResponseBody) -> Self {
        Self(body)
    }

    pub(crate) fn into_body(self) -> McpResponseBody {
        self.0
    }

    /// Serializes the result as JSON; `None` for an accepted subscription (`subscriptions/listen`),
    /// whose stream begins after all layers.
    ///
    /// # Errors
    ///
    /// When the result can't be serialized.
    pub fn json(&self) -> serde_json::Result<Option<Cow<'_, str>>> {
        Ok(Some(match &self.0 {
            McpResponseBody::Answer(answer) => answer.json()?,
            McpResponseBody::Typed(result) => Cow::Owned(result.json().get().to_owned()),
            McpResponseBody::Json(json) => Cow::Borrowed(json.get()),
            McpResponseBody::Accepted(_) => return Ok(None),
        }))
    }

    /// Returns true if this is the result of a failed tool (`isError`).
    #[must_use]
    pub fn is_error(&self) -> bool {
        match &self.0 {
            McpResponseBody::Answer(answer) => answer.is_error(),
            McpResponseBody::Typed(result) => result.json().is_error(),
            McpResponseBody::Json(json) => json.is_error(),
            McpResponseBody::Accepted(_) => false,
        }
    }

    /// Returns true if the server asks for input instead of answering. The client will repeat the
    /// request (2026-07-28, "Multi Round-Trip Requests").
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
/// A server sends a [`ProtocolError`](crate::ProtocolError) unchanged, and answers
/// [`TooManyRequests`] as that type describes. Any other error is logged and answered as an
/// internal error (-32603) without details.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request was refused because there were too many. The caller may repeat it later.
///
/// The request is answered with the JSON-RPC error -32603, whose `data.retryAfterMs` is the time to
/// wait in milliseconds. If the request is not part of a batch, its HTTP response has the status
/// 429 and a `Retry-After` header (RFC 6585, section 4).
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
    /// Refuses a request that may be repeated after the given time.
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
