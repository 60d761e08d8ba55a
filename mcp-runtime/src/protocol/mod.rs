//! The rules of the protocol, without I/O, clock or tasks.
//!
//! [`ServerLifecycle`] decides what a message means in the state that a connection is in;
//! [`Negotiated`] is what was agreed on, by handshake or by the request itself; a [`RequestError`] is a
//! message that is not served, with the error to answer it with.

#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "servers alone require capabilities of clients")
)]
mod capabilities;
#[cfg(feature = "client")]
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "only proxies ask a stateless server anew")
)]
mod client;
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "servers alone read parameters one by one")
)]
mod decode;
pub(crate) mod era_errors;
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) mod form;
#[cfg_attr(
    not(all(feature = "server", feature = "http-server")),
    allow(dead_code, reason = "servers alone know methods of extensions")
)]
mod methods;
#[cfg_attr(
    not(all(feature = "client", feature = "server", feature = "http-server")),
    allow(dead_code, reason = "each side asks some of this, and HTTP more")
)]
mod negotiated;
#[cfg(feature = "server")]
mod negotiation;
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
#[cfg(feature = "server")]
#[cfg_attr(
    not(feature = "http-server"),
    allow(dead_code, reason = "HTTP asks for the era before it has a lifecycle")
)]
mod server;
mod state;
#[cfg_attr(
    not(feature = "http-server"),
    allow(
        dead_code,
        reason = "arguments are compared with headers only over HTTP"
    )
)]
mod strict_json;
#[cfg(all(test, feature = "client", feature = "server"))]
mod tests;

#[cfg(feature = "server")]
pub(crate) use capabilities::{Lacking, Requirement, tree};
#[cfg(feature = "client")]
pub(crate) use client::ClientLifecycle;
pub(crate) use decode::decode_params;
#[cfg(feature = "server")]
pub(crate) use decode::{invalid_params, locate};
#[cfg(feature = "server")]
pub(crate) use methods::OwnMethods;
#[cfg(feature = "http-server")]
pub(crate) use methods::method_info;
pub(crate) use methods::not_offered;
pub use negotiated::Negotiated;
#[cfg(feature = "server")]
pub(crate) use negotiated::structured_content_is_object;
#[cfg(feature = "http-server")]
pub(crate) use negotiation::LastNegotiated;
pub(crate) use param_header::ParamHeader;
#[cfg(feature = "server")]
pub(crate) use params::RequestParams;
pub(crate) use pending::Pending;
pub use pending::Timeouts;
#[cfg(feature = "server")]
pub(crate) use server::{Admission, ServerLifecycle, ServerRules};
#[cfg(feature = "http-server")]
pub(crate) use server::{NamedRevision, era_of_request};
pub use state::LifecycleState;
pub(crate) use strict_json::StrictJson;
