//! An MCP server that requires tokens of an authorization server.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use mcp_auth::challenge::Challenge;
use mcp_auth::{Loopback, OAuth};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, HttpOptions, http_service};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, ConnectError};
use serde_json::{Value, json};
use support::{AuthorizationServer, Settings, browser};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::proofs::Proofs;

pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) issuer: AuthorizationServer,
    pub(crate) origin: String,
    state: Arc<Mutex<SiteState>>,
    /// The number of requests with a rejected token.
    challenges: Arc<watch::Sender<usize>>,
}

pub(crate) struct SiteState {
    /// The issuer whose tokens are accepted.
    pub(crate) accepts: String,
    /// Documents by path, each with its status, `Location` and body.
    pub(crate) documents: HashMap<String, (u16, &'static str, String)>,
    pub(crate) challenge: Challenge,
    /// The scope that the tool `write` needs.
    pub(crate) write_scope: Option<&'static str>,
    /// Tokens that are rejected although they are valid.
    pub(crate) revoked: HashSet<String>,
    pub(crate) revokes_all: bool,
    pub(crate) asked: Vec<String>,
    /// The `Authorization` of each request.
    pub(crate) seen: Vec<Option<String>>,
    pub(crate) ignores_expiry: bool,
    pub(crate) ignores_audience: bool,
    /// Checks the proofs that come with tokens, if tokens must be bound to a key.
    pub(crate) proofs: Option<Arc<Proofs>>,
}

struct Files;

async fn bind() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    (listener, origin)
}

#[mcp_server(undocumented = "allow", cache(ttl = "5m", scope = private))]
impl Files {
    #[tool]
    fn read(&self) -> &'static str {
        "read"
    }

    #[tool]
    fn write(&self) -> &'static str {
        "written"
    }
}

impl Site {
    /// A server with metadata at its well-known URL.
    pub(crate) async fn start() -> Self {
        Self::with(AuthorizationServer::start().await).await
    }

    pub(crate) async fn with(issuer: AuthorizationServer) -> Self {
        let (listener, origin) = bind().await;
        let site = Self::new(issuer, origin);
        let router = site.router().await.fallback(document);
        site.serve(listener, router)
    }

    /// A server of revision 2025-03-26, which is its own authorization server and has no resource
    /// metadata.
    pub(crate) async fn own_issuer(change: impl FnOnce(&mut Settings)) -> Self {
        let (listener, origin) = bind().await;
        let issuer = AuthorizationServer::mounted(&origin, change);
        let router = issuer.router();
        let site = Self::new(issuer, origin);
        let router = site.router().await.fallback_service(router);
        site.serve(listener, router)
    }

    fn new(issuer: AuthorizationServer, origin: String) -> Self {
        let metadata = json!({
            "resource": format!("{origin}/mcp"),
            "authorization_servers": [issuer.issuer()],
        });
        let state = SiteState {
            accepts: issuer.issuer().to_owned(),
            documents: HashMap::from([(METADATA.to_owned(), (200, "", metadata.to_string()))]),
            challenge: Challenge::bearer(),
            write_scope: None,
            revoked: HashSet::new(),
            revokes_all: false,
            asked: Vec::new(),
            seen: Vec::new(),
            ignores_expiry: false,
            ignores_audience: false,
            proofs: None,
        };
        Self {
            issuer,
            origin,
            state: Arc::new(Mutex::new(state)),
            challenges: watch::Sender::new(0).into(),
        }
    }

    async fn router(&self) -> Router<Self> {
        let options = HttpOptions::default().auth(Tokens(self.clone()));
        let service = http_service(Files.into_server(), options);
        // The server runs until the end of the test.
        std::mem::forget(service.start().await.unwrap());
        Router::new().route_service("/mcp", service)
    }

    fn serve(self, listener: TcpListener, router: Router<Self>) -> Self {
        let router = router.with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        self
    }

