//! The way of a request: from the decision of the lifecycle to its handler, and from the handler's
//! result to the answer.

mod answer;
mod reply;
mod request;
mod role;
mod router;
mod trace;

pub(crate) use answer::Answer;
pub use reply::Reply;
pub(in crate::server) use request::{OwnedRequest, ServerRequest};
pub(crate) use role::ServerRole;
pub(in crate::server) use router::Router;
