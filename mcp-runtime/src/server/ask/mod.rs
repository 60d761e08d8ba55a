//! Asking the client from inside a handler, in both eras.
//!
//! `elicit`, `sample` and `roots` are what can be asked, `common` what they have in common, and
//! `context` what a handler calls. In the handshake era a question is a request of its own. In the
//! stateless era nothing is sent: `asking` collects the questions of a run, `run` drops the handler
//! once it waits for them and answers the call with [`InputRequiredResult`]; `start` begins the next
//! run with the answers. What a call has to know meanwhile travels as a `state`, which is `sealed`,
//! or is `kept` where the build can't seal. `clock` is the time limit of a call.
//!
//! [`InputRequiredResult`]: mcp_types::InputRequiredResult

mod all;
mod asking;
mod clock;
mod common;
mod context;
mod elicit;
mod error;
mod field;
mod form;
pub(crate) mod form_field;
#[cfg(feature = "client")]
mod forwarded;
mod id;
#[cfg(any(test, not(feature = "seal")))]
mod kept;
#[cfg(feature = "seal")]
mod keys;
mod once;
mod options;
mod order;
mod policy;
mod question;
mod required;
mod roots;
mod run;
mod sample;
#[cfg(feature = "seal")]
mod sealed;
mod start;
mod state;
#[cfg(test)]
mod tests;
mod turns;

pub use all::AskAll;
pub(in crate::server) use asking::Asking;
pub use common::Ask;
pub use elicit::{Elicit, Elicited, Outcome};
pub use error::AskError;
#[cfg(not(feature = "seal"))]
pub(in crate::server) use kept::Store;
pub(in crate::server) use policy::Policy;
pub use required::{Answers, Asked, InputRequired};
pub use roots::ListRoots;
pub(in crate::server) use run::follow;
pub use sample::{IntoConversation, Sample, Sampled};
#[cfg(feature = "seal")]
pub use sealed::StateKey;
#[cfg(feature = "seal")]
pub(in crate::server) use sealed::Store;
pub(in crate::server) use start::Start;
