//! The steps between a request and the user's function that tools, prompts and resources share.
//!
//! The module `text` reads the arguments of prompts and the variables of resources, which are
//! strings. The module `run` turns a returned value into a reply, and `error` turns an error into an
//! answer.

mod error;
mod run;
mod text;

pub use error::HandlerError;
pub(super) use error::{ArgumentError, InvalidArguments, downcast, known, to_protocol};
pub(super) use run::{CallRejection, CallResult, Convert, conversions, for_tuples, run};
pub use run::{Json, MaybeAsync, NotAsync, blocking, pending, ready};
pub(super) use text::{Declares, TextCall, Texts};
pub use text::{FromText, RequiredText, Text, TextArgument, TextArguments, argument, optional};
