//! An MCP server that asks for tokens of the authorization server beside it.

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
use support::{AuthorizationServer, browser};
use tokio::net::TcpListener;

/// The well-known path of the server's metadata.
pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// An MCP server at `/mcp`, and its authorization server.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) issuer: AuthorizationServer,
    pub(crate) origin: String,
    state: Arc<Mutex<SiteState>>,
}

/// Switches of the server.
pub(crate) struct SiteState {
    /// The issuer whose tokens are accepted.
    pub(crate) accepts: String,
    /// Documents by path: status, `Location`, body.
    pub(crate) documents: HashMap<String, (u16, &'static str, String)>,
    /// The challenge of a 401.
    pub(crate) challenge: Challenge,
    /// The scope that the tool `write` needs.
    pub(crate) write_scope: Option<&'static str>,
    /// Tokens that are not accepted, although they are valid.
    pub(crate) revoked: HashSet<String>,
    pub(crate) revokes_all: bool,
    /// The paths of documents that were asked for.
    pub(crate) asked: Vec<String>,
    /// `Authorization` of all requests.
    pub(crate) seen: Vec<Option<String>>,
}

struct Files;

#[mcp_server(undocumented = "allow")]
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
    /// A server whose metadata is at its well-known URL.
    pub(crate) async fn start() -> Self {
        Self::with(AuthorizationServer::start().await).await
    }

    pub(crate) async fn with(issuer: AuthorizationServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
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
        };
        let site = Self {
            issuer,
            origin,
            state: Arc::new(Mutex::new(state)),
        };
        let mcp = http_service(
            Files.into_server(),
            HttpOptions::default().auth(Tokens(site.clone())),
        );
        let router = Router::new()
            .route_service("/mcp", mcp)
            .fallback(document)
            .with_state(site.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        site
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, SiteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last token that was sent.
    pub(crate) fn last_token(&self) -> Option<String> {
        self.state().seen.last().cloned().flatten()
    }

    /// Connects, and calls nothing yet.
    pub(crate) async fn connect(&self, oauth: &OAuth) -> Result<Client, ConnectError> {
        let builder = Client::builder("test", "1.0.0");
        builder
            .connect(http_client(self.url()).without_proxy().auth(oauth.clone()))
            .await
    }
}

/// An application whose browser logs in at once.
pub(crate) fn app() -> OAuth {
    let oauth = OAuth::new("test-app").redirect(Loopback::any_port());
    oauth.opener(async |url| {
        browser::visit(&url).await;
        Ok(())
    })
}

/// Calls a tool, and returns its text.
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
        let token = header.as_deref().and_then(|it| it.strip_prefix("Bearer "));
        let mut state = self.0.state();
        state.seen.push(token.map(str::to_owned));
        let claims = token.and_then(|token| self.0.claims(&state, token));
        let Some(claims) = claims else {
            let challenge = state.challenge.clone();
            let challenge = match token {
                Some(_) => challenge.with_error("invalid_token"),
                None => challenge,
            };
            return Err(AccessDenied::unauthorized(challenge.to_header_value()));
        };
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
            && claims["aud"] == self.url().as_str()
            && claims["exp"].as_u64()? > now.as_secs();
        is_right.then_some(claims)
    }
}
