//! One request, and whatever comes back for it.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, WWW_AUTHENTICATE};
use http::response::Parts;
use http::{Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use mcp_types::RequestId;
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message};
use tokio::time::timeout;

use super::events::{Event, EventParser};
use super::frames::Delivery;
use super::outgoing::{Kind, Outgoing};
use super::remote::{Ended, Remote, SESSION_ID};
use super::retry;
use crate::error::CallError;
use crate::error::HttpError;
use crate::limits::{EXCERPT_CHARS, MAX_RESUMPTIONS};

/// The request that a response is for.
pub(super) struct Asked {
    id: RequestId,
    method: String,
    initializes: bool,
    lists_tools: bool,
}

impl Remote {
    /// Sends a request, and delivers what comes back until it is answered, or why it is not.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub(super) async fn ask(&self, outgoing: Outgoing) -> Result<(), Ended> {
        let Some(asked) = Asked::by(&outgoing) else {
            return Ok(());
        };
        if let Err(error) = self.exchange(&outgoing, &asked).await {
            self.deliver(Delivery::Failed(asked.id, error)).await;
        }
        self.goes_on()
    }

    async fn exchange(&self, outgoing: &Outgoing, asked: &Asked) -> Result<(), CallError> {
        if self.has_one_stream() {
            return self.entrust(outgoing).await;
        }
        let is_known = asked.initializes && self.verdict.get().is_some();
        if is_known && self.fall_back(outgoing, asked).await? {
            return Ok(());
        }
        let response = self.post(outgoing).await?;
        if is_stream(&response) {
            return self.follow(response, asked).await;
        }
        let is_refused = response.status().is_client_error();
        let answered = self.single(response, asked).await;
        let is_old = asked.initializes
            && is_refused
            && matches!(answered, Err(CallError::Http(_) | CallError::Rpc(_)));
        if is_old && self.fall_back(outgoing, asked).await? {
            return Ok(());
        }
        answered
    }

    /// Sends a request whose answer comes on the one stream of HTTP+SSE.
    ///
    /// # Errors
    ///
    /// Why there will be no answer.
    pub(super) async fn entrust(&self, outgoing: &Outgoing) -> Result<(), CallError> {
        let (parts, body) = self.post(outgoing).await?.into_parts();
        if parts.status.is_success() {
            return Ok(());
        }
        let (body, _) = read(body, self.limit).await.map_err(CallError::Lost)?;
        Err(no_message(&parts, &body))
    }

    /// Sends what wants no answer, and waits for no longer than `limit` until it has arrived.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub(super) async fn tell(&self, outgoing: &Outgoing, limit: Duration) -> Result<(), Ended> {
        let method = &outgoing.method;
        match timeout(limit, self.post(outgoing)).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => {
                tracing::debug!(method, status = %response.status(), "a message was not accepted");
            }
            Ok(Err(error)) => tracing::warn!(method, %error, "a message did not arrive"),
            Err(_) => tracing::warn!(method, ?limit, "a message may not have arrived in time"),
        }
        self.goes_on()
    }

    /// An answer that is not a stream.
    async fn single(&self, response: Response<Incoming>, asked: &Asked) -> Result<(), CallError> {
        let (parts, body) = response.into_parts();
        let (message, is_whole) = read(body, self.limit).await.map_err(CallError::Lost)?;
        if !is_whole {
            return Err(
                match media_type(&parts.headers).to_ascii_lowercase().as_str() {
                    "application/json" => self.too_long(asked),
                    _ => no_message(&parts, &message),
                },
            );
        }
        match Frame::parse(&message) {
            Ok(Frame::Single(Message::Response {
                id: None,
                outcome: Err(error),
            })) => Err(CallError::Rpc(error)),
            Ok(Frame::Single(Message::Response { id: Some(id), .. })) if asked.is(&id) => {
                let session = parts.headers.get(&SESSION_ID);
                self.receive(message, session, asked).await
            }
            Ok(Frame::Single(Message::Response { id: Some(id), .. })) => {
                Err(asked.malformed(format!("it names the request {id} instead of {}", asked.id)))
            }
            // What OAuth answers has an `error` as well.
            Ok(Frame::Single(Message::InvalidResponse { id, reason }))
                if id.is_some() || parts.status.is_success() =>
            {
                Err(asked.malformed(reason))
            }
            Err(InvalidMessage {
                id: Some(id),
                has_method: false,
                error,
            }) if asked.is(&id) => Err(asked.malformed(error.message.into_owned())),
            _ => Err(no_message(&parts, &message)),
        }
    }

    /// Delivers the messages of a stream until the answer was among them, and resumes the stream
    /// when it breaks off.
    async fn follow(
        &self,
        mut response: Response<Incoming>,
        asked: &Asked,
    ) -> Result<(), CallError> {
        let mut parser = EventParser::new(self.limit);
        let mut tries = 0;
        loop {
            while let Some(bytes) = next(&mut response).await {
                for event in parser.feed(&bytes) {
                    let Event::Message(message) = event else {
                        return Err(self.too_long(asked));
                    };
                    tries = 0;
                    if asked.is_answered_by(&message) {
                        let session = response.headers().get(&SESSION_ID);
                        return self.receive(message, session, asked).await;
                    }
                    self.deliver(Delivery::Message(message)).await;
                }
            }
            response = loop {
                tries += 1;
                let resumable = self.has_handshake() && tries <= MAX_RESUMPTIONS;
                let last_id = parser.last_id.as_ref().filter(|_| resumable);
                let last_id = last_id.ok_or_else(|| lost("the stream ended without the answer"))?;
                tokio::time::sleep(retry::resumption(parser.retry, 0)).await;
                match self.get(Some(last_id)).await {
                    Ok(response) if is_stream(&response) => break response,
                    Ok(response) => {
                        let status = response.status();
                        let reason = format!("the stream can't be resumed: HTTP {status}");
                        return Err(lost(reason));
                    }
                    // It was served, at least in part.
                    Err(CallError::SessionEnded) => {
                        return Err(lost("the server has ended the session"));
                    }
                    Err(error) => tracing::debug!(%error, "a stream can't be resumed yet"),
                }
            };
            parser.resume();
        }
    }

    /// Takes note of an answer, and delivers it.
    async fn receive(
        &self,
        message: Vec<u8>,
        session: Option<&HeaderValue>,
        asked: &Asked,
    ) -> Result<(), CallError> {
        if asked.initializes {
            self.known().initialized(&message, session.cloned());
        }
        let message = if asked.lists_tools {
            let listed = self.known().listed(message);
            listed.map_err(|fault| asked.malformed(fault.to_string()))?
        } else {
            message
        };
        self.deliver(Delivery::Message(message)).await;
        Ok(())
    }

    fn too_long(&self, asked: &Asked) -> CallError {
        let limit = self.limit;
        asked.malformed(format!("it is longer than the limit of {limit} bytes"))
    }
}

