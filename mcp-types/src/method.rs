//! Types of a method: its parameters and its result.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Conform;

/// A message that is answered.
///
/// Implemented by one marker type for each request of the protocol, which has no values.
///
/// ```
/// use mcp_types::{CallToolRequest, Request};
///
/// fn params_from<R: Request>(json: &str) -> serde_json::Result<R::Params> {
///     serde_json::from_str(json)
/// }
///
/// assert_eq!(CallToolRequest::METHOD, "tools/call");
/// let params = params_from::<CallToolRequest>(r#"{"name":"add"}"#).unwrap();
/// assert_eq!(params.name, "add");
/// ```
pub trait Request {
    /// The value of `method`.
    const METHOD: &'static str;
    /// Whether some revision allows the message without `params`.
    const PARAMS_OPTIONAL: bool;
    /// Whether the answer may be an [`InputRequiredResult`](crate::InputRequiredResult) instead of
    /// [`Request::Result`], in the stateless era.
    const MAY_REQUIRE_INPUT: bool;
    /// The extension that the method is part of, such as `com.example/clock`; `None` for methods of
    /// the protocol itself.
    const EXTENSION: Option<&'static str> = None;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Conform + Send;
    /// The type of the answer's `result`.
    type Result: Serialize + DeserializeOwned + Conform + Send;
}

/// A message that is not answered.
///
/// Implemented by one marker type for each notification of the protocol, which has no values.
pub trait Notification {
    /// The value of `method`.
    const METHOD: &'static str;
    /// Whether some revision allows the message without `params`.
    const PARAMS_OPTIONAL: bool;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Conform + Send;
}
