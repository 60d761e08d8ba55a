//! Questions to the client, and why one has no answer.

use std::fmt::Write as _;
use std::future::IntoFuture;
use std::time::Duration;

use mcp_types::jsonrpc::code;
use mcp_types::{
    Conform, CreateMessageRequest, ElicitRequest, Era, ErrorObject, InputRequest, ListRootsRequest,
    ListRootsResult, RawJson, Request, Root,
};

use crate::ProtocolError;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::protocol::{Timeouts, missing_capability};
use crate::server::{Context, ServerBuilder};

/// Why a question to the client has no answer that the handler can use.
///
/// With `?` it ends the call: the model that called a tool reads the message, except for a missing
/// capability, which is an error of the protocol.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The user declined.
    #[error("the user declined to answer")]
    Declined,
    /// The user dismissed the question without a choice.
    #[error("the user dismissed the question")]
    Cancelled,
    /// The client did not declare the capability. Nothing was sent.
    #[error("the client does not support `{capability}`")]
    Unsupported {
        /// The missing capability, such as `elicitation.url`.
        capability: &'static str,
        /// The error that the call is answered with if it can't go on without.
        error: ProtocolError,
    },
    /// The protocol does not allow the question: this server's fault. Nothing was sent.
    #[error("this can't be asked: {0}")]
    Question(String),
    /// The answer does not fit the question: the client's fault.
    #[error("the client's answer does not fit: {0}")]
    Answer(String),
    /// The client answered with an error, did not answer in time, or has disconnected.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A value of [`Context::once`] has no JSON form: this server's fault.
    #[error("the value can't be kept: {0}")]
    Value(#[source] serde_json::Error),
    /// The call was answered with the question, and the client's answer starts the handler again.
    /// Only returned outside of the handler's own future, which is dropped before.
    #[error("the call is suspended until the client has answered")]
    Suspended,
}

impl AskError {
    /// The protocol error for a missing capability.
    pub(in crate::server) fn missing_capability(&self) -> Option<ProtocolError> {
        match self {
            Self::Unsupported { error, .. } => Some(error.clone()),
            _ => None,
        }
    }

    pub(super) fn misfit(error: &serde_json::Error) -> Self {
        Self::Answer(error.to_string())
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

/// A question to the client: for the user ([`Elicit`](super::Elicit)), for a language model
/// ([`Sample`](super::Sample)), or for its roots ([`ListRoots`](super::ListRoots)).
pub trait Ask: Send + Sync + 'static {
    /// The type of the answer.
    type Answer: Send + 'static;

    #[doc(hidden)]
    fn context(&self) -> &Context;

    #[doc(hidden)]
    fn question(&self) -> Result<Question, AskError>;

    #[doc(hidden)]
    fn read(&self, answer: &RawJson) -> Result<Self::Answer, AskError>;
}

/// A question as it is sent.
#[derive(Clone, Debug)]
pub struct Question {
    pub(super) request: InputRequest,
    /// The name given by the handler.
    pub(super) key: Option<String>,
    /// The time to wait for the answer, if not that of the server.
    pub(super) timeout: Option<Duration>,
}

impl Question {
    /// The name given by the handler, or else a hash of the question: the same when the handler runs
    /// again and on other machines.
    pub(super) fn name(&self) -> String {
        if let Some(key) = &self.key {
            return key.clone();
        }
        let kind = match &self.request {
            InputRequest::Elicit(_) => "elicit",
            InputRequest::CreateMessage(_) => "sample",
            _ => "roots",
        };
        let mut name = format!("{kind}-");
        let text = RawJson::encode(&self.request);
        let written = write!(name, "{:016x}", fnv(text.get().as_bytes()));
        debug_assert!(written.is_ok(), "a string takes everything");
        name
    }
}

/// The FNV-1a hash in 64 bits. Collisions harm nobody, as all questions are the server's own.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Asks, and waits for the answer.
pub(super) fn answer<A: Ask>(ask: A) -> BoxFuture<Result<A::Answer, AskError>> {
    Box::pin(async move {
        let (cx, question) = (ask.context(), ask.question()?);
        if let Some(capability) = cx.negotiated().missing_capability(&question.request) {
            return Err(AskError::Unsupported {
                capability,
                error: missing_capability(capability, cx.revision()).to_error(),
            });
        }
        let answer = match cx.revision().era() {
            Era::Handshake => {
                let _paused = cx.input().map(|input| input.pause_clock());
                send(cx, question.request, question.timeout).await?
            }
            Era::Stateless => match cx.input() {
                Some(input) => input.answer_to(question, cx.revision()).await?,
                // The call is over, or belongs to a method whose handlers can't ask.
                None => return Err(AskError::Suspended),
            },
        };
        ask.read(&answer)
    })
}

/// Asks by a request, as in the handshake era.
pub(super) async fn send(
    cx: &Context,
    mut request: InputRequest,
    timeout: Option<Duration>,
) -> Result<RawJson, AskError> {
    request.conform(cx.revision());
    let wait = timeout.unwrap_or_else(|| cx.session().server().settings().answer_timeout);
    let timeouts = Timeouts {
        idle: wait,
        total: wait,
        reset_on_progress: false,
    };
    let (method, params) = match &request {
        InputRequest::Elicit(params) => (ElicitRequest::METHOD, RawJson::encode(params)),
        InputRequest::CreateMessage(params) => {
            (CreateMessageRequest::METHOD, RawJson::encode(params))
        }
        InputRequest::ListRoots(params) => {
            let params = params.as_deref().cloned().unwrap_or_default();
            (ListRootsRequest::METHOD, RawJson::encode(&params))
        }
        _ => return Err(AskError::Question("an unknown kind of request".to_owned())),
    };
    Ok(cx.peer().ask(method, &params, timeouts).await?)
}

/// Several questions: a tuple of two to six.
pub trait AskAll {
    /// The answers, as a tuple.
    type Answers;