    /// Waits until this many requests with a rejected token have arrived.
    pub(crate) async fn challenged(&self, count: usize) {
        let mut challenges = self.challenges.subscribe();
        let enough = challenges.wait_for(|now| *now >= count).await;
        drop(enough.unwrap());
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, SiteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_metadata(&self, changes: &Value) {
        let mut state = self.state();
        let document = state.documents.get_mut(METADATA).unwrap();
        let mut metadata: Value = serde_json::from_str(&document.2).unwrap();
        for (name, value) in changes.as_object().unwrap() {
            metadata[name] = value.clone();
        }
        document.2 = metadata.to_string();
    }

    pub(crate) fn document(&self, path: &str, status: u16, location: &'static str, body: &str) {
        let document = (status, location, body.to_owned());
        self.state().documents.insert(path.to_owned(), document);
    }

    /// Rejects all tokens that were sent until now.
    pub(crate) fn revoke_seen(&self) {
        let mut state = self.state();
        let seen = state.seen.clone();
        let tokens = seen.into_iter().flatten();
        state.revoked.extend(tokens);
    }

    pub(crate) fn last_token(&self) -> Option<String> {
        self.state().seen.last().cloned().flatten()
    }

    pub(crate) async fn connect(&self, oauth: &OAuth) -> Result<Client, ConnectError> {
        let builder = Client::builder("test", "1.0.0");
        builder
            .connect(http_client(self.url()).without_proxy().auth(oauth.clone()))
            .await
    }

    pub(crate) async fn refused(&self, oauth: &OAuth) -> String {
        match self.connect(oauth).await {
            Ok(_) => panic!("the client is connected"),
            Err(error) => error.to_string(),
        }
    }
}

/// An application whose browser logs in immediately.
pub(crate) fn app() -> OAuth {
    let oauth = OAuth::new("test-app").redirect(Loopback::any_port());
    oauth.opener(async |url| {
        browser::visit(&url).await;
        Ok(())
    })
}

pub(crate) async fn call(client: &Client, tool: &str) -> Result<String, String> {
    let result = client.call_tool(tool, json!({})).await;
    let result = result.map_err(|error| error.to_string())?;
    let content = serde_json::to_value(&result).unwrap();
    Ok(content["content"][0]["text"].as_str().unwrap().to_owned())
}

async fn document(State(site): State<Site>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let mut state = site.state();
    let found = state.documents.get(&path).cloned();
    state.asked.push(path);
    let (status, location, body) = found.unwrap_or((404, "", String::new()));
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    (status, [("location", location)], body).into_response()
}

struct Tokens(Site);

impl AccessPolicy for Tokens {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let header = request.headers.remove(AUTHORIZATION);
        let header = header.map(|it| it.to_str().unwrap().to_owned());
        let mut state = self.0.state();
        let proofs = state.proofs.clone();
        let scheme = proofs.as_ref().map_or("Bearer ", |_| "DPoP ");
        let token = header.as_deref().and_then(|it| it.strip_prefix(scheme));
        state.seen.push(token.map(str::to_owned));
        let claims = token.and_then(|token| self.0.claims(&state, token));
        let Some(claims) = claims else {
            let challenge = state.challenge.clone();
            let challenge = match token {
                Some(_) => {
                    self.0.challenges.send_modify(|count| *count += 1);
                    challenge.with_error("invalid_token")
                }
                None => challenge,
            };
            return Err(AccessDenied::unauthorized(challenge.to_header_value()));
        };
        if let Some((proofs, token)) = proofs.zip(token) {
            proofs.admit(request, token)?;
        }
        let tool = request.headers.get("mcp-name").map(HeaderValue::as_bytes);
        let needed = state.write_scope.filter(|_| tool == Some(b"write"));
        let scopes = claims["scope"].as_str().unwrap_or_default();
        match needed {
            Some(needed) if !scopes.split(' ').any(|it| it == needed) => {
                let challenge = Challenge::bearer().with_error("insufficient_scope");
                let challenge = challenge.with_scope(needed).to_header_value();
                Err(AccessDenied::forbidden().header(WWW_AUTHENTICATE, challenge))
            }
            _ => Ok(()),
        }
    }
}

impl Site {
    fn claims(&self, state: &SiteState, token: &str) -> Option<Value> {
        if state.revokes_all || state.revoked.contains(token) {
            return None;
        }
        let claims = support::decode(token.split('.').nth(1)?)?;
        let claims: Value = serde_json::from_slice(&claims).ok()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let is_right = claims["iss"] == state.accepts.as_str()
            && (state.ignores_audience || claims["aud"] == self.url().as_str())
            && (state.ignores_expiry || claims["exp"].as_u64()? > now.as_secs());
        is_right.then_some(claims)
    }
}
