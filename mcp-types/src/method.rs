//! Traits that connect methods to the types of their parameters and results.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Conform;

/// A request, which expects a response.
///
/// The trait is implemented by an uninhabited marker type for each request of the protocol.
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
    /// True if some revision allows the request without `params`.
    const PARAMS_OPTIONAL: bool;
    /// True if the result may be an [`InputRequiredResult`](crate::InputRequiredResult) instead of
    /// [`Request::Result`], in the stateless era.
    const MAY_REQUIRE_INPUT: bool;
    /// The extension that the method belongs to, such as `com.example/clock`; `None` for methods of
    /// the protocol itself.
    const EXTENSION: Option<&'static str> = None;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Conform + Send;
    /// The type of `result` in the response.
    type Result: Serialize + DeserializeOwned + Conform + Send;
}

/// A notification, which has no response.
///
/// The trait is implemented by an uninhabited marker type for each notification of the protocol.
pub trait Notification {
    /// The value of `method`.
    const METHOD: &'static str;
    /// True if some revision allows the notification without `params`.
    const PARAMS_OPTIONAL: bool;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Conform + Send;
}
