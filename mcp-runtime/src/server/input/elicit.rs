//! Elicitation: asking the user.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitSchema, InputRequest, RawJson,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::form;
use super::{Ask, AskAll, AskError, ElicitForm, Question};
use crate::server::handler::{CallRejection, CallResult};
use crate::server::{Context, Reply};

/// A question to the user. Await it to ask.
///
/// Made by [`Context::elicit`](crate::Context::elicit),
/// [`Context::elicit_schema`](crate::Context::elicit_schema) and
/// [`Context::elicit_url`](crate::Context::elicit_url).
pub type Elicitation<T> = Question<ElicitationRequest<T>>;

/// The kind of [`Elicitation`].
#[derive(Clone, Debug)]
pub struct ElicitationRequest<T> {
    mode: Mode,
    read: fn(&Mode, Option<&RawJson>) -> Result<T, AskError>,
}

#[derive(Clone, Debug)]
enum Mode {
    Form { message: String, form: FormSource },
    Url(Box<ElicitRequestUrlParams>),
}

#[derive(Clone, Debug)]
enum FormSource {
    /// The form of a type. If the type is not a struct, `field` names its only field.
    Typed {
        describe: fn(&str) -> Result<ElicitSchema, AskError>,
        field: Cow<'static, str>,
    },
    /// Known only at run time.
    Given(Box<ElicitSchema>),
}

/// The user's answer (2026-07-28, "Elicitation", section Response Actions).
///
/// It is the answer to a question made by [`Elicitation::outcome`]. Awaiting an [`Elicitation`]
/// itself returns the content, or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user accepted, with this content.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user dismissed the question without a choice.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the content, or an error to pass on with `?`.
    ///
    /// # Errors
    ///
    /// [`AskError::Declined`] or [`AskError::Cancelled`], if the user did not accept.
    pub fn accepted(self) -> Result<T, AskError> {
        match self {
            Self::Accepted(value) => Ok(value),
            Self::Declined => Err(AskError::Declined),
            Self::Cancelled => Err(AskError::Cancelled),
        }
    }
}

impl<T> Elicitation<T> {
    /// Names the only field of a form whose `T` is not a struct but a string, a number, `bool` or a
    /// choice. The default is `answer`. A form of a struct ignores the name.
    ///
    /// ```
    /// # use mcp_runtime::prelude::*;
    /// # async fn age(cx: &Context) -> Result<u8, AskError> {
    /// let age: u8 = cx.elicit("How old are you?").field("age").await?;
    /// # Ok(age)
    /// # }
    /// ```
    pub fn field(mut self, name: impl Into<String>) -> Self {
        if let Mode::Form {
            form: FormSource::Typed { field, .. },
            ..
        } = &mut self.kind.mode
        {
            *field = name.into().into();
        }
        self
    }

    /// Returns the same question with an [`Elicited`] as its answer. Declining and dismissing are
    /// then not errors.
    pub fn outcome(self) -> Question<ElicitationOutcome<T>> {
        Question {
            cx: self.cx,
            kind: ElicitationOutcome(self.kind),
            key: self.key,
            timeout: self.timeout,
        }
    }
}

impl Elicitation<()> {
    /// Sets the id of the interaction, for
    /// [`Context::elicitation_complete`](crate::Context::elicitation_complete) (2025-11-25). By
    /// default, the id is unique.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        if let Mode::Url(params) = &mut self.kind.mode {
            params.elicitation_id = Some(id.into());
        }
        self
    }
}

/// The kind of a question to the user whose answer is an [`Elicited`]; made by
/// [`Elicitation::outcome`].
#[derive(Clone, Debug)]
pub struct ElicitationOutcome<T>(ElicitationRequest<T>);

/// Reads the user's answer to the form of `T`. If the form has only one field, the field may have
/// any name.
pub(super) fn read_form<T: ElicitForm>(answer: &RawJson) -> Result<Elicited<T>, AskError> {
    read(answer, |content| form::read(content, None))
}

fn read<T>(
    answer: &RawJson,
    content: impl FnOnce(Option<&RawJson>) -> Result<T, AskError>,
) -> Result<Elicited<T>, AskError> {
    #[derive(Deserialize)]
    struct Answer {
        action: ElicitAction,
        content: Option<RawJson>,
    }

    let answer: Answer = answer.parse().map_err(AskError::misfit)?;
    match answer.action {
        ElicitAction::Accept => content(answer.content.as_ref()).map(Elicited::Accepted),
        ElicitAction::Decline => Ok(Elicited::Declined),
        ElicitAction::Cancel => Ok(Elicited::Cancelled),
        other => {
            let reason = format!("unknown action `{}`", other.as_str());
            Err(AskError::Answer(reason))
        }
    }
}

/// Returns a random 64-bit id. It is unique for practical purposes, but not a secret.
pub(crate) fn unique_id() -> String {
    // The standard library seeds `RandomState` from the operating system, and each instance
    // differently.
    format!("{:016x}", RandomState::new().hash_one(()))
}

impl Mode {
    /// The form of `T` with `message`. If `T` is not a struct, `field` names its only field.
    fn typed<T: ElicitForm>(message: String, field: &'static str) -> Self {
        let form = FormSource::Typed {
            describe: form::in_order::<T>,
            field: Cow::Borrowed(field),
        };
        Self::Form { message, form }
    }

