//! Completions: suggestions for an argument of a prompt or resource template while it is typed.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_types::{CompleteRequestParams, CompleteResult, Completion, OrderedMap};

use super::handler::to_protocol;
use super::{BoxFuture, HandlerError, Reply};
use crate::ProtocolError;
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::limits::MAX_COMPLETIONS;

/// A request to complete a value that a user is typing.
///
/// ```
/// use mcp_runtime::CompletionRequest;
///
/// fn authors(request: &CompletionRequest) -> Vec<&'static str> {
///     let all = ["Austen", "Atwood", "Brontë"];
///     all.into_iter().filter(|name| name.starts_with(request.value())).collect()
/// }
/// # let _ = authors;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionRequest {
    value: String,
    others: OrderedMap<String>,
}

impl CompletionRequest {
    /// The value typed so far, which may be empty.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the value of another argument, if it is already known.
    ///
    /// Clients of revisions before 2025-06-18 do not send the values of other arguments.
    #[must_use]
    pub fn other(&self, argument: &str) -> Option<&str> {
        self.others.get(argument).map(String::as_str)
    }
}

impl From<CompleteRequestParams> for CompletionRequest {
    fn from(params: CompleteRequestParams) -> Self {
        let others = params.context.and_then(|context| context.arguments);
        Self {
            value: params.argument.value,
            others: others.unwrap_or_default(),
        }
    }
}

/// A type that a completer can return: a list of suggestions, best first.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a completer",
    label = "not a list of suggestions",
    note = "return a `Vec<String>`, a `Vec<&str>` or a `Completion`"
)]
pub trait IntoCompletion {
    /// Converts the value into suggestions.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the request instead.
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
        self.map_err(to_protocol)?.into_completion()
    }
}

/// A function that suggests values.
#[derive(Clone)]
pub struct Completer {
    function: Arc<Complete>,
    held_thread: Arc<HeldThread>,
}

type Complete =
    dyn Fn(CompletionRequest) -> BoxFuture<Result<Completion, ProtocolError>> + Send + Sync;

/// Creates a completer that calls `function`.
pub fn completer<F, T>(
    function: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
) -> Completer
where
    F: Future<Output = T> + Send + 'static,
    T: IntoCompletion,
{
    Completer {
        function: Arc::new(move |request| {
            let future = function(request);
            Box::pin(async move { future.await.into_completion() })
        }),
        held_thread: Arc::default(),
    }
}

#[derive(Clone, Default)]
pub(crate) struct Completers {
    pub(super) by_argument: Vec<(Cow<'static, str>, Completer)>,
}

impl Completers {
    pub(crate) fn add(&mut self, argument: impl Into<Cow<'static, str>>, completer: Completer) {
        self.by_argument.push((argument.into(), completer));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_argument.is_empty()
    }

    /// Completes an argument. An argument without a completer has no suggestions.
    ///
    /// # Errors
    ///
    /// Fails if the argument is not one of `arguments`.
    pub(crate) fn complete(
        &self,
        params: CompleteRequestParams,
        arguments: &[&str],
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let name = &params.argument.name;
        let mut completers = self.by_argument.iter();
        if let Some((_, completer)) = completers.find(|(argument, _)| argument == name) {
            let function = format!("completer of {name}");
            let found = (completer.function)(CompletionRequest::from(params));
            let reply = Reply::Pending(completer.held_thread.future(&function, found));
            return Ok(reply.then(|completion| Ok(CompleteResult::new(bounded(completion)))));
        }
        if !arguments.contains(&name.as_str()) {
            return Err(RequestError::InvalidParams {
                path: "params.argument.name".to_owned(),
                reason: format!("there is no argument `{name}`"),
            });
        }
        let nothing = Completion::new(Vec::<String>::new());
        Ok(Reply::Ready(Ok(CompleteResult::new(nothing))))
    }
}

impl fmt::Debug for Completers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.by_argument.iter().map(|(argument, _)| argument))
            .finish_non_exhaustive()
    }
}

/// Cuts the values to the number that may be sent, and sets `has_more`.
fn bounded(mut completion: Completion) -> Completion {
    let found = completion.values.len();
    if found > MAX_COMPLETIONS {
        completion.values.truncate(MAX_COMPLETIONS);
        completion.total = completion.total.or(i128::try_from(found).ok());
        completion.has_more = Some(true);
    }
    let sent = i128::try_from(completion.values.len()).unwrap_or(i128::MAX);
    if completion.total.is_some_and(|total| total > sent) {
        completion.has_more.get_or_insert(true);
    }
    completion
}
