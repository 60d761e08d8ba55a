//! The rounds of a call whose handler asks the client.

use std::future::{poll_fn, ready};

use mcp_types::{
    CallToolRequest, ElicitRequestParams, Era, ErrorObject, GetPromptRequest, InputRequest,
    InputRequiredResult, OrderedMap, RawJson, RawJsonRef, ReadResourceRequest, Request,
    UrlElicitationRequiredErrorData,
};

use super::InputState;
use super::ask::send;
use super::state::{Binding, Questions, RetryState, now};
use crate::connection::{BoxFuture, Served, join_all};
use crate::error::RequestError;
use crate::limits::MAX_ASKING_ROUNDS;
use crate::protocol::{RequestParams, missing_capability};
use crate::server::dispatch::{OwnedRequest, ServerRequest};
use crate::server::{Answer, Context, Server};

type CallOutcome = Result<Answer, ErrorObject>;

pub(in crate::server) fn may_ask(method: &str) -> bool {
    matches!(
        method,
        CallToolRequest::METHOD | GetPromptRequest::METHOD | ReadResourceRequest::METHOD
    )
}

/// Serves a request whose handler may ask.
///
/// # Errors
///
/// When a retry has a malformed answer, or a state that was not issued for this call. Otherwise,
/// the errors of the router.
pub(in crate::server) fn run(
    server: &Server,
    request: ServerRequest<'_>,
) -> Result<Served<Answer>, RequestError> {
    let cx = request.context;
    resume(server, request)?;
    let served = server.router().serve(request)?;
    let asks_by_hand = || cx.input().is_some_and(InputState::is_required);
    let handler: BoxFuture<CallOutcome> = match served {
        Served::Now(outcome) if asks_by_hand() => Box::pin(ready(outcome)),
        // A handler without a clone of the context can't ask.
        Served::Later(handler) if request.keeps_context() || asks_by_hand() => handler,
        served => return Ok(served),
    };
    let rounds = rounds(server.clone(), request.to_owned(), handler);
    Ok(Served::Later(Box::pin(rounds)))
}

/// Restores the state of a call that is retried.
fn resume(server: &Server, request: ServerRequest<'_>) -> Result<(), RequestError> {
    let cx = request.context;
    if !is_retry(request.received, cx)? {
        // A layer may call the handler twice.
        if let Some(input) = cx.input() {
            input.restart(RetryState::default());
        }
        return Ok(());
    }
    let mut retry = match request.received.request_state()? {
        None => RetryState::default(),
        Some(state) => {
            let states = &server.settings().retry_states;
            let binding = binding(request.method, request.received, cx)?;
            let opened = states.redeem(&state, &binding, now());
            opened.map_err(|error| invalid("requestState", &error.to_string()))?
        }
    };
    if let Some(responses) = request.received.shared.input_responses {
        retry.answers.extend(read_responses(responses)?);
    }
    match cx.input() {
        None => cx.set_input(InputState::retried(retry)),
        Some(input) => input.restart(retry),
    }
    Ok(())
}

/// Returns true if a request has a state or the answers to questions. These members don't exist in
/// the handshake era.
///
/// # Errors
///
/// When the state is not a string.
pub(in crate::server) fn is_retry(
    received: &RequestParams<'_>,
    cx: &Context,
) -> Result<bool, RequestError> {
    let has_state = received.request_state()?.is_some();
    let has_any = has_state || received.shared.input_responses.is_some();
    Ok(has_any && cx.revision().era() == Era::Stateless)
}

fn read_responses(responses: RawJsonRef<'_>) -> Result<Vec<(String, RawJson)>, RequestError> {
    let malformed = |reason: &str| invalid("inputResponses", reason);
    let members = responses.members();
    let members = members.map_err(|_| malformed("expected an object of responses"))?;
    let responses = members.into_iter().map(|(name, response)| {
        let response = response.is_object().then(|| (name, response.into()));
        response.ok_or_else(|| malformed("each response must be an object"))
    });
    responses.collect()
}

fn invalid(member: &str, reason: &str) -> RequestError {
    RequestError::InvalidParams {
        path: format!("params.{member}"),
        reason: reason.to_owned(),
    }
}

fn binding(
    method: &str,
    received: &RequestParams<'_>,
    cx: &Context,
) -> Result<Binding, RequestError> {
    let target = received.target()?.unwrap_or_default();
    Binding::new(method, &target, received.shared.arguments, cx.principal())
}

