//! The server, as far as requests to it go.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, PROXY_AUTHORIZATION,
};
use http::{Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use tokio::sync::mpsc;

use super::dial::Dialer;
use super::fault::{authority, explained, not_sent};
use super::frames::Delivery;
use super::known::Known;
use super::outgoing::Outgoing;
use super::{reference, retry};
use crate::error::CallError;
use crate::limits::MAX_REDIRECTS;
use crate::protocol::Timeouts;

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The session has ended: nothing more can be sent.
#[derive(Debug)]
pub(super) struct Ended;

/// How a server is spoken to.
pub(super) struct Manner {
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) limit: usize,
    pub(super) retries: u32,
    pub(super) proxies: Matcher,
    pub(super) tls: Arc<ClientConfig>,
    pub(super) timeouts: Timeouts,
    /// What has been found out about the server, for connections to come.
    pub(super) verdict: Arc<DetectedServer>,
}

/// What has been found out about a server: filled where it turned out to know nothing newer than
/// HTTP+SSE.
pub(super) type DetectedServer = OnceLock<()>;

/// The server, and the way to the client for what it sends.
pub(super) struct Remote {
    client: Client<HttpsConnector<Dialer>, String>,
    dialer: Dialer,
    pub(super) uri: Uri,
    headers: HeaderMap,
    pub(super) limit: usize,
    retries: u32,
    pub(super) timeouts: Timeouts,
    pub(super) verdict: Arc<DetectedServer>,
    inbox: mpsc::Sender<Delivery>,
    known: Mutex<Known>,
}

/// A request that may have to be sent more than once.
struct Sending {
    method: Method,
    headers: HeaderMap,
    body: String,
    /// Whether to serve it twice does no harm.
    safe: bool,
    /// Whether it is sent again when nobody knows whether it has arrived.
    repeated: bool,
}

