//! Asking by hand.

use std::fmt;

use mcp_types::jsonrpc::code;
use mcp_types::{ErrorObject, InputRequest, OrderedMap, RawJson, Root};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::common::Ask;
use super::{AskError, Asking, Elicited, Sampled, elicit, roots};

/// Questions that a handler puts together by itself, instead of waiting for their answers.
///
/// [`Context::require`](crate::Context::require) ends the call with them. When the client has
/// answered, the handler runs again and finds the answers in
/// [`Context::answers`](crate::Context::answers), under the same keys.
#[derive(Clone, Debug, Default)]
pub struct InputRequired {
    pub(super) questions: Vec<(String, Result<InputRequest, String>)>,
    pub(super) note: Option<String>,
    pub(super) by_error: bool,
}

/// Questions that were put together by hand, ready to be asked.
pub(super) struct Wanted {
    pub(super) questions: OrderedMap<InputRequest>,
    pub(super) note: Option<String>,
    /// Whether clients of the handshake era get an error that names web pages, instead of requests.
    pub(super) by_error: bool,
}

impl InputRequired {
    /// No questions yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a question under `key`.
    #[must_use]
    pub fn ask(mut self, key: impl Into<String>, question: impl Ask) -> Self {
        let question = question.question();
        let request = question
            .map(|question| question.request)
            .map_err(|error| error.to_string());
        self.questions.push((key.into(), request));
        self
    }

    /// Does not wait for the user: where the questions are web pages, clients of the handshake era
    /// get an error that names them, and call again when the user has been there (2025-11-25,
    /// "Elicitation", section URL Elicitation Required Error). In the stateless era nobody waits
    /// anyhow.
    #[must_use]
    pub fn by_error(mut self) -> Self {
        self.by_error = true;
        self
    }

    /// The questions by name, and what else is to be known.
    ///
    /// # Errors
    ///
    /// When one of the questions can't be asked.
    pub(super) fn into_wanted(self) -> Result<Wanted, ErrorObject> {
        let mut questions = OrderedMap::new();
        for (key, request) in self.questions {
            let request = request.map_err(|reason| {
                tracing::error!(key, reason, "a question can't be asked");
                ErrorObject::new(code::INTERNAL_ERROR, format!("`{key}`: {reason}"))
            });
            questions.insert(key, request?);
        }
        Ok(Wanted {
            questions,
            note: self.note,
            by_error: self.by_error,
        })
    }

    /// What the handler wants to know again when it runs the next time, as text.
    ///
    /// The client carries it but can neither read nor change it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// What a handler returns as its error after it has asked by hand; any type of error that it is
/// turned into serves as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked(pub(super) ());

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client is asked for more")
    }
}

impl std::error::Error for Asked {}

impl From<Asked> for ErrorObject {
    fn from(asked: Asked) -> Self {
        Self::new(code::INTERNAL_ERROR, asked.to_string())
    }
}

/// What the client answered to questions that were asked by hand.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    pub(super) asking: Option<&'a Asking>,
}

impl Answers<'_> {
    /// The names of the questions that are answered.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.asking.map(Asking::answered).unwrap_or_default()
    }

    /// How the user answered the form that was asked for under `key`; `None` where there is no
    /// answer yet.
    #[must_use]
    pub fn elicited<T: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
    ) -> Option<Result<Elicited<T>, AskError>> {
        Some(elicit::read_form(&self.raw(key)?))
    }

    /// What the model said to the session that was asked for under `key`.
    #[must_use]
    pub fn sampled(&self, key: &str) -> Option<Result<Sampled, AskError>> {
        Some(Sampled::read(&self.raw(key)?))
    }

    /// The roots that were asked for under `key`.
    #[must_use]
    pub fn roots(&self, key: &str) -> Option<Result<Vec<Root>, AskError>> {
        Some(roots::read(&self.raw(key)?))
    }

    /// The answer that was given under `key`, as the client wrote it.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<RawJson> {
        self.asking?.answer(key)
    }

    /// What the handler noted when it asked.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.asking?.note()
    }
}
