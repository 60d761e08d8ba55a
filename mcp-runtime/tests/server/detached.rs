//! Calls that an extension detaches from their requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::layer::{BoxError, BoxFuture, McpRequest, McpResponse, Next, ToolExtension};
use mcp_runtime::prelude::*;
use mcp_runtime::server::{Detachable, Detached, DetachedCall, DetachedRequest, Extension};
use mcp_runtime::types::{
    InputRequest, JsonObject, LoggingLevel, LoggingMessageNotificationParams, RawJson,
};
use mcp_runtime::{CancellationToken, Era, ProtocolError, Revision, Server};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::support::{Wire, initialize, request, stateless};

/// What a detached call has done, and how a question of it is answered.
enum News {
    Asked(String, Value, oneshot::Sender<Value>),
    Progress(f64, Option<f64>, String),
    Logged(Value),
    Kept(String, Value),
    Ended(Result<Value, String>),
}

struct Call(mpsc::UnboundedSender<News>);

impl Call {
    fn tell(&self, news: News) {
        self.0.send(news).ok().unwrap();
    }
}

impl DetachedCall for Call {
    fn ask(&self, key: String, request: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>> {
        let (sender, answer) = oneshot::channel();
        self.tell(News::Asked(key, json!(request), sender));
        Box::pin(async move { Ok(answer.await.unwrap().into()) })
    }

    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        self.tell(News::Progress(done, total, message.to_owned()));
    }

    fn log(&self, message: LoggingMessageNotificationParams) {
        self.tell(News::Logged(json!(message.data)));
    }

    fn kept(&self, key: &str) -> Option<RawJson> {
        (key == "known").then(|| json!("from before").into())
    }

    fn keep(&self, key: &str, value: &RawJson) -> BoxFuture<Result<(), ProtocolError>> {
        self.tell(News::Kept(key.to_owned(), json!(value)));
        Box::pin(std::future::ready(Ok(())))
    }
}

/// When a call is detached.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Entered,
    InASecond,
    Never,
}

/// The extension, by which calls are detached.
struct Later(Arc<Detaching>);

struct Detaching {
    when: When,
    news: mpsc::UnboundedSender<News>,
    /// The ends of the calls that were detached.
    detached: Mutex<Vec<Detached>>,
    /// A value that each request has.
    of_request: Arc<()>,
}

impl Extension for Later {
    fn id(&self) -> &'static str {
        "com.example/later"
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }
}

/// Tools whose calls may be detached.
struct Deferred;

impl ToolExtension for Deferred {
    fn needs(&self) -> Option<&'static str> {
        Some("com.example/later")
    }

    fn call(
        self: Arc<Self>,
        mut request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(async move {
            let later = request.context().unwrap().extension::<Later>();
            let later = Arc::clone(&later.unwrap().0);
            let call: Option<Detachable> = match later.when {
                When::Entered => request.detachable_alone(),
                When::InASecond | When::Never => request.detachable(),
            };
            let Some(mut call) = call else {
                return next.run(request).await;
            };
            request.insert(Arc::clone(&later.of_request));
            let mut work = Box::pin(next.run(request));
            let moment = async {
                call.entered().await;
                match later.when {
                    When::Entered => {}
                    When::InASecond => tokio::time::sleep(Duration::from_secs(1)).await,
                    When::Never => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                () = moment => {}
            }
            let detached = call.detach(Arc::new(Call(later.news.clone())));
            later.detached.lock().unwrap().push(detached);
            let news = later.news.clone();
            tokio::spawn(async move {
                let outcome = work.await.map_err(|error| error.to_string());
                let outcome = outcome.map(|it| it.json().unwrap().unwrap().parse().unwrap());
                // The test may be over.
                let _ = news.send(News::Ended(outcome));
            });
            Ok(McpResponse::of(
                &json!({"resultType": "com.example/later"}),
            )?)
        })
    }
}

#[derive(Clone, Default)]
struct Workshop {
    /// What its functions have done.
    done: Arc<Mutex<Vec<&'static str>>>,
    cancelled: Arc<Mutex<Option<CancellationToken>>>,
}

impl Workshop {
    fn note(&self, what: &'static str) {
        self.done.lock().unwrap().push(what);
    }
}

