//! The rules of the protocol, without I/O, clocks or tasks.
//!
//! A [`Lifecycle`] is the state of a connection. [`ServerLifecycle`] and [`ClientLifecycle`] decide
//! which messages are allowed in each state. [`Negotiated`] is the outcome of a negotiation, by a
//! handshake or by a stateless request.

mod capabilities;
mod changes;
mod client;
mod decode;
mod extension;
pub(crate) mod form;
mod lifecycle;
mod namespace;
mod negotiation;
mod params;
mod pending;
mod server;
mod strict_json;
#[cfg(all(test, feature = "client", feature = "server"))]
mod tests;

pub use crate::error::LifecycleState;
pub(crate) use capabilities::{
    Requirement, is_missing_capability, method_info, missing_capability, missing_extension,
    not_offered,
};
pub use changes::Change;
pub(crate) use changes::accepted_lists;
pub(crate) use client::ClientLifecycle;
pub(crate) use decode::{invalid_params, locate, misplaced, reason};
pub use extension::ExtensionMethod;
pub(crate) use extension::{OwnMethod, TASKS};
pub(crate) use lifecycle::Lifecycle;
pub(crate) use namespace::{Namespace, PAGE_KEYS};
pub use negotiation::Negotiated;
pub(crate) use negotiation::{
    LastNegotiated, RESOURCE_NOT_FOUND, resource_not_found, structured_content_is_object,
};
pub(crate) use params::{ParamHeader, RequestParams};
pub(crate) use pending::Pending;
pub use pending::Timeouts;
pub(crate) use server::{Admission, NamedRevision, ServerLifecycle, ServerRules, era_of_request};
pub(crate) use strict_json::StrictJson;
