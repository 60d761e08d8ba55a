//! The rules of the protocol, without I/O, clock or tasks.
//!
//! [`ServerLifecycle`] decides what a message means in the state that a connection is in;
//! [`Negotiated`] is what was agreed on, by handshake or by the request itself; a [`RequestError`] is a
//! message that is not served, with the error to answer it with.

#[cfg(feature = "server")]
mod asking;
#[cfg(feature = "client")]
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "only proxies ask a stateless server anew")
)]
mod client;
#[cfg(all(test, feature = "client"))]
mod client_table;
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "servers alone read parameters one by one")
)]
mod decode;
pub(crate) mod era_errors;
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) mod form;
#[cfg(feature = "http-server")]
mod http;
#[cfg(feature = "server")]
mod known;
mod methods;
#[cfg(feature = "server")]
mod negotiate;
mod negotiated;
#[cfg(feature = "client")]
mod negotiated_client;
#[cfg(feature = "server")]
mod negotiated_server;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "servers alone read the annotations of their tools here"
    )
)]
mod param_header;
#[cfg(feature = "server")]
mod params;
mod pending;
mod place;
#[cfg(feature = "server")]
mod requirement;
#[cfg(feature = "server")]
mod server;
#[cfg(all(test, feature = "server"))]
mod server_table;
mod state;
#[cfg_attr(
    not(feature = "http-server"),
    allow(
        dead_code,
        reason = "arguments are compared with headers only over HTTP"
    )
)]
mod strict_json;
#[cfg(feature = "server")]
mod structured;
#[cfg(all(test, any(feature = "client", feature = "server")))]
mod tables;
#[cfg(all(test, feature = "client", feature = "server"))]
mod tests;

#[cfg(feature = "server")]
pub(crate) use asking::Lacking;
#[cfg(feature = "client")]
pub(crate) use client::ClientLifecycle;
pub(crate) use decode::decode_params;
#[cfg(feature = "server")]
pub(crate) use decode::invalid_params;
#[cfg(feature = "http-server")]
pub(crate) use http::{admit_stateless, is_stateless_only};
#[cfg(feature = "server")]
pub(crate) use known::OwnMethods;
pub(crate) use methods::not_offered;
pub use negotiated::Negotiated;
#[cfg(feature = "http-server")]
pub(crate) use negotiated_server::LastNegotiated;
pub(crate) use param_header::ParamHeader;
#[cfg(feature = "server")]
pub(crate) use params::RequestParams;
pub(crate) use pending::Pending;
pub use pending::Timeouts;
#[cfg(feature = "server")]
pub(crate) use place::locate;
#[cfg(feature = "server")]
pub(crate) use requirement::{Requirement, tree};
#[cfg(feature = "server")]
pub(crate) use server::{Admission, ServerLifecycle};
pub use state::LifecycleState;
pub(crate) use strict_json::StrictJson;
#[cfg(feature = "server")]
pub(crate) use structured::structured_content_is_object;
