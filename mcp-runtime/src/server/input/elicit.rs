//! Elicitation: asking the user.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitSchema, InputRequest, RawJson,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::form::{self, ElicitForm};
use super::{Ask, AskError, Question};

/// A question to the user; await it to ask.
///
/// Made by [`Context::elicit`](crate::Context::elicit),
/// [`Context::elicit_schema`](crate::Context::elicit_schema) and
/// [`Context::elicit_url`](crate::Context::elicit_url).
pub type Elicitation<T> = Question<ElicitationRequest<T>>;

/// The kind of [`Elicitation`].
#[derive(Clone, Debug)]
pub struct ElicitationRequest<T> {
    mode: Mode,
    /// Reads the content of the answer.
    read: fn(&Mode, Option<&RawJson>) -> Result<T, AskError>,
}

/// What the user is asked for.
#[derive(Clone, Debug)]
pub(super) enum Mode {
    Form { message: String, form: FormSource },
    Url(Box<ElicitRequestUrlParams>),
}

#[derive(Clone, Debug)]
pub(super) enum FormSource {
    /// Of a type; the only field of a type that is no struct is called `field`.
    Typed {
        describe: fn(&str) -> Result<ElicitSchema, AskError>,
        field: Cow<'static, str>,
    },
    /// Known only at run time.
    Given(Box<ElicitSchema>),
}

/// The user's answer (2026-07-28, "Elicitation", section Response Actions), from
/// [`Elicitation::outcome`]. Awaiting a question itself gives the content, or an error.
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
    /// The content.
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

impl<T> Elicitation<T> {
    /// Names the field of a form that has only one, as `T` is no struct: text, a number, `bool` or a
    /// choice. By default it is called `answer`. Other forms have the fields of their struct.
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

    /// A question to which declining and dismissing are answers, and no errors.
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
    /// The id of the interaction, for
    /// [`Context::elicitation_complete`](crate::Context::elicitation_complete) (2025-11-25); unique
    /// by default.
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

/// The user's answer to the form of `T`, whose only field may have any name.
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

/// An id that is unique among all servers, as far as chance allows. No secret.
fn unique_id() -> String {
    // The standard library seeds its hash maps from the operating system, and each one in another way.
    format!("{:016x}", RandomState::new().hash_one(()))
}

impl Mode {
    /// The form of `T` below `message`; its only field, if `T` is no struct, is called `field`.
    pub(super) fn typed<T: ElicitForm>(message: String, field: &'static str) -> Self {
        let form = FormSource::Typed {
            describe: form::in_order::<T>,
            field: Cow::Borrowed(field),
        };
        Self::Form { message, form }
    }

    pub(super) fn request(&self) -> Result<InputRequest, AskError> {
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

    /// The user's answer to the form of `T`.
    pub(super) fn outcome<T: ElicitForm>(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
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
    /// The form of `T`.
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
    /// A web page.
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
