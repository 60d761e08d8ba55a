//! Asking the user.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::time::Duration;

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitSchema, InputRequest, RawJson, RawJsonRef,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::common::{Ask, answer, private};
use super::question::Question;
use super::{AskError, form};
use crate::connection::BoxFuture;
use crate::server::Context;

/// A question to the user; await it to ask.
///
/// Made by [`Context::elicit`] and [`Context::elicit_url`].
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct Elicit<T> {
    cx: Context,
    what: What,
    key: Option<String>,
    timeout: Option<Duration>,
    read: PhantomData<fn() -> T>,
}

#[derive(Clone, Debug)]
enum What {
    Form {
        message: String,
        schema: Option<Box<ElicitSchema>>,
    },
    Page {
        message: String,
        url: String,
        id: Option<String>,
    },
}

/// How a user answered (2026-07-28, "Elicitation", section Response Actions). Awaiting a question gives
/// what was filled in, or an error; `outcome` tells these three apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user agreed, and filled this in.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user dismissed the question without saying anything.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What was filled in.
    ///
    /// # Errors
    ///
    /// [`AskError::Declined`] or [`AskError::Cancelled`], for `?`.
    pub fn accepted(self) -> Result<T, AskError> {
        match self {
            Self::Accepted(value) => Ok(value),
            Self::Declined => Err(AskError::Declined),
            Self::Cancelled => Err(AskError::Cancelled),
        }
    }
}

impl<T> Elicit<T> {
    fn new(cx: Context, what: What) -> Self {
        Self {
            cx,
            what,
            key: None,
            timeout: None,
            read: PhantomData,
        }
    }

    pub(super) fn form(cx: Context, message: String) -> Self {
        let schema = None;
        Self::new(cx, What::Form { message, schema })
    }

    /// Names the question, for clients that look at the names; without, one is made of what the
    /// question says. Travels in the stateless era only.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How long the user may take, where the call waits for the answer (handshake era); else as
    /// long as the server says ([`ServerBuilder::patience`](crate::ServerBuilder::patience)).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The form, where it is not the one that `T` makes: for forms that are known only at run time.
    /// What was filled in is then read as a whole, such as into a map.
    pub fn schema(mut self, form: ElicitSchema) -> Self {
        if let What::Form { schema, .. } = &mut self.what {
            *schema = Some(Box::new(form));
        }
        self
    }

    /// Waits for what the user decided, so that declining and dismissing are no errors.
    pub fn outcome(self) -> Outcome<T> {
        Outcome(self)
    }
}

impl Elicit<()> {
    pub(super) fn page(cx: Context, message: String, url: String) -> Self {
        let id = None;
        Self::new(cx, What::Page { message, url, id })
    }

    /// The id of the interaction, by which
    /// [`Context::elicitation_complete`](crate::Context::elicitation_complete) tells the client
    /// that it is over (2025-11-25); without, a unique one is made up.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        if let What::Page { id: known, .. } = &mut self.what {
            *known = Some(id.into());
        }
        self
    }
}

/// A question to the user that is answered with an [`Elicited`]; await it to ask.
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct Outcome<T>(Elicit<T>);

impl<T: DeserializeOwned + JsonSchema> Elicit<T> {
    fn read_outcome(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        match &self.what {
            What::Form { schema, .. } => match schema {
                None => read_form(answer),
                Some(schema) => read(answer, |content| form::read_as(content, schema)),
            },
            What::Page { .. } => read(answer, |_| serde_json::from_str("null").map_err(misfit)),
        }
    }
}

/// How the user answered a form.
pub(super) fn read_form<T: DeserializeOwned + JsonSchema>(
    answer: &RawJson,
) -> Result<Elicited<T>, AskError> {
    read(answer, form::read::<T>)
}

fn read<T>(
    answer: &RawJson,
    content: impl FnOnce(Option<&RawJson>) -> Result<T, AskError>,
) -> Result<Elicited<T>, AskError> {
    let members = answer.as_raw().members().map_err(misfit)?;
    let member = |name| members.iter().find(|(known, _)| known == name);
    let member = |name| member(name).map(|(_, value)| *value);
    let (Some(action), filled) = (member("action"), member("content")) else {
        return Err(AskError::Answer("missing field `action`".to_owned()));
    };
    let filled = filled.map_or(Ok(None), RawJsonRef::parse).map_err(misfit)?;
    match action.parse().map_err(misfit)? {
        ElicitAction::Accept => content(filled.as_ref()).map(Elicited::Accepted),
        ElicitAction::Decline => Ok(Elicited::Declined),
        ElicitAction::Cancel => Ok(Elicited::Cancelled),
        other => {
            let reason = format!("unknown action `{}`", other.as_str());
            Err(AskError::Answer(reason))
        }
    }
}

fn misfit(error: serde_json::Error) -> AskError {
    AskError::Answer(error.to_string())
}

impl<T> private::Sealed for Elicit<T> {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Ask for Elicit<T> {
    type Answer = T;

    fn question(&self) -> Result<Question, AskError> {
        let params: ElicitRequestParams = match &self.what {
            What::Form { message, schema } => {
                let schema = match schema {
                    Some(schema) => (**schema).clone(),
                    None => form::in_order::<T>()?,
                };
                ElicitRequestFormParams::new(message, schema).into()
            }
            What::Page { message, url, id } => {
                let id = id.clone().unwrap_or_else(super::id::unique);
                ElicitRequestUrlParams::new(message, url)
                    .with_elicitation_id(id)
                    .into()
            }
        };
        Ok(Question {
            key: self.key.clone(),
            timeout: self.timeout,
            ..Question::new(InputRequest::Elicit(params))
        })
    }

    fn read(&self, answer: &RawJson) -> Result<T, AskError> {
        self.read_outcome(answer)?.accepted()
    }
}

impl<T> private::Sealed for Outcome<T> {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Ask for Outcome<T> {
    type Answer = Elicited<T>;

    fn question(&self) -> Result<Question, AskError> {
        self.0.question()
    }

    fn read(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        self.0.read_outcome(answer)
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> IntoFuture for Elicit<T> {
    type Output = Result<T, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let cx = self.cx.clone();
        answer(self, cx)
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> IntoFuture for Outcome<T> {
    type Output = Result<Elicited<T>, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let cx = self.0.cx.clone();
        answer(self, cx)
    }
}
