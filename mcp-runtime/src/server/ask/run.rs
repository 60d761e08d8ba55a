//! Runs handlers that may ask.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use mcp_types::jsonrpc::code;
use mcp_types::{
    ElicitRequestParams, Era, ErrorObject, InputRequest, InputRequiredResult, OrderedMap, RawJson,
    RawJsonRef, RequestId, UrlElicitationRequiredErrorData, error_codes,
};

use super::asking::{Asking, Memory};
use super::question::Question;
use super::required::Wanted;
use super::start::{Start, binding};
use super::state::now;
use crate::connection::{BoxFuture, Served};
use crate::join_all::join_all;
use crate::limits::MAX_ASKING_ROUNDS;
use crate::protocol::{Lacking, RequestParams};
use crate::server::cancellation::CallGuard;
use crate::server::router::Admitted;
use crate::server::{Answer, Context, Server, dispatch};

type Outcome = Result<Answer, ErrorObject>;

/// Follows a call whose handler has begun, if it is one that may ask.
///
/// A handler that kept nothing of its context never asks, and nothing is done for it.
pub(in crate::server) fn follow(
    server: &Server,
    call: dispatch::Call<'_>,
    served: Served<Answer>,
    cx: Context,
) -> Served<Answer> {
    let asks_by_hand = |cx: &Context| cx.asking().is_some_and(Asking::is_required);
    match served {
        Served::Now(outcome) if !asks_by_hand(&cx) => {
            drop(CallGuard::new(cx));
            Served::Now(outcome)
        }
        Served::Later(future) if !cx.is_shared() => Served::Later(CallGuard::new(cx).watch(future)),
        Served::Open(future) => Served::Open(future),
        Served::Now(outcome) => {
            let call = Call::new(server, call);
            let asking = cx.asking_or_new(server.settings().asking.patience);
            Served::Later(Box::pin(call.run(cx, asking, Box::pin(async { outcome }))))
        }
        Served::Later(future) => {
            let call = Call::new(server, call);
            let asking = cx.asking_or_new(server.settings().asking.patience);
            Served::Later(Box::pin(call.run(cx, asking, future)))
        }
    }
}

/// A request, kept for as long as its handler runs.
struct Call {
    server: Server,
    id: RequestId,
    method: Box<str>,
    params: Option<RawJson>,
}

/// How one run of a handler ends.
enum End {
    Answered(Outcome),
    /// It waits for answers, or wants to be run again with them.
    Asks(Wanted),
}

/// What follows the questions of a handler.
enum Next {
    /// The call is answered.
    Answered(Answer),
    /// The handler runs again.
    Runs(Context, BoxFuture<Outcome>),
}

impl Call {
    fn new(server: &Server, call: dispatch::Call<'_>) -> Self {
        Self {
            server: server.clone(),
            id: call.id.clone(),
            method: call.method.into(),
            params: call.params.map(RawJson::from),
        }
    }

    fn request<'a>(
        &'a self,
        cx: &'a Context,
        start: &'a Start<'a>,
        params: &'a RequestParams<'a>,
    ) -> Admitted<'a> {
        Admitted {
            id: &self.id,
            method: &self.method,
            params,
            negotiated: cx.negotiated(),
            peer: cx.peer(),
            session: cx.session(),
            start,
        }
    }

    fn read_params(&self) -> Result<RequestParams<'_>, ErrorObject> {
        let params = RequestParams::read(self.params.as_ref().map(RawJsonRef::from));
        params.map_err(|error| error.to_error())
    }

    async fn run(
        self,
        mut cx: Context,
        mut asking: Arc<Asking>,
        mut handler: BoxFuture<Outcome>,
    ) -> Outcome {
        loop {
            let guard = CallGuard::new(cx.clone());
            let end = round(&asking, handler).await?;
            drop(guard);
            asking.end();
            let mut wanted = match end {
                End::Answered(outcome) => return outcome,
                End::Asks(wanted) => wanted,
            };
            let mut memory = asking.memory();
            memory.note = wanted.note.take();
            memory.rounds += 1;
            (cx, handler) = match self.ask(&cx, memory, wanted).await? {
                Next::Answered(answer) => return Ok(answer),
                Next::Runs(cx, handler) => (cx, handler),
            };
            asking = cx.asking_or_new(self.server.settings().asking.patience);
        }
    }

    /// Asks the client, or answers the call with the questions.
    async fn ask(
        &self,
        cx: &Context,
        mut memory: Memory,
        wanted: Wanted,
    ) -> Result<Next, ErrorObject> {
        let questions = wanted.questions;
        check(cx, &questions, memory.rounds)?;
        let patience = self.server.settings().asking.patience;
        match cx.revision().era() {
            Era::Stateless => return self.suspend(cx, questions, &memory).map(Next::Answered),
            Era::Handshake if wanted.by_error => return Err(pages_required(questions)?),
            Era::Handshake => {
                for (name, answer) in gather(cx, questions, patience).await? {
                    memory.answers.insert(name, answer);
                }
            }
        }
        let (cx, handler) = self.again(cx, memory)?;
        Ok(Next::Runs(cx, handler))
    }

    /// Runs the handler once more.
    fn again(
        &self,
        cx: &Context,
        memory: Memory,
    ) -> Result<(Context, BoxFuture<Outcome>), ErrorObject> {
        let start = Start::resuming(&self.server, memory, cx.clone());
        let params = self.read_params()?;
        let request = self.request(cx, &start, &params);
        let served = self.server.router().serve(request);
        let served = served.map_err(|refusal| refusal.to_error())?;
        let handler: BoxFuture<Outcome> = match served {
            Served::Now(outcome) => Box::pin(async { outcome }),
            Served::Later(future) | Served::Open(future) => future,
        };
        Ok((start.into_context().unwrap_or_else(|| cx.clone()), handler))
    }

    /// Tells the client what is asked, and gives it what the call has to know in the next round.
    fn suspend(
        &self,
        cx: &Context,
        questions: OrderedMap<InputRequest>,
        memory: &Memory,
    ) -> Outcome {
        let start = Start::new(&self.server);
        let params = self.read_params()?;
        let request = self.request(cx, &start, &params);
        let binding = binding(request).map_err(|refusal| refusal.to_error())?;
        let state = self
            .server
            .settings()
            .asking
            .states
            .issue(memory, &binding, now());
        let state =
            state.ok_or_else(|| ErrorObject::new(code::INTERNAL_ERROR, "Internal error"))?;
        let mut result = InputRequiredResult::new().with_request_state(state);
        if !questions.is_empty() {
            result = result.with_input_requests(questions);
        }
        Ok(self.server.router().input_required(result, cx.negotiated()))
    }
}