/// Runs a handler until the call is answered. In the handshake era, the handler runs again with the
/// answers to questions that it does not await.
async fn rounds(
    server: Server,
    request: OwnedRequest,
    mut handler: BoxFuture<CallOutcome>,
) -> CallOutcome {
    let cx = &request.context;
    let input = cx.input_or_default();
    loop {
        let questions = match round(&request, input, handler).await {
            Ok(questions) => questions,
            Err(outcome) => {
                input.end();
                return outcome;
            }
        };
        questions.error.map_or(Ok(()), Err)?;
        let mut retry = input.retry_state(questions.note);
        check(cx, &questions.requests, retry.rounds)?;
        match cx.revision().era() {
            Era::Stateless => {
                input.end();
                return Ok(suspend(&server, &request, questions.requests, &retry)?);
            }
            Era::Handshake if questions.by_error => {
                return Err(url_required(questions.requests)?.to_error());
            }
            Era::Handshake => {
                let _paused = input.pause_clock();
                retry.answers.extend(ask(cx, questions.requests).await?);
            }
        }
        input.begin_round(retry);
        let params = request.params()?;
        let received = request.received(&params)?;
        let served = server.router().serve(request.borrow(&params, &received))?;
        handler = match served {
            Served::Now(outcome) => Box::pin(ready(outcome)),
            Served::Later(handler) | Served::Open(handler) => handler,
        };
    }
}

/// Runs a handler until it asks, and then drops it. If the handler ends without asking, its outcome
/// is returned as the error.
async fn round(
    request: &OwnedRequest,
    input: &InputState,
    mut handler: BoxFuture<CallOutcome>,
) -> Result<Questions, CallOutcome> {
    loop {
        let outcome = tokio::select! {
            biased;
            outcome = observe(request, input, &mut handler) => Some(outcome),
            () = input.asked.notified() => None,
        };
        match (input.take_questions(outcome.is_some()), outcome) {
            (Some(questions), _) => return Ok(questions),
            (None, Some(outcome)) => return Err(outcome),
            (None, None) => {}
        }
    }
}

/// Runs a handler. Debug builds log a handler that waits for something else before it asks, because
/// that is repeated in the next round.
fn observe(
    request: &OwnedRequest,
    input: &InputState,
    handler: &mut BoxFuture<CallOutcome>,
) -> impl Future<Output = CallOutcome> {
    poll_fn(move |waker| {
        let polled = handler.as_mut().poll(waker);
        if cfg!(debug_assertions)
            && polled.is_pending()
            && input.repeats()
            && let Ok(params) = request.params()
            && let Ok(Some(name)) = params.target()
        {
            request.context.warnings().repetition(&name);
        }
        polled
    })
}

/// Checks that the client supports all the questions, and was not asked too often.
fn check(
    cx: &Context,
    requests: &OrderedMap<InputRequest>,
    rounds: u32,
) -> Result<(), RequestError> {
    if rounds > MAX_ASKING_ROUNDS {
        return Err(RequestError::TooManyRounds(MAX_ASKING_ROUNDS));
    }
    let negotiated = cx.negotiated();
    let lacks = |request| negotiated.missing_capability(request);
    match requests.values().find_map(lacks) {
        Some(capability) => Err(missing_capability(capability, negotiated.revision)),
        None => Ok(()),
    }
}

/// Makes the result that asks the client in the stateless era.
fn suspend(
    server: &Server,
    request: &OwnedRequest,
    requests: OrderedMap<InputRequest>,
    retry: &RetryState,
) -> Result<Answer, RequestError> {
    if server.is_replicated() && !server.settings().retry_states.are_shared() {
        crate::log::error!(method = request.method(), "{}", RequestError::NoStateKeys);
        return Err(RequestError::NoStateKeys);
    }
    let received = request.received(&request.params()?)?;
    let binding = binding(request.method(), &received, &request.context)?;
    let state = server.settings().retry_states.issue(retry, &binding, now());
    let mut result =
        InputRequiredResult::new().with_request_state(state.ok_or(RequestError::Internal)?);
    if !requests.is_empty() {
        result = result.with_input_requests(requests);
    }
    Ok(server
        .router()
        .input_required(result, request.context.negotiated()))
}

