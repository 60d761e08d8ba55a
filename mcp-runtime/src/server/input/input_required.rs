//! Questions that a handler returns to its caller instead of awaiting them.

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, RawJson, Root};

use super::state::Questions;
use super::{
    Ask, AskError, ElicitForm, Elicited, InputState, Question, RootsRequest, Sampled, elicit,
};
use crate::error::RequestError;

/// Questions that a handler returns to its caller instead of awaiting them.
///
/// [`Context::require`](crate::Context::require) ends the call with the questions. When the client
/// has answered, the handler runs again and finds the answers under the same keys in
/// [`Context::answers`](crate::Context::answers).
#[derive(Clone, Debug, Default)]
pub struct InputRequired(Questions);

impl InputRequired {
    /// Creates a value without questions.
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

    /// In the handshake era, answers the call with an error that lists the web pages to visit,
    /// instead of sending requests.
    ///
    /// The client calls again when the user is done (2025-11-25, "Elicitation", section URL
    /// Elicitation Required Error). All questions must be web pages. This has no effect in the
    /// stateless era.
    #[must_use]
    pub fn by_error(mut self) -> Self {
        self.0.by_error = true;
        self
    }

    pub(in crate::server) fn require(self, input: &InputState) -> Asked {
        input.require(self.0);
        Asked(())
    }

    /// Sets a string for the next run of the handler, which gets it from [`Answers::note`].
    ///
    /// The note travels through the client, but the client can neither read nor change it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.note = Some(note.into());
        self
    }
}

/// The error that a handler returns after [`Context::require`](crate::Context::require). The
/// handler's error type can be any type that it converts into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client must provide more input")]
pub struct Asked(());

impl From<Asked> for ErrorObject {
    fn from(asked: Asked) -> Self {
        Self::new(code::INTERNAL_ERROR, asked.to_string())
    }
}

/// The client's answers to the questions of an [`InputRequired`].
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    input: Option<&'a InputState>,
}

impl<'a> Answers<'a> {
    pub(in crate::server) fn of(input: Option<&'a InputState>) -> Self {
        Self { input }
    }

    /// Returns the keys of the answered questions.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.input.map(InputState::answered).unwrap_or_default()
    }

    /// Returns the user's answer to the form with this key, or `None` if it was not answered yet.
    #[must_use]
    pub fn elicited<T: ElicitForm>(&self, key: &str) -> Option<Result<Elicited<T>, AskError>> {
        Some(elicit::read_form(&self.raw(key)?))
    }

    /// Returns the model's answer to the conversation with this key.
    #[must_use]
    #[deprecated(
        note = "sampling is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                call the API of a model provider"
    )]
    pub fn sampled(&self, key: &str) -> Option<Result<Sampled, AskError>> {
        Some(Sampled::read(&self.raw(key)?))
    }

    /// Returns the roots that were requested with this key.
    #[must_use]
    #[deprecated(
        note = "roots are deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                use arguments, resource URIs or the configuration of the server"
    )]
    pub fn roots(&self, key: &str) -> Option<Result<Vec<Root>, AskError>> {
        Some(RootsRequest::read(&self.raw(key)?))
    }

    /// Returns the answer with this key as the client sent it.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<RawJson> {
        self.input?.answer(key)
    }

    /// Returns the [note](InputRequired::note) of the run that asked.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.input?.note()
    }
}
