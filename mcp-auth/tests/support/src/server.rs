//! The authorization server.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::header::RETRY_AFTER;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::fault::{Dribble, Fault, Hold};
use crate::key;
use crate::record::{Endpoint, Recorded};
use crate::reply::{json_response, redirect, reply, text};
use crate::settings::Settings;
use crate::state::{AccessToken, State};

/// An authorization server on a loopback port. Clones share the server.
#[derive(Clone)]
pub struct AuthorizationServer(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    issuer: String,
    address: SocketAddr,
    arrivals: watch::Sender<usize>,
    listening: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl AuthorizationServer {
    /// Starts a server with the default settings.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts a server with other settings.
    ///
    /// # Panics
    ///
    /// If the port can't be opened.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self::new(&format!("http://{address}"), address, change);
        server.listen(listener);
        server
    }

    /// Creates a server that does not listen. Its [`router`](Self::router) is mounted at `origin`,
    /// which consists of scheme, host and port.
    ///
    /// # Panics
    ///
    /// If `origin` does not contain a socket address.
    pub fn mounted(origin: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let address = origin.trim_start_matches("http://").parse().unwrap();
        Self::new(origin, address, change)
    }

    fn new(origin: &str, address: SocketAddr, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        change(&mut settings);
        let state = State::new(settings, origin.to_owned());
        Self(Arc::new(Inner {
            issuer: state.issuer.clone(),
            state: Mutex::new(state),
            address,
            arrivals: watch::Sender::new(0),
            listening: Mutex::default(),
        }))
    }

    /// Returns all endpoints as an axum router.
    pub fn router(&self) -> Router {
        let server = self.clone();
        Router::new().fallback(move |request: axum::extract::Request| async move {
            server.answer(request).await
        })
    }

    fn listen(&self, listener: TcpListener) {
        let (stop, stopped) = oneshot::channel();
        let serving = axum::serve(listener, self.router());
        let serving = serving.with_graceful_shutdown(async move { drop(stopped.await) });
        let task = tokio::spawn(async move { serving.await.unwrap() });
        *self.0.listening.lock().unwrap() = Some((stop, task));
    }

    /// Closes the port, and the connections after their requests have been answered.
    ///
    /// # Panics
    ///
    /// If the server does not listen.
    pub async fn stop(&self) {
        let listening = self.0.listening.lock().unwrap().take();
        let (stop, task) = listening.expect("the server listens");
        drop(stop);
        task.abort();
        // The task was cancelled or has ended. In both cases the listener is closed.
        drop(task.await);
    }

    /// Listens again at the previous address.
    ///
    /// # Panics
    ///
    /// If the port can't be opened again.
    pub async fn restart(&self) {
        let listener = TcpListener::bind(self.0.address).await.unwrap();
        self.listen(listener);
    }

    /// The identifier of the issuer.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The URL of an endpoint.
    pub fn url(&self, endpoint: Endpoint) -> String {
        self.state().url(endpoint)
    }

    /// Changes the settings of the running server.
    pub fn change(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.state().settings);
    }

    /// Accepts assertions of a different issuer as grants.
    pub fn trust(&self, issuer: &Self) {
        self.state().trusted.push(issuer.clone());
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state().log.clone()
    }

    /// Returns the requests to an endpoint so far.
    pub fn requests_to(&self, endpoint: Endpoint) -> Vec<Recorded> {
        let log = self.requests().into_iter();
        log.filter(|it| it.endpoint == endpoint).collect()
    }

    /// Returns the number of requests to an endpoint so far.
    pub fn count(&self, endpoint: Endpoint) -> usize {
        self.requests_to(endpoint).len()
    }

    /// Waits until an endpoint has received this many requests.
    ///
    /// # Panics
    ///
    /// Never, because the server keeps the sender.
    pub async fn arrived(&self, endpoint: Endpoint, count: usize) {
        let mut arrivals = self.0.arrivals.subscribe();
        let enough = arrivals.wait_for(|_| self.count(endpoint) >= count);
        drop(enough.await.expect("the sender is kept"));
    }

    /// Makes an endpoint fail.
    pub fn fail(&self, endpoint: Endpoint, fault: Fault) {
        self.state().faults.insert(endpoint, fault);
    }

    /// Removes all faults.
    pub fn heal(&self) {
        self.state().faults.clear();
    }

    /// Delays the requests to an endpoint until the returned value is dropped. Delayed requests are
    /// already counted.
    pub fn hold(&self, endpoint: Endpoint) -> Hold {
        let (sender, receiver) = watch::channel(());
        self.state().holds.insert(endpoint, receiver);
        Hold { _sender: sender }
    }

    /// Creates an access token with these claims in addition to `iss`, `sub`, `exp`, `iat`, `jti`
    /// and `client_id`. Null removes a claim. The test must set `aud`.
    pub fn mint(&self, claims: &Value) -> String {
        self.mint_with(&json!({}), claims)
    }

    /// Creates a token with these header members in addition to `typ`, `alg` and `kid`. Null
    /// removes a member.
    pub fn mint_with(&self, header: &Value, claims: &Value) -> String {
        self.state().mint(header, claims)
    }

    /// Creates an opaque token with these claims.
    ///
    /// # Panics
    ///
    /// If the claims are not an object.
    pub fn mint_opaque(&self, claims: &Value) -> String {
        let mut state = self.state();
        let (_, claims) = key::parts(&state.mint(&json!({}), claims)).unwrap();
        let token = key::random();
        let login = key::random();
        let kept = AccessToken { login, claims };
        state.access_tokens.insert(token.clone(), kept);
        token
    }

    /// Creates an ID token for a client.
    pub fn id_token(&self, client_id: &str) -> String {
        self.state().id_token(client_id, None)
    }

    /// Signs with a new key, and publishes only that key.
    pub fn rotate_keys(&self) {
        let mut state = self.state();
        state.keys.clear();
        state.add_key();
    }

    /// Signs with a new key, and still publishes the old keys.
    pub fn add_key(&self) {
        self.state().add_key();
    }

    /// Requires a new nonce in proofs.
    pub fn rotate_nonce(&self) {
        self.state().nonce = key::random();
    }

    /// Returns the public keys.
    pub fn jwks(&self) -> Value {
        self.state().jwks()
    }

    /// Forgets all clients that registered dynamically.
    pub fn forget_clients(&self) {
        self.state().registered.clear();
    }

    /// Revokes all issued tokens.
    pub fn revoke_all(&self) {
        let mut state = self.state();
        state.refresh_tokens.clear();
        state.access_tokens.clear();
    }

    pub(crate) fn has_signed(&self, token: &str) -> bool {
        self.state().keys.iter().any(|key| key.has_signed(token))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: axum::extract::Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 1 << 20).await;
        let (request, hold, fault) = {
            let mut state = self.state();
            let endpoint = state.endpoint(parts.uri.path());
            let request = Recorded::new(endpoint, &parts, &body.unwrap_or_default());
            state.log.push(request.clone());
            let hold = state.holds.get(&endpoint).cloned();
            (request, hold, state.faults.get(&endpoint).cloned())
        };
        self.0.arrivals.send_modify(|count| *count += 1);
        if let Some(mut hold) = hold {
            // An error means that the `Hold` was dropped.
            while hold.changed().await.is_ok() {}
        }
        match fault {
            None => {}
            Some(Fault::Status(status)) => return text(status, "a fault"),
            Some(Fault::Garbage) => return text(200, "<html>{]"),
            Some(Fault::Json(json)) => {
                let value = serde_json::from_str(&json).expect("JSON");
                return json_response(200, &value);
            }
            Some(Fault::Large(size)) => return json_response(200, &json!("a".repeat(size))),
            Some(Fault::Refusal(status, pause, json)) => {
                let value = serde_json::from_str(json).expect("JSON");
                let mut response = json_response(status, &value);
                let pause = pause.map(|seconds| (RETRY_AFTER, seconds.into()));
                response.headers_mut().extend(pause);
                return response;
            }
            Some(Fault::Redirect(location)) => return redirect(&location),
            Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Dribble) => return Response::new(Body::new(Dribble::new())),
        }
        self.state().respond(&request)
    }
}

impl State {
    fn respond(&mut self, request: &Recorded) -> Response {
        match request.endpoint {
            Endpoint::Metadata => json_response(200, &self.metadata()),
            Endpoint::Jwks => json_response(200, &self.jwks()),
            Endpoint::Register => match self.register(request) {
                Ok(client) => json_response(201, &client),
                Err(error) => reply(Err(error)),
            },
            Endpoint::Authorize => self.authorize(request),
            Endpoint::Push => match self.push(request) {
                Ok(pushed) => json_response(201, &pushed),
                Err(error) => reply(Err(error)),
            },
            Endpoint::Token => reply(self.token(request)),
            Endpoint::Introspect => reply(self.introspect(request)),
            Endpoint::Revoke => reply(self.revocation(request)),
            Endpoint::Other => text(404, "nothing is here"),
        }
    }
}
