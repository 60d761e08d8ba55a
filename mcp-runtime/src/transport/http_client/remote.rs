//! The server, as far as requests to it go.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::mpsc;

use super::known::Known;
use super::outgoing::Outgoing;

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The server can't be reached, or has ended the session.
#[derive(Debug)]
pub(super) struct Lost;

/// The server, and the way to the client for what it sends.
pub(super) struct Remote {
    client: Client<HttpsConnector<HttpConnector>, String>,
    uri: Uri,
    headers: HeaderMap,
    pub(super) limit: usize,
    inbox: mpsc::Sender<Vec<u8>>,
    known: Mutex<Known>,
}

impl Remote {
    pub(super) fn new(
        uri: Uri,
        headers: HeaderMap,
        limit: usize,
        inbox: mpsc::Sender<Vec<u8>>,
    ) -> io::Result<Self> {
        if uri.host().is_none() {
            let reason = "the URL has no host";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(http);
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            uri,
            headers,
            limit,
            inbox,
            known: Mutex::default(),
        })
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// When the server can't be reached.
    pub(super) async fn post(&self, outgoing: &Outgoing) -> Result<Response<Incoming>, Lost> {
        let mut headers = self.handshake_headers();
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(version) = &outgoing.version {
            headers.remove(&SESSION_ID);
            if let Ok(version) = HeaderValue::try_from(version) {
                headers.insert(&PROTOCOL_VERSION, version);
            }
            outgoing.mirror(&self.known().annotations, &mut headers);
        }
        self.send(Method::POST, headers, outgoing.line.clone())
            .await
    }

    /// Opens the stream of the session, or goes on with one after an event.
    ///
    /// # Errors
    ///
    /// When the server can't be reached.
    pub(super) async fn get(&self, after: Option<&str>) -> Result<Response<Incoming>, Lost> {
        let mut headers = self.handshake_headers();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = after.and_then(|id| HeaderValue::try_from(id).ok()) {
            headers.insert(&LAST_EVENT_ID, id);
        }
        self.send(Method::GET, headers, String::new()).await
    }

    /// Ends the session, if there is one.
    pub(super) async fn leave(&self) {
        if self.known().session.is_some() {
            let headers = self.handshake_headers();
            // A server that can't be told notices by itself in time.
            let _ = self.send(Method::DELETE, headers, String::new()).await;
        }
    }

    fn handshake_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        let known = self.known();
        if let Some(version) = &known.version {
            headers.insert(&PROTOCOL_VERSION, version.clone());
        }
        if let Some(session) = &known.session {
            headers.insert(&SESSION_ID, session.clone());
        }
        headers
    }

    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response<Incoming>, Lost> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        let response = self.client.request(request).await.map_err(|error| {
            tracing::warn!(%error, uri = %self.uri, "the server can't be reached");
            Lost
        })?;
        if response.status() == StatusCode::NOT_FOUND && self.known().session.is_some() {
            tracing::info!("the server has ended the session");
            self.known().session = None;
            return Err(Lost);
        }
        Ok(response)
    }

    /// Hands a message to the client.
    ///
    /// # Errors
    ///
    /// When nobody reads any more.
    pub(super) async fn deliver(&self, message: Vec<u8>) -> Result<(), Lost> {
        self.inbox.send(message).await.map_err(|_| Lost)
    }

    /// Whether there was a handshake.
    pub(super) fn has_handshake(&self) -> bool {
        self.known().version.is_some()
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
