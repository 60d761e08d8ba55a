//! Functions that suggest values.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{CompleteRequestParams, CompleteResult, Completion};

use super::CompletionRequest;
use crate::ProtocolError;
use crate::error::RequestError;
use crate::limits::MAX_COMPLETIONS;
use crate::server::handler::{HandlerError, error};
use crate::server::{BoxFuture, Reply};

/// What a completer may return: its suggestions, the best first.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a completer",
    label = "is no list of suggestions",
    note = "return a `Vec<String>`, a `Vec<&str>` or a `Completion`"
)]
pub trait IntoCompletion {
    /// The suggestions.
    ///
    /// # Errors
    ///
    /// With what the request is answered with instead.
    fn into_completion(self) -> Result<Completion, ProtocolError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, ProtocolError> {
        Ok(self)
    }
}

impl<T: Into<String>> IntoCompletion for Vec<T> {
    fn into_completion(self) -> Result<Completion, ProtocolError> {
        Ok(Completion::new(self))
    }
}

impl<T: IntoCompletion, E: HandlerError> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, ProtocolError> {
        self.map_err(error::to_protocol)?.into_completion()
    }
}

/// A function that suggests values.
pub struct Completer(
    Box<dyn Fn(CompletionRequest) -> BoxFuture<Result<Completion, ProtocolError>> + Send + Sync>,
);

/// A completer that calls `function`.
pub fn completer<F, T>(
    function: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
) -> Completer
where
    F: Future<Output = T> + Send + 'static,
    T: IntoCompletion,
{
    Completer(Box::new(move |request| {
        let future = function(request);
        Box::pin(async move { future.await.into_completion() })
    }))
}

/// The completers of one prompt or resource.
#[derive(Default)]
pub(crate) struct Completers {
    by_argument: Vec<(Cow<'static, str>, Completer)>,
    /// Completes every argument, where somebody else knows which there are.
    all: Option<Box<CompleteAll>>,
}

type CompleteAll =
    dyn Fn(CompleteRequestParams) -> Result<Reply<CompleteResult>, RequestError> + Send + Sync;

impl Completers {
    pub(crate) fn add(&mut self, argument: impl Into<Cow<'static, str>>, completer: Completer) {
        self.by_argument.push((argument.into(), completer));
    }

    /// Leaves every argument to `complete`.
    pub(crate) fn delegate(
        complete: impl Fn(CompleteRequestParams) -> Result<Reply<CompleteResult>, RequestError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            by_argument: Vec::new(),
            all: Some(Box::new(complete)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_argument.is_empty() && self.all.is_none()
    }

    /// Completes an argument, one of `known` if these are all that there are. One without completer
    /// has no suggestions.
    ///
    /// # Errors
    ///
    /// When there is no such argument.
    pub(crate) fn complete(
        &self,
        params: CompleteRequestParams,
        known: Option<&[&str]>,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        if let Some(all) = &self.all {
            return all(params);
        }
        let name = &params.argument.name;
        let found = self
            .by_argument
            .iter()
            .find(|(argument, _)| argument == name);
        let Some((_, completer)) = found else {
            if known.is_some_and(|known| !known.contains(&name.as_str())) {
                return Err(RequestError::InvalidParams {
                    path: "params.argument.name".to_owned(),
                    reason: format!("there is no argument `{name}`"),
                });
            }
            let nothing = Completion::new(Vec::<String>::new());
            return Ok(Reply::Ready(Ok(CompleteResult::new(nothing))));
        };
        let reply = Reply::Pending((completer.0)(CompletionRequest::from(params)));
        Ok(reply.then(|completion| Ok(CompleteResult::new(bounded(completion)))))
    }
}

impl fmt::Debug for Completers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.by_argument.iter().map(|(argument, _)| argument))
            .finish_non_exhaustive()
    }
}

/// Keeps as many values as may be sent, and says whether there are more.
fn bounded(mut completion: Completion) -> Completion {
    let found = completion.values.len();
    if found > MAX_COMPLETIONS {
        completion.values.truncate(MAX_COMPLETIONS);
        completion.total = completion.total.or(i64::try_from(found).ok());
        completion.has_more = Some(true);
    }
    let sent = i64::try_from(completion.values.len()).unwrap_or(i64::MAX);
    if completion.total.is_some_and(|total| total > sent) {
        completion.has_more.get_or_insert(true);
    }
    completion
}
