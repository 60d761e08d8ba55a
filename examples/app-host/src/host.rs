//! Serves the host page, and answers its requests and those of the pages that it shows.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use mcp_extensions::apps::{AppError, AppPage, ServerApps, page_uri};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{CallToolResult, ErrorObject, ReadResourceResult, Tool};
use mcp_runtime::{CallError, Client};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The number of pages that can be shown at the same time. The oldest page ends.
const MAX_PAGES: usize = 32;

pub(crate) struct Host {
    pub(crate) apps: ServerApps,
    pub(crate) client: Client,
    /// Host and port of the host page.
    pub(crate) authority: String,
    /// Host and port of the sandbox.
    pub(crate) sandbox: String,
    pub(crate) pages: Mutex<VecDeque<(String, AppPage)>>,
}

impl Host {
    /// Returns the page with an ID.
    pub(crate) fn page(&self, id: &str) -> Option<AppPage> {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, page) = pages.iter().find(|(it, _)| it == id)?;
        Some(page.clone())
    }

    fn remember(&self, id: String, page: AppPage) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.push_back((id, page));
        if pages.len() > MAX_PAGES {
            pages.pop_front();
        }
    }

    /// Returns a tool that the model may call.
    async fn tool(&self, name: &str) -> Result<Tool, Failure> {
        let tools = self.apps.tools_for_model().await?;
        let tool = tools.into_iter().find(|tool| tool.name == name);
        tool.ok_or_else(|| {
            Failure::invalid(format!("the server has no tool `{name}` for the model"))
        })
    }

    /// Returns true if a request is for this address, and comes from the host page if it names an
    /// origin.
    fn is_addressed_by(&self, headers: &HeaderMap) -> bool {
        let origin = format!("http://{}", self.authority);
        headers
            .get(header::HOST)
            .is_some_and(|it| *it == *self.authority)
            && headers.get(header::ORIGIN).is_none_or(|it| *it == *origin)
    }
}

/// The `result` of a JSON-RPC response, or its `error`.
type Answer<T> = Result<Json<Success<T>>, Failure>;

#[derive(Serialize)]
struct Success<T> {
    result: T,
}

fn answer<T>(result: T) -> Answer<T> {
    Ok(Json(Success { result }))
}

struct Failure(ErrorObject);

impl Failure {
    fn invalid(message: impl ToString) -> Self {
        Self(ErrorObject::new(code::INVALID_PARAMS, message.to_string()))
    }
}

impl<E: Into<AppError>> From<E> for Failure {
    fn from(error: E) -> Self {
        match error.into() {
            AppError::Call(CallError::Rpc(error)) => Self(error),
            AppError::Call(error) => {
                Self(ErrorObject::new(code::INTERNAL_ERROR, error.to_string()))
            }
            error => Self::invalid(error),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        Json(json!({ "error": self.0 })).into_response()
    }
}

#[derive(Serialize)]
struct Listing {
    server: Option<String>,
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Deserialize)]
struct Read {
    uri: String,
}

pub(crate) fn router(host: Arc<Host>, token: &str) -> Router {
    let at = |path: &str| format!("/{token}/{path}");
    let script = |text: &'static str| get(([(header::CONTENT_TYPE, "text/javascript")], text));
    Router::new()
        .route(&at(""), get(Html(include_str!("host.html"))))
        .route(&at("host.js"), script(include_str!("host.js")))
        .route(&at("view.js"), script(include_str!("view.js")))
        .route(&at("tools"), post(list))
        .route(&at("call"), post(call))
        .route(&at("pages"), post(open))
        .route(&at("pages/{page}/tools/call"), post(call_for_page))
        .route(&at("pages/{page}/resources/read"), post(read_for_page))
        .layer(middleware::from_fn_with_state(host.clone(), check))
        .with_state(host)
}

/// Refuses requests of other origins and for other names of this machine, and protects the host
/// page: it can only load its own scripts and frame the sandbox.
async fn check(State(host): State<Arc<Host>>, request: Request, next: Next) -> Response {
    if !host.is_addressed_by(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; \
         frame-src http://{}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        host.sandbox
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    (headers, next.run(request).await).into_response()
}

async fn list(State(host): State<Arc<Host>>) -> Answer<Listing> {
    let tools = host.apps.tools_for_model().await?;
    let info = host.client.server_info();
    let server = info.map(|it| it.title.unwrap_or(it.name));
    answer(Listing { server, tools })
}

/// Calls a tool for the model. If the host page aborts its request, this future is dropped, which
/// cancels the call at the server.
async fn call(State(host): State<Arc<Host>>, Json(call): Json<ToolCall>) -> Answer<CallToolResult> {
    host.tool(&call.name).await?;
    answer(host.client.call_tool(call.name, call.arguments).await?)
}

/// Reads the page of a tool. The result is null if the tool has no page.
async fn open(State(host): State<Arc<Host>>, Json(call): Json<ToolCall>) -> Answer<Value> {
    let tool = host.tool(&call.name).await?;
    if page_uri(&tool).is_none() {
        return answer(Value::Null);
    }
    let page = host.apps.page(&tool).await?;
    let id = random_name();
    let shown = json!({
        "id": id,
        "sandbox": format!("http://{}/{id}", host.sandbox),
        "html": page.html(),
        "allow": page.allow(),
        "border": page.prefers_border(),
    });
    host.remember(id, page);
    answer(shown)
}

async fn call_for_page(
    State(host): State<Arc<Host>>,
    Path(page): Path<String>,
    Json(call): Json<ToolCall>,
) -> Answer<CallToolResult> {
    let page = host.page(&page);
    let page = page.ok_or_else(|| Failure::invalid("too many pages were shown after this page"))?;
    answer(page.call_tool(&call.name, call.arguments).await?)
}

async fn read_for_page(
    State(host): State<Arc<Host>>,
    Json(read): Json<Read>,
) -> Answer<ReadResourceResult> {
    answer(host.client.read_resource(read.uri).await?)
}

/// Returns a name that can't be guessed.
pub(crate) fn random_name() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    bytes.map(|byte| format!("{byte:02x}")).concat()
}