    #[doc(hidden)]
    fn ask_all(self) -> impl Future<Output = Result<Self::Answers, AskError>> + Send;
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*);)*) => {$(
        impl<$($kind),*> AskAll for ($($kind,)*)
        where
            $($kind: Ask + IntoFuture<
                Output = Result<<$kind as Ask>::Answer, AskError>,
                IntoFuture: Send,
            >,)*
        {
            type Answers = ($($kind::Answer,)*);

            async fn ask_all(self) -> Result<Self::Answers, AskError> {
                let ($($name,)*) = self;
                // All are polled before one is waited for, which makes it one round.
                tokio::try_join!($($name.into_future()),*)
            }
        }
    )*};
}

tuples! {
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
    (A a, B b, C c, D d, E e, F f);
}

impl Context {
    /// Asks several questions in one round: a tuple of two to six, such as
    /// `cx.ask_all((cx.elicit::<Name>("…"), cx.roots()))`.
    ///
    /// # Errors
    ///
    /// The first of the questions that failed; with [`Elicit::outcome`](super::Elicit::outcome) it is
    /// no failure that the user declines.
    pub async fn ask_all<Q: AskAll>(&self, questions: Q) -> Result<Q::Answers, AskError> {
        questions.ask_all().await
    }
}

impl ServerBuilder {
    /// The time that a user has to answer a question of a handler; 10 minutes by default. Then the
    /// handler gets a timeout, and the request to the client is cancelled.
    ///
    /// For clients of the handshake era. In the stateless era no request waits: clients have 10
    /// minutes to retry with their answers.
    pub fn answer_timeout(&mut self, timeout: Duration) -> &mut Self {
        self.settings.answer_timeout = timeout;
        self
    }
}

/// A question for the client's roots; await it to ask. Made by [`Context::roots`].
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct ListRoots {
    cx: Context,
    key: Option<String>,
}

impl ListRoots {
    /// Names the question, see [`Elicit::key`](super::Elicit::key).
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl Ask for ListRoots {
    type Answer = Vec<Root>;

    fn context(&self) -> &Context {
        &self.cx
    }

    fn question(&self) -> Result<Question, AskError> {
        Ok(Question {
            request: InputRequest::ListRoots(None),
            key: self.key.clone(),
            timeout: None,
        })
    }

    fn read(&self, answer: &RawJson) -> Result<Vec<Root>, AskError> {
        read_roots(answer)
    }
}

pub(super) fn read_roots(answer: &RawJson) -> Result<Vec<Root>, AskError> {
    let result = answer.parse().map(|result: ListRootsResult| result.roots);
    result.map_err(|error| AskError::misfit(&error))
}

impl IntoFuture for ListRoots {
    type Output = Result<Vec<Root>, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        answer(self)
    }
}

impl Context {
    /// Asks which folders and files the client wants the server to work on.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Follows 2026-07-28, "Roots", which deprecates it.
    pub fn roots(&self) -> ListRoots {
        ListRoots {
            cx: self.clone(),
            key: None,
        }
    }
}