/// Runs a handler until it answers or asks. One that asks is dropped.
async fn round(asking: &Asking, mut handler: BoxFuture<Outcome>) -> Result<End, ErrorObject> {
    poll_fn(|task| {
        asking.watch(task);
        let poll = handler.as_mut().poll(task);
        if let Some(required) = asking.take_required() {
            return Poll::Ready(required.into_wanted().map(End::Asks));
        }
        match poll {
            Poll::Ready(outcome) => Poll::Ready(Ok(End::Answered(outcome))),
            Poll::Pending => match asking.take_questions() {
                Some(questions) => {
                    let wanted = Wanted {
                        questions,
                        note: asking.note(),
                        by_error: false,
                    };
                    Poll::Ready(Ok(End::Asks(wanted)))
                }
                None => Poll::Pending,
            },
        }
    })
    .await
}

/// Checks that the client can be asked all this, and was not asked too often.
fn check(
    cx: &Context,
    questions: &OrderedMap<InputRequest>,
    rounds: u32,
) -> Result<(), ErrorObject> {
    if rounds > MAX_ASKING_ROUNDS {
        let message = format!("The call asked {MAX_ASKING_ROUNDS} times and still has questions");
        return Err(ErrorObject::new(code::INTERNAL_ERROR, message));
    }
    let mut lacking = questions
        .values()
        .filter_map(|request| Lacking::for_request(cx.negotiated(), request));
    lacking
        .next()
        .map_or(Ok(()), |lacking| Err(lacking.refusal().to_error()))
}

/// The error that names web pages which the user has to visit first.
///
/// # Errors
///
/// When some of the questions are no pages: this server's fault.
fn pages_required(questions: OrderedMap<InputRequest>) -> Result<ErrorObject, ErrorObject> {
    let mut pages = Vec::new();
    for (_, request) in questions {
        let InputRequest::Elicit(ElicitRequestParams::Url(page)) = request else {
            let message = "Only web pages can be asked for by an error";
            return Err(ErrorObject::new(code::INTERNAL_ERROR, message));
        };
        pages.push(*page);
    }
    let data = UrlElicitationRequiredErrorData::new(pages);
    let error = ErrorObject::new(
        error_codes::URL_ELICITATION_REQUIRED,
        "The user has to visit a web page first",
    );
    Ok(error.with_data(RawJson::encode(&data)))
}

/// Asks everything at once, by requests.
async fn gather(
    cx: &Context,
    questions: OrderedMap<InputRequest>,
    patience: std::time::Duration,
) -> Result<Vec<(String, RawJson)>, ErrorObject> {
    let mut asked: Vec<BoxFuture<_>> = Vec::new();
    for (name, request) in questions {
        let cx = cx.clone();
        asked.push(Box::pin(async move {
            let question = Question::new(request);
            let answer = question.send(cx.peer(), cx.revision(), patience).await?;
            Ok::<_, super::AskError>((name, answer))
        }));
    }
    let mut answers = Vec::new();
    for answer in join_all(asked).await {
        answers.push(answer?);
    }
    Ok(answers)
}
