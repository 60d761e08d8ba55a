//! What stands between a request and the user's function, whatever the function is.
//!
//! A tool's arguments are JSON values and are read by `decode`; the arguments of a prompt and the
//! variables of a resource are texts and are read by `text`. Both find every fault in one pass.

pub(crate) mod arity;
pub(crate) mod decode;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod pass;
pub(crate) mod run;
pub(crate) mod text;
pub(crate) mod tuple;

pub use error::HandlerError;
