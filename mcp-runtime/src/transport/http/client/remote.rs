//! Sends HTTP requests to one server: adds the headers of the session, repeats requests, and
//! follows redirects.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, PROXY_AUTHORIZATION,
};
use http::uri::{Authority, Scheme};
use http::{Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::{Client, Error};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use mcp_types::RequestId;
use mcp_types::jsonrpc::{Frame, Message};
use serde::Deserialize;
use tokio::sync::mpsc;

use super::body::{TooManyRedirects, UNCOMPRESSED, compressed, retry_after};
use super::connector::{Connector, authority, connect_error};
use super::credentials::{Credentials, Sending};
use super::outgoing::{Outgoing, ParamHeaders, Resend};
use super::session_end::LastEnd;
use crate::error::CallError;
use crate::limits::{
    FIRST_RETRY, MAX_REDIRECTS, MAX_RESUMPTION_PAUSE, MAX_RETRY_AFTER, MIN_RESUMPTION_PAUSE,
    RESUMPTION_PAUSE,
};
use crate::sync::lock;
use crate::transport::http::headers::{
    EVENT_STREAM, JSON, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID,
};
use crate::transport::http::sse::Event;

#[derive(Debug)]
pub(super) enum RemoteEvent {
    Event(Event),
    /// A request gets no answer, for this reason.
    Failed(RequestId, CallError),
    /// The time limits of a request are suspended (true) or resumed (false).
    Suspended(RequestId, bool),
}

/// A server, and the channel that delivers its messages to the client.
pub(super) struct Remote {
    pub(super) uri: Uri,
    pub(super) max_message_bytes: usize,
    pub(super) retries: u32,
    /// How long a message without an answer may take to arrive.
    pub(super) message_timeout: Duration,
    pub(super) is_legacy: Arc<AtomicBool>,
    pub(super) last_end: Arc<LastEnd>,
    pub(super) client: Client<HttpsConnector<Connector>, String>,
    pub(super) connector: Connector,
    pub(super) credentials: Credentials,
    pub(super) inbox: mpsc::Sender<RemoteEvent>,
    pub(super) state: Mutex<RemoteSession>,
}

/// The state of the session, learned from its messages.
#[derive(Debug, Default)]
pub(super) struct RemoteSession {
    /// The headers of all requests: the user's headers and, after the handshake, the version and
    /// the id of the session if the server assigned one.
    pub(super) headers: HeaderMap,
    pub(super) is_initialized: bool,
    pub(super) param_headers: ParamHeaders,
    /// True if the server has ended the session. Then nothing more is sent.
    pub(super) ended: bool,
    pub(super) has_served: bool,
    /// True if the server has opened the stream of the session.
    pub(super) has_streamed: bool,
    /// The URL that messages are posted to over HTTP+SSE.
    pub(super) endpoint: Option<Uri>,
}

impl Remote {
    /// Parses a line as the message to send.
    ///
    /// # Errors
    ///
    /// As [`Outgoing::read`].
    pub(super) fn read(&self, line: Vec<u8>) -> Result<Outgoing, (Option<RequestId>, CallError)> {
        Outgoing::read(line, &self.state().param_headers)
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`], [`CallError::Lost`], [`CallError::SessionEnded`], or
    /// [`CallError::Authentication`].
    pub(super) async fn post(&self, outgoing: &Outgoing) -> Result<Response<Incoming>, CallError> {
        let mut request = self.request(Method::POST);
        *request.body_mut() = outgoing.line.clone();
        let headers = request.headers_mut();
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        if outgoing.is_stateless() {
            headers.remove(&SESSION_ID);
            headers.extend(outgoing.headers.clone());
        }
        self.send(request, outgoing.resend(), Some(outgoing)).await
    }

    /// Opens the stream of the session, or resumes a stream after the event `after`. With
    /// `outgoing`, the stream is the answer to that request.
    ///
    /// # Errors
    ///
    /// As [`post`](Self::post).
    pub(super) async fn get(
        &self,
        after: Option<&HeaderValue>,
        outgoing: Option<&Outgoing>,
    ) -> Result<Response<Incoming>, CallError> {
        let mut request = self.request(Method::GET);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        if let Some(id) = after {
            headers.insert(&LAST_EVENT_ID, id.clone());
        }
        self.send(request, Resend::Safe, outgoing).await
    }

    pub(super) async fn delete_session(&self) {
        let request = self.request(Method::DELETE);
        if request.headers().contains_key(&SESSION_ID) {
            // A session that can't be deleted will expire.
            let _ = self.send(request, Resend::Safe, None).await;
        }
    }

    fn request(&self, method: Method) -> Request<String> {
        let state = self.state();
        let mut request = Request::new(String::new());
        *request.method_mut() = method;
        *request.uri_mut() = state.endpoint.as_ref().unwrap_or(&self.uri).clone();
        *request.headers_mut() = state.headers.clone();
        request.headers_mut().insert(ACCEPT_ENCODING, UNCOMPRESSED);
        request
    }

    /// Sends a request, repeats it where that does no harm, and follows redirects. Credentials are
    /// added each time.
    async fn send(
        &self,
        request: Request<String>,
        resend: Resend,
        outgoing: Option<&Outgoing>,
    ) -> Result<Response<Incoming>, CallError> {
        let mut redirects = 0;
        let mut attempt = 0;
        let mut sending = Sending {
            request,
            outgoing,
            challenges: 0,
        };
        loop {
            if self.has_ended() {
                return Err(CallError::SessionEnded);
            }
            let credentials = self.credentials(&sending).await?;
            let mut sent = self.send_once(&sending.request, &credentials).await;
            if let Ok(response) = &mut sent {
                self.check_session(&sending, response).await?;
            }
            let after = match &sent {
                Ok(response) => pause(response, resend == Resend::Safe, attempt),
                Err(error) if error.is_connect() || resend == Resend::Lost => {
                    Some(backoff(attempt))
                }
                Err(_) => None,
            };
            let uri = sending.request.uri();
            if let Some(pause) = after.filter(|_| attempt < self.retries) {
                let server = authority(uri);
                tracing::debug!(server, ?pause, "the request will be sent again");
                tokio::time::sleep(pause).await;
                attempt += 1;
                continue;
            }
            let mut response = sent.map_err(|error| {
                if error.is_connect() {
                    CallError::NotSent(connect_error(uri, &error))
                } else {
                    CallError::Lost(connect_error(uri, &error))
                }
            })?;
            response.extensions_mut().insert(uri.clone());
            let accepted = self.accepted(&mut sending, credentials, response).await?;
            let Some(mut response) = accepted else {
                attempt = 0;
                continue;
            };
            match redirection(&sending.request, &response) {
                Some(uri) if redirects < MAX_REDIRECTS => *sending.request.uri_mut() = uri,
                Some(_) => {
                    response.extensions_mut().insert(TooManyRedirects);
                    return Ok(response);
                }
                None => return readable(response, outgoing),
            }
            (redirects, attempt) = (redirects + 1, 0);
        }
    }

    async fn send_once(
        &self,
        request: &Request<String>,
        credentials: &HeaderMap,
    ) -> Result<Response<Incoming>, Error> {
        let mut copy = request.clone();
        let authorization = self.connector.proxy_authorization(request.uri());
        let headers = copy.headers_mut();
        headers.extend(authorization.map(|value| (PROXY_AUTHORIZATION, value)));
        headers.extend(credentials.clone());
        self.client.request(copy).await
    }

    /// Delivers an event to the client, if the client still reads.
    pub(super) async fn deliver(&self, delivery: RemoteEvent) {
        let _ = self.inbox.send(delivery).await;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().ended
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RemoteSession> {
        lock(&self.state)
    }
}

impl RemoteSession {
    /// Takes the version from the answer to `initialize`. An answer without a version is an error
    /// that the client itself reports when it reads the answer.
    pub(super) fn initialized(&mut self, message: &[u8], id: Option<HeaderValue>) {
        #[derive(Deserialize)]
        struct Initialized {
            #[serde(rename = "protocolVersion")]
            version: String,
        }

        let Ok(Frame::Single(Message::Response {
            outcome: Ok(result),
            ..
        })) = Frame::parse(message)
        else {
            return;
        };
        if let Ok(result) = serde_json::from_str::<Initialized>(result.get())
            && let Ok(version) = HeaderValue::try_from(result.version)
        {
            self.is_initialized = true;
            self.headers.insert(&PROTOCOL_VERSION, version);
            if let Some(mut id) = id {
                id.set_sensitive(true);
                self.headers.insert(&SESSION_ID, id);
            }
        }
    }
}

/// Returns the response if its body can be read or is not needed.
///
/// # Errors
///
/// [`CallError::Malformed`] if the body is compressed.
fn readable(
    response: Response<Incoming>,
    outgoing: Option<&Outgoing>,
) -> Result<Response<Incoming>, CallError> {
    let is_read = outgoing.is_none_or(|outgoing| outgoing.id.is_some());
    match compressed(response.headers()) {
        Some(reason) if is_read && response.status().is_success() => {
            let method = outgoing.map_or("GET", |outgoing| &outgoing.method);
            Err(CallError::Malformed {
                method: method.to_owned(),
                reason,
            })
        }
        _ => Ok(response),
    }
}

/// Returns the target of a redirect that may be followed, which must be within the origin and must
/// not change the method.
fn redirection<B>(request: &Request<String>, response: &Response<B>) -> Option<Uri> {
    let follows = match response.status().as_u16() {
        301..=303 => request.method() == Method::GET,
        307 | 308 => true,
        _ => false,
    };
    let location = response.headers().get(LOCATION).filter(|_| follows)?;
    resolve_same_origin(request.uri(), location.to_str().ok()?)
}

/// Resolves `reference` against `base` (RFC 3986, section 5). `None` for another origin, because
/// messages and credentials are only for the server that the user named.
pub(super) fn resolve_same_origin(base: &Uri, reference: &str) -> Option<Uri> {
    let base_text = base.to_string();
    let base_text = UriAbsoluteStr::new(&base_text).ok()?;
    let resolved = UriReferenceStr::new(reference).ok()?;
    let resolved = resolved.resolve_against(base_text).to_string();
    let resolved = resolved.parse::<Uri>().ok();
    let resolved = resolved.filter(|uri| origin(uri) == origin(base));
    if resolved.is_none() {
        crate::log::warn!("a redirect or an endpoint was ignored because it has another origin");
    }
    resolved
}

fn origin(uri: &Uri) -> Option<(&Scheme, String, u16)> {
    let scheme = uri.scheme()?;
    let default = if *scheme == Scheme::HTTPS { 443 } else { 80 };
    let port = uri.authority().and_then(Authority::port_u16);
    let host = uri.host()?.to_ascii_lowercase();
    Some((scheme, host, port.unwrap_or(default)))
}

/// Returns how long to wait before sending a request again that was answered with `response`;
/// `None` if the answer is final. `safe` means that serving the request twice does no harm.
fn pause<B>(response: &Response<B>, safe: bool, attempt: u32) -> Option<Duration> {
    let refused = match response.status() {
        // The request was not served.
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => true,
        // Behind a gateway, the request may have been served.
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => safe,
        _ => false,
    };
    match retry_after(response.headers()) {
        _ if !refused => None,
        Some(asked) if asked > MAX_RETRY_AFTER => None,
        Some(asked) => Some(asked.max(backoff(attempt))),
        None => Some(backoff(attempt)),
    }
}

/// Returns the pause before another attempt; `attempt` counts from 0. The pause is shortened by a
/// random amount, to avoid that many clients come back at the same moment.
fn backoff(attempt: u32) -> Duration {
    let bits = RandomState::new().build_hasher().finish();
    let left_out = (bits % 256) as u32;
    let whole = FIRST_RETRY * 2_u32.saturating_pow(attempt.min(10));
    whole - whole / 4 * left_out / 256
}

/// Returns the pause before a stream is resumed. `asked` is the pause that the server requested,
/// and `short` is the number of streams in a row that did not last; each of them doubles the pause.
pub(super) fn resumption(asked: Option<Duration>, short: u32) -> Duration {
    let first = asked.unwrap_or(RESUMPTION_PAUSE).max(MIN_RESUMPTION_PAUSE);
    let doubled = first.saturating_mul(2_u32.saturating_pow(short));
    doubled.min(MAX_RESUMPTION_PAUSE.max(first))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use http::header::RETRY_AFTER;

    use super::*;

    #[test]
    fn a_session_is_known_whatever_else_the_server_says() {
        let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":1e400,"y":"\ud800"}}}"#;
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let mut state = RemoteSession::default();
        state.initialized(message.as_bytes(), HeaderValue::try_from("s-1").ok());
        assert!(state.is_initialized);
        assert_eq!(state.headers[&PROTOCOL_VERSION], "2025-11-25");
        let id = &state.headers[&SESSION_ID];
        assert!(id == "s-1" && id.is_sensitive());
    }

    #[test]
    fn references_are_resolved_and_stay_at_their_origin() {
        let base = "http://Example.com/a/sse?x=1".parse().unwrap();
        for (reference, expected) in [
            ("/messages?id=1", Some("http://Example.com/messages?id=1")),
            (
                "/m?next=http://x",
                Some("http://Example.com/m?next=http://x"),
            ),
            (
                "m?next=http://x",
                Some("http://Example.com/a/m?next=http://x"),
            ),
            ("../m", Some("http://Example.com/m")),
            ("m m", None),
            ("messages", Some("http://Example.com/a/messages")),
            ("?id=1", Some("http://Example.com/a/sse?id=1")),
            ("http://example.com:80/m", Some("http://example.com:80/m")),
            ("//example.com/m", Some("http://example.com/m")),
            ("https://example.com/m", None),
            ("http://example.com:81/m", None),
            ("http://evil.com/m", None),
            ("//evil.com/m", None),
            ("http://example.com@evil.com/m", None),
            ("http://", None),
        ] {
            let found = resolve_same_origin(&base, reference).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{reference}");
        }
    }

    fn response(status: u16, after: Option<&str>) -> Response<()> {
        let mut response = Response::builder().status(status);
        if let Some(after) = after {
            response = response.header(RETRY_AFTER, after);
        }
        response.body(()).unwrap()
    }

    #[test]
    fn only_what_was_refused_or_is_safe_is_sent_again() {
        for (status, safe, again) in [
            (429, false, true),
            (503, false, true),
            (502, false, false),
            (502, true, true),
            (504, true, true),
            (500, true, false),
            (200, true, false),
            (400, true, false),
        ] {
            let pause = pause(&response(status, None), safe, 0);
            assert_eq!(pause.is_some(), again, "{status} {safe}");
        }
    }

    #[test]
    fn servers_say_how_long_to_wait_within_reason() {
        let pause = |after: &str| pause(&response(503, Some(after)), false, 0);
        assert_eq!(pause("3"), Some(Duration::from_secs(3)));
        assert_eq!(pause("3600"), None);
        assert!(pause("Wed, 21 Oct 2015 07:28:00 GMT").is_some_and(|pause| pause <= FIRST_RETRY));
        let soon = SystemTime::now() + Duration::from_secs(5);
        let soon = pause(&httpdate::fmt_http_date(soon)).unwrap();
        assert!(
            soon > Duration::from_secs(3) && soon <= Duration::from_secs(5),
            "{soon:?}"
        );
        let late = SystemTime::now() + Duration::from_secs(3600);
        assert_eq!(pause(&httpdate::fmt_http_date(late)), None);
        assert!(pause("soon").is_some_and(|pause| pause <= FIRST_RETRY));
    }

    #[test]
    fn streams_are_resumed_with_pauses() {
        let pauses = [0, 1, 4, 5, 40].map(|short| resumption(None, short).as_secs());
        assert_eq!(pauses, [1, 2, 16, 30, 30]);
        let zero = Some(Duration::ZERO);
        let pauses = [0, 1, 9].map(|short| resumption(zero, short).as_millis());
        assert_eq!(pauses, [100, 200, 30_000]);
        let minute = Some(Duration::from_secs(60));
        assert_eq!(resumption(minute, 3), Duration::from_secs(60));
    }

    #[test]
    fn pauses_grow() {
        for attempt in 0..4 {
            let pause = backoff(attempt);
            let whole = FIRST_RETRY * 2_u32.pow(attempt);
            assert!(pause <= whole && pause >= whole * 3 / 4, "{pause:?}");
        }
    }
}
