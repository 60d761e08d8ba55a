//! Why a question has no answer.

use std::any::Any;

use mcp_types::ErrorObject;
use mcp_types::jsonrpc::code;

use crate::ProtocolError;
use crate::error::CallError;
use crate::protocol::Lacking;

/// Why a question to the client has no answer that the handler can use.
///
/// With `?` it ends the call: the model that called a tool reads why, except where the client has
/// to declare a capability first, which is an error of the protocol.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The user said no.
    #[error("the user declined to answer")]
    Declined,
    /// The user dismissed the question without saying anything.
    #[error("the user dismissed the question")]
    Cancelled,
    /// The client did not declare that it can be asked such a thing. Nothing was sent.
    #[error("the client does not support `{capability}`")]
    Unsupported {
        /// The capability that it would have to declare, such as `elicitation.url`.
        capability: &'static str,
        /// What the call is answered with where it can't go on without.
        error: ProtocolError,
    },
    /// The question is none that the protocol allows: this server's fault. Nothing was sent.
    #[error("this can't be asked: {0}")]
    Question(String),
    /// The answer does not fit the question: the client's fault.
    #[error("the client's answer does not fit: {0}")]
    Answer(String),
    /// The client answered with an error, did not answer in time, or is gone.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A value that is to be kept for later has no JSON form: this server's fault.
    #[error("the value can't be kept: {0}")]
    Value(#[source] serde_json::Error),
    /// The call goes on elsewhere: the client was told what is asked, and its answer starts the
    /// handler anew. Only seen outside of the handler's own future, which ends before.
    #[error("the call is suspended until the client has answered")]
    Suspended,
}

impl AskError {
    pub(super) fn unsupported(lacking: &Lacking) -> Self {
        Self::Unsupported {
            capability: lacking.capability,
            error: lacking.refusal().to_error(),
        }
    }

    /// The error to answer with where `error` is one of the client's capabilities.
    pub(in crate::server) fn refusal(error: &dyn Any) -> Option<ProtocolError> {
        match error.downcast_ref()? {
            Self::Unsupported { error, .. } => Some(error.clone()),
            _ => None,
        }
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
