//! Elicitation: asking the user.

use std::hash::{BuildHasher, RandomState};
use std::marker::PhantomData;

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitSchema, ElicitationCompleteNotification, ElicitationCompleteNotificationParams,
    InputRequest, RawJson, Side, methods,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Ask, AskError, Question, form};
use crate::error::CallError;
use crate::server::{Context, ServerBuilder};

/// A question to the user; await it to ask.
///
/// Made by [`Context::elicit`] and [`Context::elicit_url`].
pub type Elicitation<T> = Question<ElicitationRequest<T>>;

/// The kind of [`Elicitation`].
#[derive(Clone, Debug)]
pub struct ElicitationRequest<T> {
    mode: Mode,
    read: PhantomData<fn() -> T>,
}

#[derive(Clone, Debug)]
enum Mode {
    Form {
        message: String,
        schema: Option<Box<ElicitSchema>>,
    },
    Url(Box<ElicitRequestUrlParams>),
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
    fn of(cx: &Context, mode: Mode) -> Self {
        let read = PhantomData;
        Self::new(cx, ElicitationRequest { mode, read })
    }

    /// Replaces the form of `T` by one that is known only at run time. `T` is then decoded from the
    /// whole content, and may be a map.
    pub fn schema(mut self, form: ElicitSchema) -> Self {
        if let Mode::Form { schema, .. } = &mut self.kind.mode {
            *schema = Some(Box::new(form));
        }
        self
    }

    /// A question to which declining and dismissing are answers, and no errors.
    pub fn outcome(self) -> Outcome<T> {
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

/// A question to the user whose answer is an [`Elicited`]; await it to ask.
pub type Outcome<T> = Question<ElicitationOutcome<T>>;

/// The kind of [`Outcome`].
#[derive(Clone, Debug)]
pub struct ElicitationOutcome<T>(ElicitationRequest<T>);

/// The user's answer to the form of `T`.
pub(super) fn read_form<T: DeserializeOwned + JsonSchema>(
    answer: &RawJson,
) -> Result<Elicited<T>, AskError> {
    read(answer, form::read::<T>)
}

fn read<T>(
    answer: &RawJson,
    content: impl FnOnce(Option<&RawJson>) -> Result<T, AskError>,
) -> Result<Elicited<T>, AskError> {
    #[derive(Deserialize)]
    struct Reply {
        action: ElicitAction,
        content: Option<RawJson>,
    }

    let reply: Reply = answer.parse().map_err(AskError::misfit)?;
    match reply.action {
        ElicitAction::Accept => content(reply.content.as_ref()).map(Elicited::Accepted),
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

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Ask for ElicitationRequest<T> {
    type Answer = T;

    fn request(&self) -> Result<InputRequest, AskError> {
        let params: ElicitRequestParams = match &self.mode {
            Mode::Form { message, schema } => {
                let schema = match schema {
                    Some(schema) => (**schema).clone(),
                    None => form::in_order::<T>()?,
                };
                ElicitRequestFormParams::new(message, schema).into()
            }
            Mode::Url(params) => (**params).clone().into(),
        };
        Ok(InputRequest::Elicit(params))
    }

    fn read(&self, answer: &RawJson) -> Result<T, AskError> {
        self.read_outcome(answer)?.accepted()
    }
}

impl<T: DeserializeOwned + JsonSchema> ElicitationRequest<T> {
    fn read_outcome(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        match &self.mode {
            Mode::Form { schema: None, .. } => read_form(answer),
            Mode::Form {
                schema: Some(schema),
                ..
            } => read(answer, |content| form::read_as(content, schema)),
            Mode::Url(_) => read(answer, |_| {
                serde_json::from_str("null").map_err(AskError::misfit)
            }),
        }
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Ask for ElicitationOutcome<T> {
    type Answer = Elicited<T>;

    fn request(&self) -> Result<InputRequest, AskError> {
        self.0.request()
    }

    fn read(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        self.0.read_outcome(answer)
    }
}

impl Context {
    /// Asks the user to fill in a form with the fields of `T`, which
    /// [`JsonSchema`](schemars::JsonSchema) describes.
    ///
    /// Await it for the answer. In the handshake era the handler waits. In the stateless era the
    /// call is answered with the question, the handler is dropped, and it runs again from its
    /// beginning when the client retries: then this returns the answer at once. Side effects that
    /// must not be repeated belong into [`once`](Self::once).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     /// Destination of the trip.
    ///     city: String,
    ///     /// Number of nights.
    ///     #[schemars(range(min = 1, max = 30))]
    ///     nights: u8,
    /// }
    ///
    /// struct Agency;
    ///
    /// #[mcp_server]
    /// impl Agency {
    ///     /// Books a trip.
    ///     #[tool]
    ///     async fn book(&self, cx: &Context) -> Result<String, ToolError> {
    ///         let trip: Trip = cx.elicit("Where do you want to go?").await?;
    ///         Ok(format!("{} nights in {}", trip.nights, trip.city))
    ///     }
    /// }
    /// ```
    ///
    /// The fields are in the order of the struct. A form is flat: text, numbers, `bool`, enums
    /// without values, lists of such enums, and `Option`s of these. Titles, bounds, formats and
    /// defaults come from the attributes of schemars; the titles of an enum's choices from
    /// `#[schemars(title = "…")]` or their doc comments. A type that is itself a field, such as
    /// `bool`, makes a form of one field. A type that is no form fails when it is asked for, or
    /// earlier with [`#[derive(Elicit)]`](derive@crate::Elicit) or
    /// [`ServerBuilder::form`](crate::ServerBuilder::form). Follows 2026-07-28, "Elicitation".
    pub fn elicit<T>(&self, message: impl Into<String>) -> Elicitation<T> {
        let (message, schema) = (message.into(), None);
        Elicitation::of(self, Mode::Form { message, schema })
    }

    /// Asks the user to open a web page, for data that the client must not see: passwords,
    /// payments, permissions. Accepting means that the user is willing, not that it is done.
    ///
    /// For clients that declared `elicitation.url`, from 2025-11-25 on.
    pub fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Elicitation<()> {
        let params = ElicitRequestUrlParams::new(message, url).with_elicitation_id(unique_id());
        Elicitation::of(self, Mode::Url(Box::new(params)))
    }

    /// Notifies the client that the interaction on a web page with this [id](Elicitation::id) is done,
    /// in revisions that have the notification. Over HTTP it is sent with the answer to this call,
    /// so only before the call ends.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), CallError> {
        let method = methods::NOTIFICATIONS_ELICITATION_COMPLETE;
        if !self.revision().allows(method, Side::Server) {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        self.peer()
            .notify::<ElicitationCompleteNotification>(Some(&params))
    }
}

impl ServerBuilder {
    /// Checks that the protocol has a form for `T`, so that a mistake shows when the server is
    /// built and not at a call of [`Context::elicit`](crate::Context::elicit).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     city: String,
    /// }
    ///
    /// let mut server = mcp_runtime::Server::builder();
    /// server.form::<Trip>()?;
    /// assert!(server.form::<Vec<Trip>>().is_err());
    /// # Ok::<_, AskError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AskError::Question`] with the field that no form can have.
    pub fn form<T: JsonSchema>(&mut self) -> Result<&mut Self, AskError> {
        form::schema::<T>()?;
        Ok(self)
    }
}