impl Remote {
    pub(super) fn new(manner: Manner, inbox: mpsc::Sender<Delivery>) -> Self {
        let dialer = Dialer::new(manner.proxies);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(ClientConfig::clone(&manner.tls))
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(dialer.clone());
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            dialer,
            uri: manner.uri,
            headers: manner.headers,
            limit: manner.limit,
            retries: manner.retries,
            timeouts: manner.timeouts,
            verdict: manner.verdict,
            inbox,
            known: Mutex::default(),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// Why there is no answer: [`CallError::NotSent`], [`CallError::Lost`], or
    /// [`CallError::SessionEnded`].
    pub(super) async fn post(&self, outgoing: &Outgoing) -> Result<Response<Incoming>, CallError> {
        let mut headers = self.handshake_headers();
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(version) = &outgoing.version {
            headers.remove(&SESSION_ID);
            let version = HeaderValue::try_from(version);
            let version = version.map_err(|_| not_sent("no header can carry the version"))?;
            headers.insert(&PROTOCOL_VERSION, version);
            let mirrored = outgoing.mirror(&self.known().annotations, &mut headers);
            mirrored.map_err(not_sent)?;
        }
        let uri = self.known().endpoint.clone();
        let sending = Sending {
            method: Method::POST,
            headers,
            body: outgoing.line.clone(),
            safe: outgoing.is_safe(),
            repeated: outgoing.is_repeated(),
        };
        self.send(uri, &sending).await
    }

    /// Opens the stream of the session, or goes on with one after an event.
    ///
    /// # Errors
    ///
    /// Why there is no answer, as with [`post`](Self::post).
    pub(super) async fn get(
        &self,
        after: Option<&HeaderValue>,
    ) -> Result<Response<Incoming>, CallError> {
        let mut headers = self.handshake_headers();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = after {
            headers.insert(&LAST_EVENT_ID, id.clone());
        }
        let sending = Sending {
            method: Method::GET,
            headers,
            body: String::new(),
            safe: true,
            repeated: false,
        };
        self.send(None, &sending).await
    }

    /// Ends the session, if there is one.
    pub(super) async fn leave(&self) {
        let has_session = {
            let known = self.known();
            known.session.is_some() && !known.ended
        };
        if has_session {
            let sending = Sending {
                method: Method::DELETE,
                headers: self.handshake_headers(),
                body: String::new(),
                safe: true,
                repeated: false,
            };
            // A server that can't be told notices by itself in time.
            let _ = self.send(None, &sending).await;
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

    /// Sends a request to `uri`, or to where the server is; again where that is safe and may help,
    /// and to wherever the server sends it within its origin.
    async fn send(
        &self,
        uri: Option<Uri>,
        sending: &Sending,
    ) -> Result<Response<Incoming>, CallError> {
        self.goes_on().map_err(|Ended| CallError::SessionEnded)?;
        let mut uri = uri.unwrap_or_else(|| self.uri.clone());
        let mut redirects = 0;
        loop {
            let response = self.send_to(&uri, sending).await?;
            let elsewhere = redirection(&uri, sending, &response);
            match elsewhere {
                Some(elsewhere) if redirects < MAX_REDIRECTS => uri = elsewhere,
                _ => return self.noticed(sending, response),
            }
            redirects += 1;
        }
    }

    async fn send_to(&self, uri: &Uri, sending: &Sending) -> Result<Response<Incoming>, CallError> {
        let mut attempt = 0;
        loop {
            let sent = self.client.request(self.request(uri, sending)).await;
            let pause = match &sent {
                Ok(response) => retry::pause(response, sending.safe, attempt),
                Err(error) if error.is_connect() || sending.repeated => {
                    Some(retry::backoff(attempt))
                }
                Err(_) => None,
            };
            match pause {
                Some(pause) if attempt < self.retries => {
                    tracing::debug!(
                        server = authority(uri),
                        ?pause,
                        "the server is asked again later"
                    );
                    tokio::time::sleep(pause).await;
                }
                _ => {
                    return sent.map_err(|error| match error.is_connect() {
                        true => CallError::NotSent(explained(uri, &error)),
                        false => CallError::Lost(explained(uri, &error)),
                    });
                }
            }
            attempt += 1;
        }
    }

    fn request(&self, uri: &Uri, sending: &Sending) -> Request<String> {
        let mut request = Request::new(sending.body.clone());
        *request.method_mut() = sending.method.clone();
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = sending.headers.clone();
        if let Some(authorization) = self.dialer.authorization(uri) {
            let headers = request.headers_mut();
            headers.insert(PROXY_AUTHORIZATION, authorization);
        }
        request
    }

    /// Takes note of a session that is over (2025-11-25, "Transports", section Session
    /// Management).
    fn noticed(
        &self,
        sending: &Sending,
        response: Response<Incoming>,
    ) -> Result<Response<Incoming>, CallError> {
        let has_session = sending.headers.contains_key(&SESSION_ID);
        if response.status() == StatusCode::NOT_FOUND && has_session {
            if !std::mem::replace(&mut self.known().ended, true) {
                tracing::info!("the server has ended the session");
            }
            return Err(CallError::SessionEnded);
        }
        Ok(response)
    }

    /// Hands something to the client. When nobody reads any more, nobody wants it either.
    pub(super) async fn deliver(&self, delivery: Delivery) {
        let _ = self.inbox.send(delivery).await;
    }

    /// Whether the session goes on.
    ///
    /// # Errors
    ///
    /// When it has ended.
    pub(super) fn goes_on(&self) -> Result<(), Ended> {
        if self.known().ended {
            Err(Ended)
        } else {
            Ok(())
        }
    }

    /// Whether there was a handshake.
    pub(super) fn has_handshake(&self) -> bool {
        self.known().version.is_some()
    }

    /// Whether all that the server says comes on the one stream of HTTP+SSE.
    pub(super) fn has_one_stream(&self) -> bool {
        self.known().endpoint.is_some()
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the server wants a request sent instead, if it may: within its own origin, and without
/// turning it into another request.
fn redirection<B>(from: &Uri, sending: &Sending, response: &Response<B>) -> Option<Uri> {
    let follows = match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => {
            sending.method == Method::GET
        }
        _ => false,
    };
    let location = response.headers().get(LOCATION).filter(|_| follows)?;
    let elsewhere = reference::same_origin(from, location.to_str().ok()?);
    if elsewhere.is_none() {
        tracing::warn!("a redirect to another origin was not followed");
    }
    elsewhere
}
