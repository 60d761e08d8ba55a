// The root of the file that `cargo xtask bindings` prints: imports, the modules of `mcp-types` that
// generated code may need, and whole messages. Unused imports and modules are removed.

//! Types of the Model Context Protocol, revision {revision}.
//!
//! This file is self-contained. Add it as a module to a crate of edition 2021 or 2024 that depends on
//! `serde` with `derive`, `serde_json` with `raw_value` (and `float_roundtrip`, if long fractions
//! matter), and `indexmap` with `serde`.
//!
//! `new` takes the required fields of a struct. Set other fields by name, as in
//! `Tool { title: Some("Add".into()), ..Tool::new(name, schema) }`.

#![allow(dead_code, unused_imports, clippy::all, clippy::pedantic)]

pub use error_object::{ErrorObject, code};
pub use one_or_many::OneOrMany;
pub use raw::{JsonObject, OrderedMap, RawJson, RawJsonRef};
pub use request_id::{ProgressToken, RequestId};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use union::ByField;
use union::ByKey;
use union::Union;
use union::best_match::{self, ByBestMatch, Candidate};
use union::message;
use union::without_place;

mod error_object;
mod number;
mod one_or_many;
mod open_enum;
mod raw;
mod request_id;
mod text;
mod union;

/// A request, which expects a response.
///
/// The trait is implemented by an uninhabited marker type for each request of the protocol.
pub trait Request {
    /// The value of `method`.
    const METHOD: &'static str;
    /// True if `params` are optional.
    const PARAMS_OPTIONAL: bool;
    /// True if the result may be an `InputRequiredResult` instead of [`Request::Result`].
    const MAY_REQUIRE_INPUT: bool;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned;
    /// The type of `result` in the response.
    type Result: Serialize + DeserializeOwned;
}

/// A notification, which has no response.
///
/// The trait is implemented by an uninhabited marker type for each notification of the protocol.
pub trait Notification {
    /// The value of `method`.
    const METHOD: &'static str;
    /// True if `params` are optional.
    const PARAMS_OPTIONAL: bool;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned;
}

/// The value of `jsonrpc` in every message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum JsonRpcVersion {
    /// JSON-RPC 2.0.
    #[default]
    #[serde(rename = "2.0")]
    V2,
}

/// A complete request message. `P` is the type of the parameters, such as
/// [`CallToolRequestParams`]; [`RawJson`] can hold the parameters of any method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonRpcRequest<P = RawJson> {
    /// The version of JSON-RPC.
    pub jsonrpc: JsonRpcVersion,
    /// The id, which the response repeats.
    pub id: RequestId,
    /// The method, such as [`methods::TOOLS_CALL`].
    pub method: String,
    /// The parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<P>,
}

impl<P> JsonRpcRequest<P> {
    /// Creates a request of the method `R`.
    pub fn new<R: Request<Params = P>>(
        id: impl Into<RequestId>,
        params: impl Into<Option<P>>,
    ) -> Self {
        Self {
            jsonrpc: JsonRpcVersion::V2,
            id: id.into(),
            method: R::METHOD.to_owned(),
            params: params.into(),
        }
    }
}

/// A complete notification message. `P` is the type of the parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonRpcNotification<P = RawJson> {
    /// The version of JSON-RPC.
    pub jsonrpc: JsonRpcVersion,
    /// The method, such as [`methods::NOTIFICATIONS_PROGRESS`].
    pub method: String,
    /// The parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<P>,
}

impl<P> JsonRpcNotification<P> {
    /// Creates a notification of the method `N`.
    pub fn new<N: Notification<Params = P>>(params: impl Into<Option<P>>) -> Self {
        Self {
            jsonrpc: JsonRpcVersion::V2,
            method: N::METHOD.to_owned(),
            params: params.into(),
        }
    }
}

/// A complete response message with a result. `R` is the type of the result, such as
/// [`CallToolResult`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonRpcResultResponse<R = RawJson> {
    /// The version of JSON-RPC.
    pub jsonrpc: JsonRpcVersion,
    /// The id of the request.
    pub id: RequestId,
    /// The result.
    pub result: R,
}

impl<R> JsonRpcResultResponse<R> {
    /// The response to the request with that id.
    pub fn new(id: impl Into<RequestId>, result: R) -> Self {
        Self {
            jsonrpc: JsonRpcVersion::V2,
            id: id.into(),
            result,
        }
    }
}

/// A complete response message with an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonRpcErrorResponse {
    /// The version of JSON-RPC.
    pub jsonrpc: JsonRpcVersion,
    /// The id of the request; absent if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// The error.
    pub error: ErrorObject,
}

impl JsonRpcErrorResponse {
    /// The response to the request with that id.
    pub fn new(id: impl Into<Option<RequestId>>, error: ErrorObject) -> Self {
        Self {
            jsonrpc: JsonRpcVersion::V2,
            id: id.into(),
            error,
        }
    }
}

/// Any message.
///
/// The parameters of a request are decoded by its method, with
/// [`ClientRequest::from_parts`], and a result by the method of the request with its id.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JsonRpcMessage {
    /// A request.
    Request(JsonRpcRequest),
    /// A notification.
    Notification(JsonRpcNotification),
    /// A response with a result.
    Result(JsonRpcResultResponse),
    /// A response with an error.
    Error(JsonRpcErrorResponse),
}

impl<'de> Deserialize<'de> for JsonRpcMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members that distinguish messages.
        #[derive(Deserialize)]
        struct Members {
            id: Option<IgnoredAny>,
            method: Option<IgnoredAny>,
            error: Option<IgnoredAny>,
        }

        let json = RawJson::deserialize(deserializer)?;
        let members: Members = json.parse().map_err(without_place)?;
        let message = match (members.method, members.id, members.error) {
            (Some(_), Some(_), _) => json.parse().map(Self::Request),
            (Some(_), None, _) => json.parse().map(Self::Notification),
            (None, _, Some(_)) => json.parse().map(Self::Error),
            (None, _, None) => json.parse().map(Self::Result),
        };
        message.map_err(without_place)
    }
}
