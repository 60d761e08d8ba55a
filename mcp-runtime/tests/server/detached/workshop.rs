//! A server with tools whose calls an extension detaches, and the server's client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next};
use mcp_runtime::prelude::*;
use mcp_runtime::server::{Detachable, Detached, DetachedCall, Extension, ToolExtension};
use mcp_runtime::types::{
    InputRequest, JsonObject, LoggingLevel, LoggingMessageNotificationParams, RawJson,
};
use mcp_runtime::{CancellationToken, Era, ProtocolError, Revision, Server};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::support::{Wire, initialize, request, stateless};

/// An event of a detached call. A question comes with the sender for its answer.
pub(super) enum News {
    Asked(String, Value, oneshot::Sender<Value>),
    Progress(f64, Option<f64>, String),
    Logged(Value),
    Kept(String, Value),
    Ended(Result<Value, String>),
}

pub(super) struct Call(pub(super) mpsc::UnboundedSender<News>);

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

#[derive(Clone, Copy, PartialEq)]
pub(super) enum When {
    Entered,
    InASecond,
    Never,
}

/// The extension that detaches calls.
pub(super) struct Later(Arc<Detaching>);

pub(super) struct Detaching {
    when: When,
    pub(super) news: mpsc::UnboundedSender<News>,
    pub(super) detached: Mutex<Vec<Detached>>,
    /// A value that is attached to each request.
    pub(super) of_request: Arc<()>,
}

impl Extension for Later {
    fn id(&self) -> &'static str {
        "com.example/later"
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }
}

pub(super) struct Deferred;

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
            let keeps_request = !matches!(later.when, When::Entered);
            let call: Option<Detachable> = request.detachable(keeps_request);
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
pub(super) struct Workshop {
    pub(super) done: Arc<Mutex<Vec<&'static str>>>,
    pub(super) cancelled: Arc<Mutex<Option<CancellationToken>>>,
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

pub(super) struct Test {
    pub(super) workshop: Workshop,
    pub(super) server: Server,
    pub(super) later: Arc<Detaching>,
    pub(super) news: mpsc::UnboundedReceiver<News>,
}

impl Test {
    pub(super) fn new(when: When) -> Self {
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

    pub(super) async fn next(&mut self) -> News {
        self.news.recv().await.unwrap()
    }

    pub(super) async fn ended(&mut self) -> Value {
        loop {
            if let News::Ended(outcome) = self.next().await {
                return outcome.unwrap();
            }
        }
    }

    /// Connects a client that can be asked, in the given era.
    pub(super) async fn wire(&self, era: Era) -> Wire {
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

/// Returns a call with a progress token, from a client that can be asked.
pub(super) fn call(era: Era, tool: &str, arguments: &Value) -> Value {
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

pub(super) fn is_ticket(answer: &Value) -> bool {
    answer["result"]["resultType"] == "com.example/later"
}
