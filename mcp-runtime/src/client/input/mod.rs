//! Answers to a server's questions: elicitation, sampling and roots.
//!
//! In revisions with a handshake the server sends them as requests, in stateless ones it returns an
//! `InputRequiredResult` and the call is sent again with the answers.

mod elicit;
mod handlers;

pub use elicit::{ElicitReply, Form, Page};
pub use handlers::Roots;
pub(super) use handlers::{InputHandlers, InputResponses};
