//! Asking the client from inside a handler: elicitation, sampling and roots, in both eras.
//!
//! In the handshake era a question is a request of its own. In the stateless era the call is
//! answered with an [`InputRequiredResult`], the handler is dropped, and it runs again with the
//! answers when the client retries. `run` does this for the methods whose handlers may ask; `state`
//! holds the questions and answers of one call, and defines what is kept of them between rounds,
//! either `sealed` or, without the feature `seal`, `stored`.
//!
//! [`InputRequiredResult`]: mcp_types::InputRequiredResult

mod ask;
mod elicit;
mod error;
pub(crate) mod form;
pub(crate) mod form_fields;
mod input_required;
pub(crate) mod parameter;
mod run;
mod sample;
#[cfg(feature = "seal")]
mod sealed;
mod state;
#[cfg(any(test, not(feature = "seal")))]
mod stored;

pub use ask::{Ask, AskAll, ListRoots, Question, RootsRequest};
pub use elicit::{Elicitation, ElicitationOutcome, ElicitationRequest, Elicited};
pub use error::AskError;
pub use form::ElicitForm;
pub use form_fields::ElicitField;
pub use input_required::{Answers, Asked, InputRequired};
pub use parameter::FromElicited;
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