/// Makes the error that lists the web pages to visit.
///
/// # Errors
///
/// When one of the questions is not a web page, which is this server's fault.
fn url_required(requests: OrderedMap<InputRequest>) -> Result<RequestError, RequestError> {
    let pages = requests.into_values().map(|request| match request {
        InputRequest::Elicit(ElicitRequestParams::Url(page)) => Ok(*page),
        _ => Err(RequestError::NoUrlElicitation),
    });
    let pages: Vec<_> = pages.collect::<Result<_, _>>()?;
    let data = RawJson::encode(&UrlElicitationRequiredErrorData::new(pages));
    Ok(RequestError::UrlElicitationRequired(data))
}

async fn ask(
    cx: &Context,
    requests: OrderedMap<InputRequest>,
) -> Result<Vec<(String, RawJson)>, ErrorObject> {
    let asked = requests.into_iter().map(|(name, request)| -> BoxFuture<_> {
        let cx = cx.clone();
        Box::pin(async move { Ok((name, send(&cx, request, None).await?)) })
    });
    let answers = join_all(asked.collect()).await.into_iter();
    Ok(answers.collect::<Result<_, super::AskError>>()?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use mcp_types::jsonrpc::code;
    use mcp_types::{CallToolResult, ClientCapabilities, RequestId, Revision, Tool};
    use serde_json::{Value, json};

    use super::*;
    use crate::connection::Peer;
    use crate::protocol::{Admission, Negotiated};
    use crate::server::tools::{ToolBuilder, ToolEntry};
    use crate::server::{IncomingRequest, Reply};

    /// Returns a server, and a counter of the calls of its tool.
    fn server() -> (Server, Arc<AtomicUsize>) {
        let entered = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&entered);
        let mut server = Server::builder();
        let tool = Tool::new("t", RawJson::empty_object());
        server.tool(ToolEntry::new(tool, move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            Reply::Ready(Ok(CallToolResult::new([])))
        }));
        (server.build(), entered)
    }

    fn binding(method: &str, tool: &str, arguments: &Value) -> Binding {
        let arguments = RawJson::from(arguments.clone());
        Binding::new(method, tool, Some(RawJsonRef::from(&arguments)), None).unwrap()
    }

    fn issued(server: &Server, binding: &Binding, at: u64) -> String {
        let states = &server.settings().retry_states;
        states.issue(&RetryState::default(), binding, at).unwrap()
    }

    fn retry(server: &Server, state: &str) -> Result<(), ErrorObject> {
        let params = json!({"name": "t", "arguments": {"a": 1}, "requestState": state});
        let params = RawJson::from(params);
        let (peer, _commands) = Peer::channel();
        let request = IncomingRequest {
            id: &RequestId::Number(1),
            method: "tools/call",
            params: Some(RawJsonRef::from(&params)),
            peer: &peer,
            session: &server.session(),
        };
        let negotiated = Negotiated {
            revision: Revision::LATEST,
            peer_info: None,
            peer_capabilities: ClientCapabilities::new(),
            instructions: None,
        };
        let params = RequestParams::read(request.params).unwrap();
        match server.dispatch(request, || {
            Ok(Admission::Serve(Arc::new(negotiated), params))
        }) {
            Served::Now(outcome) => outcome.map(drop),
            _ => panic!("the tool answers at once"),
        }
    }

    #[test]
    fn only_the_state_of_the_same_call_is_accepted() {
        let (ours, entered) = server();
        let (theirs, _) = server();
        let own = binding("tools/call", "t", &json!({"a": 1}));
        let mut tampered = issued(&ours, &own, now()).into_bytes();
        let middle = tampered.len() / 2;
        tampered[middle] ^= 1;
        let refused = [
            String::from_utf8(tampered).unwrap(),
            issued(&ours, &own, now() - 601),
            issued(&theirs, &own, now()),
            issued(&ours, &binding("tools/call", "t", &json!({"a": 2})), now()),
            issued(&ours, &binding("tools/call", "u", &json!({"a": 1})), now()),
            issued(&ours, &binding("prompts/get", "t", &json!({"a": 1})), now()),
        ];
        for state in refused {
            let error = retry(&ours, &state).unwrap_err();
            assert_eq!(error.code, code::INVALID_PARAMS, "{error}");
        }
        assert_eq!(entered.load(Ordering::SeqCst), 0);
        assert_eq!(retry(&ours, &issued(&ours, &own, now())), Ok(()));
        assert_eq!(entered.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_state_that_was_not_issued_is_refused() {
        let mut server = Server::builder();
        server.tool(ToolBuilder::new("t").entry(|_| panic!("it was entered")));
        let error = retry(&server.build(), "never given out").unwrap_err();
        assert_eq!(error.code, code::INVALID_PARAMS, "{error}");
    }
}
