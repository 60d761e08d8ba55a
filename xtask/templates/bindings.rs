// The root of the file that `cargo xtask bindings` prints: imports, the modules of `mcp-types` that
// generated code may need, and whole messages. Unused imports and modules are left out.

//! Types of the Model Context Protocol, revision {revision}.
//!
//! This file stands alone: as a module of a crate of edition 2021 or 2024 that depends on `serde`
//! with `derive`, `serde_json` with `raw_value` (and `float_roundtrip`, if long fractions matter),
//! and `indexmap` with `serde`.
//!
//! `new` takes the fields that a struct must have; the others are set by name, as in
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

/// A method that is answered.
///
/// Implemented by one marker type for each request of the protocol, which has no values.
pub trait Request {
    /// The value of `method`.
    const METHOD: &'static str;
    /// Whether the message may lack `params`.
    const PARAMS_OPTIONAL: bool;
    /// Whether the answer may be an `InputRequiredResult` instead of [`Request::Result`].
    const MAY_REQUIRE_INPUT: bool;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned;
    /// The type of the answer's `result`.
    type Result: Serialize + DeserializeOwned;
}

/// A method that is not answered.
///
/// Implemented by one marker type for each notification of the protocol, which has no values.
pub trait Notification {
    /// The value of `method`.
    const METHOD: &'static str;
    /// Whether the message may lack `params`.
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

/// A request as a whole message. `P` is the type of its parameters, such as
/// [`CallToolRequestParams`]; [`RawJson`] keeps those of any method.
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
    /// A request of the method `R`.
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

/// A notification as a whole message. `P` is the type of its parameters.
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
    /// A notification of the method `N`.
    pub fn new<N: Notification<Params = P>>(params: impl Into<Option<P>>) -> Self {
        Self {
            jsonrpc: JsonRpcVersion::V2,
            method: N::METHOD.to_owned(),
            params: params.into(),
        }
    }
}

/// A response with a result, as a whole message. `R` is the type of the result, such as
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

/// A response with an error, as a whole message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonRpcErrorResponse {
    /// The version of JSON-RPC.
    pub jsonrpc: JsonRpcVersion,
    /// The id of the request; absent where it could not be read.
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
        /// The members that tell messages apart.
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
