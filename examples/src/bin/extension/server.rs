//! The server side of `com.example/tickets`: a long call is answered with a ticket.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next};
use mcp_runtime::prelude::*;
use mcp_runtime::resources::{Contents, ListPart, ResourceCall, ResourceEntry, UriTemplate};
use mcp_runtime::serde_json::json;
use mcp_runtime::server::{
    DetachedCall, Extension, ExtensionNotification, ExtensionSubscription, Reply, ToolExtension,
};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{InputRequest, JsonObject, RawJson, Resource, ResourceTemplate, Tool};
use mcp_runtime::{ExtensionMethod, Revision, ServerBuilder};
use tokio::sync::{mpsc, oneshot, watch};

pub(crate) const ID: &str = "com.example/tickets";
/// The `resultType` of a ticket.
pub(crate) const KIND: &str = "com.example/ticket";
pub(crate) const GET: ExtensionMethod =
    ExtensionMethod::new("com.example/tickets/get").named_by("id");
pub(crate) const ANSWER: ExtensionMethod =
    ExtensionMethod::new("com.example/tickets/answer").named_by("id");

/// The state of a call, which is the result of [`GET`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<InputRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ProtocolError>,
}

/// A call that continues after a ticket was returned.
struct Ticket {
    id: String,
    owner: Option<String>,
    status: watch::Sender<Status>,
    asked: Mutex<Option<oneshot::Sender<RawJson>>>,
}

impl DetachedCall for Ticket {
    fn ask(&self, _: String, request: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>> {
        let (sender, answer) = oneshot::channel();
        *lock(&self.asked) = Some(sender);
        self.status
            .send_modify(|status| status.question = Some(request));
        let gone = || ProtocolError::new(code::INTERNAL_ERROR, "another question came between");
        Box::pin(async move { answer.await.map_err(|_| gone()) })
    }

    fn progress(&self, done: f64, _: Option<f64>, message: &str) {
        let message = format!("{message} ({done})");
        self.status.send_modify(|status| status.message = message);
    }
}

/// The extension. For simplicity, it keeps all tickets until the server ends.
#[derive(Clone, Default)]
pub(crate) struct Tickets(Arc<Mutex<Vec<Arc<Ticket>>>>);

impl Tickets {
    fn issue(&self, cx: &Context) -> Arc<Ticket> {
        let mut all = lock(&self.0);
        let ticket = Arc::new(Ticket {
            id: (all.len() + 1).to_string(),
            owner: cx.principal().map(str::to_owned),
            status: watch::Sender::default(),
            asked: Mutex::default(),
        });
        all.push(Arc::clone(&ticket));
        ticket
    }

    /// Finds a ticket of the caller. The tickets of other callers are treated as unknown.
    fn find(&self, id: &str, cx: &Context) -> Result<Arc<Ticket>, ProtocolError> {
        let found = self.of(cx).into_iter().find(|ticket| ticket.id == id);
        found.ok_or_else(|| ProtocolError::new(code::INVALID_PARAMS, "no such ticket"))
    }

    /// Returns the tickets of the caller.
    fn of(&self, cx: &Context) -> Vec<Arc<Ticket>> {
        let is_own = |it: &&Arc<Ticket>| it.owner.as_deref() == cx.principal();
        lock(&self.0).iter().filter(is_own).cloned().collect()
    }

