//! The message types of the Model Context Protocol, one model for five revisions.
//!
//! [`jsonrpc`] reads and writes the envelope; [`Revision`] names what the peers agreed on.
//! Nothing here does I/O, and the only dependencies are `serde` and `serde_json`.

pub mod jsonrpc;
mod meta;
mod raw;
mod revision;

pub use jsonrpc::{ErrorObject, ProgressToken, RequestId};
pub use meta::RequestMetaRef;
pub use raw::RawJson;
pub use revision::{Era, Revision, UnknownRevision};
