//! The steps between a request and the user's function that tools, prompts and resources share.
//!
//! Arguments of prompts and variables of resources are texts and are read by `text`; `run` turns a
//! returned value into a reply, `error` a failure into an answer.

pub(crate) mod error;
pub(crate) mod run;
pub(crate) mod text;

pub use error::HandlerError;
