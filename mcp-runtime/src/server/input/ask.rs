//! Questions to the client. In the handshake era a question is sent as a request; in the stateless
//! era it ends the current round of the call.

use std::future::IntoFuture;
use std::time::Duration;

use mcp_types::{
    Conform, CreateMessageRequest, ElicitRequest, Era, InputRequest, ListRootsRequest,
    ListRootsResult, RawJson, Request, Root,
};

use super::state::name;
use super::{AskError, InputState};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::protocol::{Timeouts, missing_capability};
use crate::server::Context;

/// A kind of question to the client: a question to the user ([`Elicitation`](super::Elicitation)),
/// to a language model ([`Sample`](super::Sample)), or for the client's roots
/// ([`ListRoots`](super::ListRoots)).
pub trait Ask: Send + Sync + 'static {
    /// The type of the answer.
    type Answer: Send + 'static;

    #[doc(hidden)]
    fn request(&self) -> Result<InputRequest, AskError>;

    #[doc(hidden)]
    fn read(&self, answer: &RawJson) -> Result<Self::Answer, AskError>;

    /// Returns the answer if the question need not be asked.
    #[doc(hidden)]
    fn unasked(&self) -> Option<Self::Answer> {
        None
    }
}

/// A question to the client. Await it to ask.
///
/// Made by [`Context::elicit`], [`Context::elicit_url`], [`Context::sample`] and
/// [`Context::roots`].
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct Question<K> {
    pub(super) cx: Context,
    pub(in crate::server) kind: K,
    pub(super) key: Option<String>,
    pub(super) timeout: Option<Duration>,
}

impl<K> Question<K> {
    pub(in crate::server) fn new(cx: &Context, kind: K) -> Self {
        Self {
            cx: cx.clone(),
            kind,
            key: None,
            timeout: None,
        }
    }

    /// Names the question. By default, the name is a hash of the question. Only clients of the
    /// stateless era see the name.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the time to wait for the answer in the handshake era. The default is
    /// [`ServerBuilder::input_timeout`](crate::ServerBuilder::input_timeout).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<K: Ask> IntoFuture for Question<K> {
    type Output = Result<K::Answer, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    /// Asks, and waits for the answer.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if let Some(answer) = self.kind.unasked() {
                return Ok(answer);
            }
            let cx = &self.cx;
            let mut request = self.kind.request()?;
            if let Some(capability) = cx.negotiated().missing_capability(&request) {
                return Err(AskError::Unsupported {
                    capability,
                    error: missing_capability(capability, cx.revision()).to_error(),
                });
            }
            request.conform(cx.revision());
            let named = || self.key.unwrap_or_else(|| name(&request));
            let answer = match (cx.revision().era(), cx.input()) {
                (_, Some(input)) if cx.detached().is_some() => {
                    let name = input.unique(named());
                    ask_detached(cx, input, request, name).await?
                }
                (Era::Handshake, input) => {
                    let _paused = input.map(InputState::pause_clock);
                    send(cx, request, self.timeout).await?
                }
                (Era::Stateless, Some(input)) => {
                    let name = input.unique(named());
                    match input.answer_to(&name, request.clone()).await {
                        // The call was detached meanwhile.
                        Err(AskError::Suspended) if cx.detached().is_some() => {
                            ask_detached(cx, input, request, name).await?
                        }
                        answer => answer?,
                    }
                }
                // The call is over, or the handlers of its method can't ask.
                (Era::Stateless, None) => return Err(AskError::Suspended),
            };
            self.kind.read(&answer)
        })
    }
}

/// Asks through the extension that the call was detached to. `name` must be unique within the call.
async fn ask_detached(
    cx: &Context,
    input: &InputState,
    request: InputRequest,
    name: String,
) -> Result<RawJson, AskError> {
    let Some(call) = cx.detached() else {
        return Err(AskError::Suspended);
    };
    let _paused = input.pause_clock();
    Ok(call.ask(name, request).await.map_err(CallError::Rpc)?)
}

/// Asks with a request to the client, as in the handshake era.
pub(super) async fn send(
    cx: &Context,
    mut request: InputRequest,
    timeout: Option<Duration>,
) -> Result<RawJson, AskError> {
    request.conform(cx.revision());
    let wait = timeout.unwrap_or_else(|| cx.session().input_timeout);
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
    Ok(cx
        .peer()
        .ask(method.into(), Some(&params), Timeouts::within(wait))
        .await?)
}

/// Questions that are asked together: a tuple of one to six.
pub trait AskAll {
    /// The answers, as a tuple.
    type Answers: Send;

    #[doc(hidden)]
    fn ask_all(self) -> impl Future<Output = Result<Self::Answers, AskError>> + Send;
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*);)*) => {$(
        impl<$($kind: Ask),*> AskAll for ($(Question<$kind>,)*) {
            type Answers = ($($kind::Answer,)*);

            async fn ask_all(self) -> Result<Self::Answers, AskError> {
                let ($($name,)*) = self;
                // `try_join!` polls all questions before it waits, so all are asked in one round.
                tokio::try_join!($($name.into_future()),*)
            }
        }
    )*};
}

tuples! {
    (A a);
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
    (A a, B b, C c, D d, E e, F f);
}

/// A question for the client's roots. Await it to ask. Made by [`Context::roots`].
pub type ListRoots = Question<RootsRequest>;

/// The kind of [`ListRoots`].
#[derive(Clone, Debug)]
pub struct RootsRequest(());

impl RootsRequest {
    pub(in crate::server) fn new() -> Self {
        Self(())
    }

    pub(super) fn read(answer: &RawJson) -> Result<Vec<Root>, AskError> {
        let result = answer.parse().map(|result: ListRootsResult| result.roots);
        result.map_err(AskError::misfit)
    }
}

impl Ask for RootsRequest {
    type Answer = Vec<Root>;

    fn request(&self) -> Result<InputRequest, AskError> {
        Ok(InputRequest::ListRoots(None))
    }

    fn read(&self, answer: &RawJson) -> Result<Vec<Root>, AskError> {
        Self::read(answer)
    }
}
