//! Questions that are parameters of a function: `#[elicit("…")]`.

use std::fmt;

use mcp_types::{InputRequest, RawJson};

use super::elicit::Mode;
use super::form::ElicitForm;
use super::{Ask, AskAll, AskError, Elicited, Question};
use crate::server::handler::run::{CallResult, Rejection};
use crate::server::{Context, Reply};

/// The type of a parameter under `#[elicit("…")]`, which gets the user's answer.
///
/// A form by itself ([`ElicitForm`]) ends the call with an error if the user declines or dismisses
/// the question; an `Option` of one is `None` then, and an [`Elicited`] tells them apart.
#[diagnostic::on_unimplemented(
    message = "users can't be asked for a `{Self}`",
    label = "is no form",
    note = "a struct or enum is one under `#[derive(Deserialize, JsonSchema, Elicit)]`; text, numbers and `bool` are, and `Option` and `Elicited` of a form may be asked for",
    note = "a type of another crate, such as a date, is a field: put it into such a struct"
)]
pub trait FromElicited: Sized + Send + 'static {
    /// The form that the user fills in.
    type Form: ElicitForm;

    /// Makes the value of the user's answer.
    ///
    /// # Errors
    ///
    /// [`AskError::Declined`] or [`AskError::Cancelled`] if the function can't do without.
    fn from_elicited(answer: Elicited<Self::Form>) -> Result<Self, AskError>;
}

#[diagnostic::do_not_recommend]
impl<T: ElicitForm> FromElicited for T {
    type Form = T;

    fn from_elicited(answer: Elicited<T>) -> Result<Self, AskError> {
        answer.accepted()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ElicitForm> FromElicited for Option<T> {
    type Form = T;

    fn from_elicited(answer: Elicited<T>) -> Result<Self, AskError> {
        Ok(answer.accepted().ok())
    }
}

#[diagnostic::do_not_recommend]
impl<T: ElicitForm> FromElicited for Elicited<T> {
    type Form = T;

    fn from_elicited(answer: Elicited<T>) -> Result<Self, AskError> {
        Ok(answer)
    }
}

/// The kind of a question that is a parameter.
pub struct ParameterRequest<T> {
    mode: Mode,
    read: fn(&Mode, &RawJson) -> Result<T, AskError>,
    /// The value if it is not asked.
    unasked: Option<fn() -> T>,
}

impl<T: Send + 'static> Ask for ParameterRequest<T> {
    type Answer = T;

    fn request(&self) -> Result<InputRequest, AskError> {
        self.mode.request()
    }

    fn read(&self, answer: &RawJson) -> Result<T, AskError> {
        (self.read)(&self.mode, answer)
    }

    fn unasked(&self) -> Option<T> {
        self.unasked.map(|value| value())
    }
}

/// The question of the parameter called `name`, which also names the field if the form has only one.
pub fn question<T: FromElicited>(
    cx: &Context,
    name: &'static str,
    message: fmt::Arguments<'_>,
) -> Question<ParameterRequest<T>> {
    let parameter = ParameterRequest {
        mode: Mode::typed::<T::Form>(message.to_string(), name),
        read: |mode, answer| T::from_elicited(mode.outcome(answer)?),
        unasked: None,
    };
    Question::new(cx, parameter)
}

/// [`question`], which is asked only if its condition holds.
pub fn question_if<T: FromElicited>(
    holds: bool,
    cx: &Context,
    name: &'static str,
    message: fmt::Arguments<'_>,
) -> Question<ParameterRequest<Option<T>>> {
    let parameter = ParameterRequest {
        mode: Mode::typed::<T::Form>(message.to_string(), name),
        read: |mode, answer| T::from_elicited(mode.outcome(answer)?).map(Some),
        unasked: (!holds).then_some(|| None),
    };
    Question::new(cx, parameter)
}

/// The questions of a function, and how it is entered with the answers.
pub struct ParameterQuestions<Q, F> {
    /// A tuple of questions.
    pub questions: Q,
    /// Enters the function.
    pub enter: F,
}

/// The reply of a function that is entered when all questions of the call `cx` are answered.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn ask<Q, R, F>(
    cx: &Context,
    asked: impl Future<Output = ParameterQuestions<Q, F>> + Send + 'static,
) -> Result<Reply<R>, Rejection>
where
    Q: AskAll + Send + 'static,
    R: CallResult,
    F: FnOnce(Q::Answers) -> Result<Reply<R>, Rejection> + Send + 'static,
{
    let link = cx.detachable().filter(|link| link.begin_asking()).cloned();
    Ok(Reply::Pending(Box::pin(async move {
        let ParameterQuestions { questions, enter } = asked.await;
        let reply = match questions.ask_all().await {
            Ok(answers) => {
                if let Some(link) = link {
                    link.enter().await;
                }
                enter(answers)
            }
            Err(error) => Err(Rejection::Unanswered(error)),
        };
        match reply {
            Ok(Reply::Ready(result)) => result,
            Ok(Reply::Pending(future)) => future.await,
            Err(rejection) => R::rejected(rejection),
        }
    })))
}
