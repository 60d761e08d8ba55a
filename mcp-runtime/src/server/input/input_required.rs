//! Questions that a handler asks by hand, instead of awaiting them.

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, RawJson, Root};

use super::state::Questions;
use super::{
    Ask, AskError, ElicitForm, Elicited, InputState, Question, RootsRequest, Sampled, elicit,
};
use crate::error::RequestError;

/// Questions that a handler asks by hand, instead of awaiting them.
///
/// [`Context::require`](crate::Context::require) ends the call with them. When the client has answered, the handler runs
/// again and finds the answers in [`Context::answers`](crate::Context::answers), under the same keys.
#[derive(Clone, Debug, Default)]
pub struct InputRequired(Questions);

impl InputRequired {
    /// No questions yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a question under `key`.
    #[must_use]
    pub fn ask(mut self, key: impl Into<String>, question: Question<impl Ask>) -> Self {
        let key = key.into();
        match question.kind.request() {
            Ok(request) => drop(self.0.requests.insert(key, request)),
            Err(error) => {
                let reason = error.to_string();
                crate::log::error!(key, reason, "a question can't be asked");
                let error = RequestError::InvalidQuestion { key, reason };
                self.0.error.get_or_insert(error);
            }
        }
        self
    }

    /// Answers clients of the handshake era with an error that names the web pages to visit,
    /// instead of asking them; they call again when the user is done (2025-11-25, "Elicitation",
    /// section URL Elicitation Required Error). All questions have to be web pages. Has no effect
    /// in the stateless era.
    #[must_use]
    pub fn by_error(mut self) -> Self {
        self.0.by_error = true;
        self
    }

    /// Ends the round of `input` with the questions.
    pub(in crate::server) fn require(self, input: &InputState) -> Asked {
        input.require(self.0);
        Asked(())
    }

    /// A text for the next run of the handler, in [`Answers::note`].
    ///
    /// It travels through the client, which can neither read nor change it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.note = Some(note.into());
        self
    }
}

/// The error that a handler returns after [`Context::require`](crate::Context::require); any error type that it converts
/// into will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is asked for more")]
pub struct Asked(());

impl From<Asked> for ErrorObject {
    fn from(asked: Asked) -> Self {
        Self::new(code::INTERNAL_ERROR, asked.to_string())
    }
}

/// The client's answers to questions that were asked by hand.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    input: Option<&'a InputState>,
}

impl<'a> Answers<'a> {
    pub(in crate::server) fn of(input: Option<&'a InputState>) -> Self {
        Self { input }
    }

    /// The names of the questions that are answered.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.input.map(InputState::answered).unwrap_or_default()
    }

    /// The user's answer to the form with this key; `None` if there is none yet.
    #[must_use]
    pub fn elicited<T: ElicitForm>(&self, key: &str) -> Option<Result<Elicited<T>, AskError>> {
        Some(elicit::read_form(&self.raw(key)?))
    }

    /// The model's answer to the conversation with this key.
    #[must_use]
    pub fn sampled(&self, key: &str) -> Option<Result<Sampled, AskError>> {
        Some(Sampled::read(&self.raw(key)?))
    }

    /// The roots, asked for with this key.
    #[must_use]
    pub fn roots(&self, key: &str) -> Option<Result<Vec<Root>, AskError>> {
        Some(RootsRequest::read(&self.raw(key)?))
    }

    /// The answer with this key, as the client sent it.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<RawJson> {
        self.input?.answer(key)
    }

    /// The note of the run that asked.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.input?.note()
    }
}