    fn answer(&self, asked: Answer, cx: &Context) -> Result<(), ProtocolError> {
        let ticket = self.find(&asked.id, cx)?;
        let waiting = lock(&ticket.asked).take();
        if let Some(waiting) = waiting {
            ticket.status.send_modify(|status| status.question = None);
            // Sending fails if the call has ended in the meantime, which is fine.
            let _ = waiting.send(asked.answer);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Get {
    id: String,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    answer: RawJson,
}

impl Extension for Tickets {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let get = Arc::clone(&self);
        let answer = Arc::clone(&self);
        server.method(GET, move |asked: Get, cx: Context| {
            let found = get.find(&asked.id, &cx);
            async move { found.map(|ticket| ticket.status.borrow().clone()) }
        });
        server.method(ANSWER, move |asked: Answer, cx: Context| {
            let answered = answer.answer(asked, &cx);
            async move { answered }
        });
        let read = Arc::clone(&self);
        let listed = self;
        let template = UriTemplate::parse("ticket:{id}").expect("a valid template");
        let tickets = ResourceTemplate::new("tickets", "ticket:{id}");
        let entry = ResourceEntry::template(tickets, template, move |call: ResourceCall<'_>| {
            let id = call.variables.get("id").map_or("", String::as_str);
            let ticket = read.find(id, call.context);
            Reply::Ready(ticket.map(|it| Contents::Json(json!(&*it.status.borrow()).to_string())))
        });
        server.resource(entry.list(move |part: ListPart| {
            let own = listed.of(part.context()).into_iter();
            let own = own.map(|it| Resource::new(&*it.id, format!("ticket:{}", it.id)));
            let own: Vec<_> = own.collect();
            async move { own }
        }));
    }

    /// Accepts a filter such as `{"com.example/tickets": ["1", "2"]}`, which subscribes to these
    /// tickets.
    fn listen(
        &self,
        wanted: &JsonObject,
        cx: &Context,
    ) -> Result<Option<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let Some(ids) = wanted.get(ID).and_then(|ids| ids.as_array()) else {
            return Ok(None);
        };
        cx.require_extension(ID)?;
        let ids = ids.iter().filter_map(|id| id.as_str());
        let tickets: Vec<_> = ids.filter_map(|id| self.find(id, cx).ok()).collect();
        let ids: Vec<_> = tickets.iter().map(|ticket| &ticket.id).collect();
        let accepted = JsonObject::from_iter([(ID.to_owned(), json!(ids))]);
        let (sender, notifications) = mpsc::channel(16);
        for ticket in tickets {
            tokio::spawn(announce(ticket, sender.clone()));
        }
        let listening = ExtensionSubscription::new(accepted, notifications);
        Ok(Some(Box::pin(async { listening })))
    }
}

/// Sends the state of a ticket now and after each change, until the client stops listening.
async fn announce(ticket: Arc<Ticket>, listener: mpsc::Sender<ExtensionNotification>) {
    let mut status = ticket.status.subscribe();
    loop {
        let news = json!({"id": ticket.id, "status": &*status.borrow_and_update()});
        let news = news.as_object().cloned().unwrap_or_default();
        let news = ExtensionNotification::new("notifications/com.example/ticket", news);
        if listener.send(news).await.is_err() {
            return;
        }
        tokio::select! {
            changed = status.changed() => if changed.is_err() { return },
            () = listener.closed() => return,
        }
    }
}

/// Returns a ticket if a call takes longer than `after` and the client supports tickets.
pub(crate) struct Ticketed {
    pub after: Duration,
}

impl ToolExtension for Ticketed {
    fn needs(&self) -> Option<&'static str> {
        Some(ID)
    }

    fn describe(&self, tool: &mut Tool) {
        let meta = tool.meta.get_or_insert_default();
        meta.insert(ID.to_owned(), json!({"afterMs": self.after.as_millis()}));
    }

    fn call(
        self: Arc<Self>,
        mut request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(async move {
            let cx = request
                .context()
                .filter(|cx| cx.declares_extension(ID))
                .cloned();
            let tickets = cx.as_ref().and_then(|cx| cx.extension::<Tickets>());
            let (Some(cx), Some(tickets), Some(mut call)) =
                (&cx, tickets, request.detachable(true))
            else {
                return next.run(request).await;
            };
            let mut work = Box::pin(next.run(request));
            let takes_long = async {
                call.entered().await;
                tokio::time::sleep(self.after).await;
            };
            tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                () = takes_long => {}
            }
            let ticket = tickets.issue(cx);
            let answer = json!({"resultType": KIND, "id": ticket.id});
            let detached = call.detach(Arc::clone(&ticket) as _);
            tokio::spawn(async move {
                let outcome = work
                    .await
                    .and_then(|it| Ok(it.json()?.map(Cow::into_owned)));
                ticket.status.send_modify(|status| match outcome {
                    Ok(result) => status.result = result.and_then(|it| RawJson::from_text(it).ok()),
                    Err(error) => status.error = Some(as_protocol(error)),
                });
                drop(detached);
            });
            Ok(McpResponse::of(&answer)?)
        })
    }
}

/// Converts to the protocol error that an ordinary call would have returned.
fn as_protocol(error: BoxError) -> ProtocolError {
    let other = |error: BoxError| ProtocolError::new(code::INTERNAL_ERROR, error.to_string());
    error.downcast().map_or_else(other, |error| *error)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Workshop;

#[mcp_server(name = "extension")]
impl Workshop {
    /// Repairs a bicycle.
    #[tool(with(Ticketed { after: Duration::from_millis(50) }))]
    async fn repair(&self, days: u64, cx: &Context) -> Result<String, ToolError> {
        cx.progress(1, 2, "taken apart");
        tokio::time::sleep(Duration::from_millis(100 * days)).await;
        if days > 1 {
            let colour: String = cx.elicit("Which colour?").await?;
            return Ok(format!("repaired, and painted {colour}"));
        }
        Ok("repaired".to_owned())
    }
}

pub(crate) fn workshop() -> ServerBuilder {
    let mut server = Workshop.into_builder();
    server.extension(Tickets::default());
    server
}
