//! Asking the client from inside a handler: elicitation, sampling and roots, in both eras.
//!
//! In the handshake era, a question is a separate request. In the stateless era, the call is
//! answered with an [`InputRequiredResult`], the handler is dropped, and it runs again with the
//! answers when the client retries. `run` implements these rounds for the methods whose handlers
//! may ask. `state` holds the questions and answers of one call. Between rounds, the state of a
//! call is either `sealed` and sent through the client or, without the feature `seal`, `stored` in
//! this process.
//!
//! [`InputRequiredResult`]: mcp_types::InputRequiredResult

mod ask;
pub(crate) mod elicit;
pub(crate) mod form;
pub(crate) mod form_fields;
mod input_required;
mod run;
mod sample;
#[cfg(feature = "seal")]
mod sealed;
mod state;
#[cfg(any(test, not(feature = "seal")))]
mod stored;

use mcp_types::ErrorObject;
use mcp_types::jsonrpc::code;

use crate::ProtocolError;
use crate::error::CallError;
use crate::protocol::is_missing_capability;
pub use ask::{Ask, AskAll, ListRoots, Question, RootsRequest};
pub use elicit::{Elicitation, ElicitationOutcome, ElicitationRequest, Elicited, FromElicited};
pub use form::ElicitForm;
pub use form_fields::ElicitField;
pub use input_required::{Answers, Asked, InputRequired};
pub(in crate::server) use run::{is_retry, may_ask, run};
pub use sample::{IntoConversation, Sample, Sampled, SamplingRequest};
#[cfg(feature = "seal")]
pub(in crate::server) use sealed::RetryStates;
#[cfg(feature = "seal")]
pub use sealed::StateKey;
pub(in crate::server) use state::InputState;
pub use state::KeptInputs;
#[cfg(not(feature = "seal"))]
pub(in crate::server) use stored::RetryStates;

/// The reason why a question to the client has no usable answer.
///
/// With `?`, it ends the call, and the model that called the tool reads the message. A missing
/// capability is answered with a JSON-RPC error instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The user declined.
    #[error("the user declined to answer")]
    Declined,
    /// The user dismissed the question without a choice.
    #[error("the user dismissed the question")]
    Cancelled,
    /// The client did not declare the capability. Nothing was sent.
    #[error("the client does not support `{capability}`")]
    Unsupported {
        /// The missing capability, such as `elicitation.url`.
        capability: &'static str,
        /// The error that answers the call if the handler returns this one.
        error: ProtocolError,
    },
    /// The protocol does not allow the question, which is this server's fault. Nothing was sent.
    #[error("the question can't be asked: {0}")]
    Question(String),
    /// The answer does not fit the question, which is the client's fault.
    #[error("the client's answer does not fit the question: {0}")]
    Answer(String),
    /// The client answered with an error, did not answer in time, or disconnected.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A value of [`Context::once`](crate::Context::once) can't be converted to or from JSON, which
    /// is this server's fault.
    #[error("the value can't be kept: {0}")]
    Value(#[source] serde_json::Error),
    /// The call was answered with the question, and the handler runs again when the client answers.
    /// Only tasks outside of the handler's own future see this error, since that future is dropped.
    #[error("the call is suspended until the client has answered")]
    Suspended,
}

impl AskError {
    pub(in crate::server) fn missing_capability(&self) -> Option<ProtocolError> {
        match self {
            Self::Unsupported { error, .. } => Some(error.clone()),
            // A proxy answers with this error if its caller lacks the capability.
            Self::Call(CallError::Rpc(error)) if is_missing_capability(error) => {
                Some(error.clone())
            }
            _ => None,
        }
    }

    #[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
    fn misfit(error: serde_json::Error) -> Self {
        Self::Answer(error.to_string())
    }
}

impl From<AskError> for ErrorObject {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Unsupported { error, .. } => error,
            other => Self::new(code::INTERNAL_ERROR, other.to_string()),
        }
    }
}