    fn request(&self) -> Result<InputRequest, AskError> {
        let params: ElicitRequestParams = match self {
            Self::Form { message, form } => {
                let schema = match form {
                    FormSource::Typed { describe, field } => describe(field)?,
                    FormSource::Given(schema) => (**schema).clone(),
                };
                ElicitRequestFormParams::new(message, schema).into()
            }
            Self::Url(params) => (**params).clone().into(),
        };
        Ok(InputRequest::Elicit(params))
    }

    fn outcome<T: ElicitForm>(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        read(answer, |content| self.read_typed(content))
    }

    fn read_typed<T: ElicitForm>(&self, content: Option<&RawJson>) -> Result<T, AskError> {
        let field = match self {
            Self::Form {
                form: FormSource::Typed { field, .. },
                ..
            } => Some(&**field),
            _ => None,
        };
        form::read(content, field)
    }

    fn read_given<T: DeserializeOwned>(&self, content: Option<&RawJson>) -> Result<T, AskError> {
        match self {
            Self::Form {
                form: FormSource::Given(schema),
                ..
            } => form::read_as(content, schema),
            _ => form::decode("null"),
        }
    }
}

impl<T> ElicitationRequest<T> {
    pub(in crate::server) fn form(message: String) -> Self
    where
        T: ElicitForm,
    {
        Self {
            mode: Mode::typed::<T>(message, form::ONLY_FIELD),
            read: Mode::read_typed,
        }
    }

    /// A form that is known only at run time.
    pub(in crate::server) fn schema(message: String, form: ElicitSchema) -> Self
    where
        T: DeserializeOwned,
    {
        let form = FormSource::Given(Box::new(form));
        Self {
            mode: Mode::Form { message, form },
            read: Mode::read_given,
        }
    }

    fn read_outcome(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        read(answer, |content| (self.read)(&self.mode, content))
    }
}

impl ElicitationRequest<()> {
    pub(in crate::server) fn url(message: String, url: String) -> Self {
        let params = ElicitRequestUrlParams::new(message, url).with_elicitation_id(unique_id());
        Self {
            mode: Mode::Url(Box::new(params)),
            read: Mode::read_given,
        }
    }
}

impl<T: Send + 'static> Ask for ElicitationRequest<T> {
    type Answer = T;

    fn request(&self) -> Result<InputRequest, AskError> {
        self.mode.request()
    }

    fn read(&self, answer: &RawJson) -> Result<T, AskError> {
        self.read_outcome(answer)?.accepted()
    }
}

impl<T: Send + 'static> Ask for ElicitationOutcome<T> {
    type Answer = Elicited<T>;

    fn request(&self) -> Result<InputRequest, AskError> {
        self.0.request()
    }

    fn read(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        self.0.read_outcome(answer)
    }
}

/// The type of a parameter with `#[elicit("…")]`, which gets the user's answer.
///
/// The type decides what happens if the user declines or dismisses the question. With an
/// [`ElicitForm`], the call ends with an error. With an `Option` of a form, the value is `None`.
/// With [`Elicited`], the function can tell the two cases apart.
#[diagnostic::on_unimplemented(
    message = "users can't be asked for a `{Self}`",
    label = "is not a form",
    note = "add `#[derive(Deserialize, JsonSchema, Elicit)]` to a struct or enum to make it a form; strings, numbers and `bool` are forms, and `Option` and `Elicited` of a form can be asked for",
    note = "a type of another crate, such as a date, can only be a field: put it into such a struct"
)]
pub trait FromElicited: Sized + Send + 'static {
    /// The form that the user fills in.
    type Form: ElicitForm;

    /// Converts the user's answer.
    ///
    /// # Errors
    ///
    /// [`AskError::Declined`] or [`AskError::Cancelled`] if the type has no value for these
    /// answers.
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

/// The kind of a question that is a parameter of a function.
pub struct ParameterRequest<T> {
    mode: Mode,
    read: fn(&Mode, &RawJson) -> Result<T, AskError>,
    /// Makes the value if the question is not asked.
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

/// Makes the question of the parameter called `name`. If the form has only one field, the field has
/// this name as well.
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

/// Like [`question`], but the question is asked only if its condition holds.
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

/// The questions of a function, and the closure that enters the function with the answers.
pub struct ParameterQuestions<Q, F> {
    /// A tuple of questions.
    pub questions: Q,
    /// Enters the function.
    pub enter: F,
}

/// Returns the reply of a function that is entered once all questions of the call `cx` are
/// answered.
///
/// # Errors
///
/// Never. Macro output returns this value where reading the arguments may fail.
pub fn ask<Q, R, F>(
    cx: &Context,
    asked: impl Future<Output = ParameterQuestions<Q, F>> + Send + 'static,
) -> Result<Reply<R>, CallRejection>
where
    Q: AskAll + Send + 'static,
    R: CallResult,
    F: FnOnce(Q::Answers) -> Result<Reply<R>, CallRejection> + Send + 'static,
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
            Err(error) => Err(CallRejection::Unanswered(error)),
        };
        match reply {
            Ok(Reply::Ready(result)) => result,
            Ok(Reply::Pending(future)) => future.await,
            Err(rejection) => R::rejected(rejection),
        }
    })))
}