#[mcp_server(logging, undocumented = "allow")]
impl Workshop {
    #[tool(with(Deferred))]
    async fn work(&self, seconds: u64, cx: &Context) -> String {
        self.note("entered");
        *self.cancelled.lock().unwrap() = Some(cx.cancellation().clone());
        cx.progress(1, 3, "begun");
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        cx.progress(2, 3, "nearly");
        cx.log(LoggingLevel::Debug, "a word");
        let session = cx.identity::<String>().cloned().unwrap_or_default();
        format!("done in {} for {session}", cx.revision())
    }

    #[tool(with(Deferred), timeout = "2s")]
    async fn ask(&self, first: u64, cx: &Context) -> Result<String, ToolError> {
        tokio::time::sleep(Duration::from_secs(first)).await;
        let name: String = cx.elicit("Your name?").await?;
        let kept = cx.once("kept", async { "new".to_owned() }).await?;
        let known = cx.once("known", async { "new".to_owned() }).await?;
        Ok(format!("{name}, {kept}, {known}"))
    }

    #[tool(with(Deferred))]
    async fn parameter(&self, #[elicit("Really?")] really: bool) -> String {
        self.note("entered");
        tokio::time::sleep(Duration::from_secs(5)).await;
        really.to_string()
    }

    #[tool(with(Deferred))]
    async fn alone(&self) {
        tokio::time::sleep(Duration::from_secs(5)).await;
    }

    #[tool(with(Deferred))]
    fn plain(&self, cx: &Context) -> &'static str {
        cx.progress(1, 2, "begun");
        cx.progress(2, 2, "done");
        "plain"
    }

    #[tool(with(Deferred))]
    async fn panics(&self) {
        tokio::time::sleep(Duration::from_secs(5)).await;
        panic!("of the function");
    }
}

struct Test {
    workshop: Workshop,
    server: Server,
    later: Arc<Detaching>,
    news: mpsc::UnboundedReceiver<News>,
}

impl Test {
    fn new(when: When) -> Self {
        let (news, receiver) = mpsc::unbounded_channel();
        let later = Arc::new(Detaching {
            when,
            news,
            detached: Mutex::default(),
            of_request: Arc::default(),
        });
        let workshop = Workshop::default();
        let mut server = workshop.clone().into_builder();
        server.extension(Later(Arc::clone(&later)));
        Self {
            workshop,
            server: server.build(),
            later,
            news: receiver,
        }
    }

    async fn next(&mut self) -> News {
        self.news.recv().await.unwrap()
    }

    async fn ended(&mut self) -> Value {
        loop {
            if let News::Ended(outcome) = self.next().await {
                return outcome.unwrap();
            }
        }
    }

    /// A client that can be asked, in one of the eras.
    async fn wire(&self, era: Era) -> Wire {
        let mut wire = Wire::to(&self.server).await;
        if era == Era::Handshake {
            let mut hello = initialize("2025-11-25");
            hello["params"]["capabilities"] = json!({"elicitation": {}});
            wire.ask(hello).await;
            wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                .await;
        }
        wire
    }
}

/// A call with a progress token, of a client that can be asked.
fn call(era: Era, tool: &str, arguments: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if era == Era::Handshake {
        params["_meta"] = json!({"progressToken": 7});
        return request(1, "tools/call", params);
    }
    let mut message = stateless(1, "tools/call", params);
    let meta = &mut message["params"]["_meta"];
    meta["progressToken"] = json!(7);
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    message
}

fn is_ticket(answer: &Value) -> bool {
    answer["result"]["resultType"] == "com.example/later"
}