impl Asked {
    fn by(outgoing: &Outgoing) -> Option<Self> {
        match &outgoing.kind {
            Kind::Request {
                id,
                initializes,
                lists_tools,
            } => Some(Self {
                id: id.clone(),
                method: outgoing.method.clone(),
                initializes: *initializes,
                lists_tools: *lists_tools,
            }),
            _ => None,
        }
    }

    /// Whether the message answers this request, or fails to.
    pub(super) fn is_answered_by(&self, message: &[u8]) -> bool {
        let id = match Frame::parse(message) {
            Ok(Frame::Single(
                Message::Response { id, .. } | Message::InvalidResponse { id, .. },
            )) => id,
            Err(InvalidMessage {
                id,
                has_method: false,
                ..
            }) => id,
            _ => None,
        };
        id.is_some_and(|id| self.is(&id))
    }

    /// Whether this is the request `id`. A number that came back as a string is recognized, so that
    /// the request fails.
    fn is(&self, id: &RequestId) -> bool {
        match id {
            RequestId::Number(_) => *id == self.id,
            RequestId::String(id) => **id == *self.id.to_string(),
        }
    }

    fn malformed(&self, reason: String) -> CallError {
        CallError::Malformed {
            method: self.method.clone(),
            reason,
        }
    }
}

fn lost(reason: impl Into<String>) -> CallError {
    CallError::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, reason.into()))
}

/// An answer that is no MCP message.
fn no_message(parts: &Parts, body: &[u8]) -> CallError {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let header = |name| parts.headers.get(name).map(text);
    let challenges: Vec<_> = parts.headers.get_all(WWW_AUTHENTICATE).iter().collect();
    let challenges: Vec<_> = challenges.into_iter().map(text).collect();
    // No character takes more than four bytes.
    let beginning = String::from_utf8_lossy(&body[..body.len().min(4 * EXCERPT_CHARS)]);
    let plain = beginning.trim().chars().map(|character| {
        let is_control = character.is_control();
        if is_control { ' ' } else { character }
    });
    CallError::Http(Box::new(HttpError {
        status: parts.status.as_u16(),
        content_type: header(CONTENT_TYPE),
        excerpt: plain.take(EXCERPT_CHARS).collect(),
        www_authenticate: (!challenges.is_empty()).then(|| challenges.join(", ")),
        location: header(LOCATION).filter(|_| parts.status.is_redirection()),
    }))
}

/// The media type of a message, without its parameters.
fn media_type(headers: &HeaderMap) -> &str {
    let kind = headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim()
}

pub(super) fn is_stream(response: &Response<Incoming>) -> bool {
    response.status() == StatusCode::OK
        && media_type(response.headers()).eq_ignore_ascii_case("text/event-stream")
}

/// The next bytes of a body; `None` when it ends or breaks off.
pub(super) async fn next(response: &mut Response<Incoming>) -> Option<bytes::Bytes> {
    loop {
        let frame = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await?;
        if let Ok(data) = frame.ok()?.into_data() {
            return Some(data);
        }
    }
}

/// A body as one line, and whether that is all of it: no more than `limit` bytes are read.
///
/// # Errors
///
/// When it breaks off.
async fn read(mut body: Incoming, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let mut is_whole = true;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(data) = frame.map_err(io::Error::other)?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > limit {
            is_whole = false;
            break;
        }
    }
    // Line breaks can only be white space between tokens.
    bytes
        .iter_mut()
        .filter(|byte| matches!(**byte, b'\n' | b'\r'))
        .for_each(|byte| *byte = b' ');
    Ok((bytes, is_whole))
}