#[tokio::test(start_paused = true)]
async fn what_a_detached_call_does_goes_to_the_extension() {
    for era in Era::ALL {
        let mut test = Test::new(When::InASecond);
        let mut wire = test.wire(era).await;
        wire.send(call(era, "work", &json!({"seconds": 5}))).await;
        let progress = wire.answer().await;
        assert_eq!(progress["params"]["message"], "begun", "{progress}");
        let answer = wire.answer().await;
        assert!(is_ticket(&answer), "{answer}");
        let News::Progress(done, total, message) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!((done, total, &*message), (2.0, Some(3.0), "nearly"));
        let News::Logged(data) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(data, "a word");
        let ended = test.ended().await;
        let text = ended["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("done in 202"), "{text}");
        // Nothing more reaches the client.
        wire.lives_on().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_detached_is_as_any_other() {
    for era in Era::ALL {
        let test = Test::new(When::Never);
        let mut wire = test.wire(era).await;
        wire.send(call(era, "work", &json!({"seconds": 5}))).await;
        for message in ["begun", "nearly"] {
            assert_eq!(wire.answer().await["params"]["message"], message, "{era}");
        }
        let answer = wire.answer().await;
        assert!(
            answer["result"]["content"][0]["text"].is_string(),
            "{answer}"
        );
        let token = test.workshop.cancelled.lock().unwrap().clone().unwrap();
        assert!(token.is_cancelled());
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_and_plain_functions_are_answered_before_the_function_is_entered()
{
    let test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire.ask(call(Era::Stateless, "work", &json!({}))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    wire.send(call(Era::Stateless, "plain", &json!({}))).await;
    for message in ["begun", "done"] {
        assert_eq!(wire.answer().await["params"]["message"], message);
    }
    let answer = wire.answer().await;
    assert_eq!(answer["result"]["content"][0]["text"], "plain", "{answer}");
    assert!(test.later.detached.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_is_detached_before_its_function_has_done_anything() {
    for era in Era::ALL {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(era).await;
        let answer = wire.ask(call(era, "work", &json!({"seconds": 5}))).await;
        assert!(is_ticket(&answer), "{era}: {answer}");
        let News::Progress(done, ..) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(done, 1.0, "{era}");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_parameters_belong_to_the_call() {
    let accept = json!({"action": "accept", "content": {"really": true}});
    // In the handshake era, by a request.
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Handshake).await;
    let asked = wire
        .ask(call(Era::Handshake, "parameter", &json!({})))
        .await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": accept});
    let answer = wire.ask(answer).await;
    assert!(is_ticket(&answer), "{answer}");
    assert_eq!(test.ended().await["content"][0]["text"], "true");

    // In the stateless era, by a round.
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let mut retry = call(Era::Stateless, "parameter", &json!({}));
    let asked = wire.ask(retry.clone()).await["result"].clone();
    let names = asked["inputRequests"].as_object().unwrap().keys();
    let answers = names.map(|name| (name.clone(), accept.clone()));
    retry["params"]["inputResponses"] = Value::Object(answers.collect());
    retry["params"]["requestState"] = asked["requestState"].clone();
    assert!(test.workshop.done.lock().unwrap().is_empty());
    let answer = wire.ask(retry).await;
    assert!(is_ticket(&answer), "{answer}");
    assert_eq!(test.ended().await["content"][0]["text"], "true");
    assert_eq!(*test.workshop.done.lock().unwrap(), ["entered"]);
}

#[tokio::test(start_paused = true)]
async fn questions_after_the_answer_go_to_the_extension_while_the_time_limit_stands_still() {
    for era in Era::ALL {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(era).await;
        let answer = wire.ask(call(era, "ask", &json!({"first": 1}))).await;
        assert!(is_ticket(&answer), "{era}: {answer}");
        let News::Asked(key, question, answer) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(question["params"]["message"], "Your name?", "{era}");
        assert!(key.starts_with("elicit-"), "{key}");
        // The time limit of the tool is two seconds.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let accepted = json!({"action": "accept", "content": {"answer": "Ada"}});
        answer.send(accepted).unwrap();
        let News::Kept(key, value) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!((&*key, value), ("kept", json!("new")));
        let ended = test.ended().await;
        assert_eq!(
            ended["content"][0]["text"], "Ada, new, from before",
            "{era}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_tool_holds_when_it_is_detached() {
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire
        .ask(call(Era::Stateless, "ask", &json!({"first": 9})))
        .await;
    assert!(is_ticket(&answer), "{answer}");
    let ended = test.ended().await;
    assert_eq!(ended["content"][0]["text"], "not finished within 2s");
}

#[tokio::test(start_paused = true)]
async fn a_question_before_the_call_is_detached_ends_a_stateless_round() {
    let test = Test::new(When::InASecond);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire
        .ask(call(Era::Stateless, "ask", &json!({"first": 0})))
        .await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(test.later.detached.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_detached_call_cancels_its_token_and_the_end_of_the_request_does_not() {
    let mut test = Test::new(When::InASecond);
    let mut wire = test.wire(Era::Stateless).await;
    wire.send(call(Era::Stateless, "work", &json!({"seconds": 60})))
        .await;
    wire.answer().await;
    let answer = wire.answer().await;
    assert!(is_ticket(&answer), "{answer}");
    let token = test.workshop.cancelled.lock().unwrap().clone().unwrap();
    assert!(!token.is_cancelled());
    test.later.detached.lock().unwrap().clear();
    assert!(token.is_cancelled());
    test.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_detached_call_keeps_of_its_request_only_what_its_function_has_taken() {
    for (tool, kept) in [("alone", 0), ("work", 1)] {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(Era::Stateless).await;
        let call = call(Era::Stateless, tool, &json!({"seconds": 5}));
        assert!(is_ticket(&wire.ask(call).await), "{tool}");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(
            Arc::strong_count(&test.later.of_request),
            1 + kept,
            "{tool}"
        );
        test.ended().await;
        assert_eq!(Arc::strong_count(&test.later.of_request), 1, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_again_without_a_client() {
    let mut test = Test::new(When::Entered);
    let call = || Arc::new(Call(test.later.news.clone()));
    let arguments = |json: Value| RawJson::from(json);
    let mut again =
        DetachedRequest::new("work", arguments(json!({"seconds": 5})), Revision::LATEST);
    again.insert("Ada".to_owned());
    let result = test.server.call_detached(again, call()).await.unwrap();
    assert!(
        result.get().contains("done in 2026-07-28 for Ada"),
        "{result}"
    );
    assert!(!result.get().contains("serverInfo"), "{result}");
    for step in [1.0, 2.0] {
        let News::Progress(done, ..) = test.next().await else {
            panic!("{step}")
        };
        assert_eq!(done, step);
    }
    assert_eq!(
        test.workshop
            .cancelled
            .lock()
            .unwrap()
            .as_ref()
            .map(CancellationToken::is_cancelled),
        Some(true)
    );

    // Its questions go to the extension, those that are parameters as well.
    let call = Arc::new(Call(test.later.news.clone()));
    let mut again = DetachedRequest::new("parameter", arguments(json!({})), Revision::LATEST);
    again.capabilities = serde_json::from_value(json!({"elicitation": {}})).unwrap();
    let server = test.server.clone();
    let running = tokio::spawn(async move { server.call_detached(again, call).await });
    loop {
        if let News::Asked(_, question, answer) = test.next().await {
            assert_eq!(question["params"]["message"], "Really?");
            answer
                .send(json!({"action": "accept", "content": {"really": true}}))
                .unwrap();
            break;
        }
    }
    let result = running.await.unwrap().unwrap();
    assert!(result.get().contains("true"), "{result}");

    let unknown = DetachedRequest::new("nothing", RawJson::empty_object(), Revision::LATEST);
    let call = Arc::new(Call(test.later.news.clone()));
    let error = test.server.call_detached(unknown, call).await.unwrap_err();
    assert_eq!(error.code, -32602, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_detached_call_is_an_error() {
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire.ask(call(Era::Stateless, "panics", &json!({}))).await;
    assert!(is_ticket(&answer), "{answer}");
    let News::Ended(Err(error)) = test.next().await else {
        panic!("it did not fail")
    };
    assert!(error.contains("Internal error"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_keeps_what_it_has_of_an_extension_where_its_server_is_mounted() {
    let mut test = Test::new(When::Entered);
    let mut outer = Server::builder();
    outer.mount("inner", &test.server);
    let mut wire = Wire::to(&outer.build()).await;
    let message = call(Era::Stateless, "inner_work", &json!({"seconds": 5}));
    let answer = wire.ask(message).await;
    assert!(is_ticket(&answer), "{answer}");
    test.ended().await;
}

#[tokio::test]
async fn a_server_that_lacks_what_a_tool_needs_does_not_start() {
    let mut inner = Server::builder();
    inner.mount("b", Workshop::default().into_server());
    let mut outer = Server::builder();
    outer.mount("a", inner.build());
    let (_ours, theirs) = mcp_runtime::transport::memory::pair();
    let error = outer.build().serve(theirs).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `a_b_work` needs the extension `com.example/later`, which the server lacks: add it by \
         `ServerBuilder::extension`"
    );
}
