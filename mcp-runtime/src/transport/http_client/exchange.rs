//! One request, and whatever comes back for it.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use mcp_types::RequestId;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message, code};

use super::events::EventParser;
use super::outgoing::{Kind, Outgoing};
use super::remote::{Lost, Remote, SESSION_ID};
use crate::error::CallError;

/// How long to wait before a stream is resumed, where the server does not say.
const RETRY: Duration = Duration::from_secs(1);
/// How often in a row a stream that brings nothing is resumed.
const TRIES: usize = 5;

/// The request that a response is for.
pub(super) struct Asked {
    id: RequestId,
    method: String,
    initializes: bool,
    lists_tools: bool,
}

/// What an answer that is not a stream turned out to be.
enum Single {
    Answer,
    Nothing,
    /// Nothing that is said of the message itself; an error, where one was said at all.
    Refused(StatusCode, Option<ErrorObject>),
}

impl Remote {
    /// Sends a request, and delivers what comes back until it is answered.
    ///
    /// # Errors
    ///
    /// When the server is lost.
    pub(super) async fn ask(&self, mut outgoing: Outgoing) -> Result<(), Lost> {
        let Some(asked) = Asked::by(&outgoing) else {
            return Ok(());
        };
        let read = outgoing.read_arguments(&self.known().annotations);
        if let Err(error) = read {
            return self.deliver(error_response(&asked.id, &error)).await;
        }
        if self.has_one_stream() {
            return self.entrust(&outgoing, &asked).await;
        }
        let is_known = asked.initializes && self.verdict.get().is_some();
        if is_known && self.fall_back(&outgoing, &asked).await? {
            return Ok(());
        }
        let response = self.post(&outgoing).await?;
        let single = if is_stream(&response) {
            match self.follow(response, Some(&asked)).await? {
                true => Single::Answer,
                false => Single::Nothing,
            }
        } else {
            self.single(response, &asked).await?
        };
        match single {
            Single::Answer => Ok(()),
            Single::Nothing => self.fail(&asked, "the server did not answer").await,
            Single::Refused(status, error) => {
                let old = asked.initializes && status.is_client_error();
                if old && self.fall_back(&outgoing, &asked).await? {
                    return Ok(());
                }
                match error {
                    Some(error) => self.deliver(error_response(&asked.id, &error)).await,
                    None => self.fail(&asked, &format!("HTTP {status}")).await,
                }
            }
        }
    }

    /// Sends a request whose answer comes on the one stream of HTTP+SSE.
    ///
    /// # Errors
    ///
    /// When the server is lost.
    pub(super) async fn entrust(&self, outgoing: &Outgoing, asked: &Asked) -> Result<(), Lost> {
        let status = self.post(outgoing).await?.status();
        if status.is_success() {
            return Ok(());
        }
        self.fail(asked, &format!("HTTP {status}")).await
    }

    /// Sends what wants no answer.
    ///
    /// # Errors
    ///
    /// When the server is lost.
    pub(super) async fn tell(&self, outgoing: Outgoing) -> Result<(), Lost> {
        let response = self.post(&outgoing).await?;
        if !response.status().is_success() {
            tracing::debug!(status = %response.status(), "a message was not accepted");
        }
        Ok(())
    }

    /// Reads the stream of the session for as long as the server offers it.
    ///
    /// # Errors
    ///
    /// When the server is lost.
    pub(super) async fn listen(&self) -> Result<(), Lost> {
        if self.has_one_stream() {
            return Ok(());
        }
        let response = self.get(None).await?;
        if is_stream(&response) {
            self.follow(response, None).await?;
        }
        Ok(())
    }

    /// An answer that is not a stream.
    async fn single(&self, response: Response<Incoming>, asked: &Asked) -> Result<Single, Lost> {
        let status = response.status();
        let session = response.headers().get(&SESSION_ID).cloned();
        let Some(message) = self.read(response).await else {
            self.fail(asked, "the answer is incomplete, or too long")
                .await?;
            return Ok(Single::Answer);
        };
        match Frame::parse(&message) {
            Ok(Frame::Single(Message::Response {
                id: None,
                outcome: Err(error),
            })) => {
                return Ok(Single::Refused(status, Some(error)));
            }
            Ok(Frame::Single(Message::InvalidResponse { id: None, reason })) => {
                self.malformed(asked, reason).await?;
            }
            Ok(Frame::Single(Message::Response { id: Some(id), .. })) if !asked.is(&id) => {
                let reason = format!("it names the request {id} instead of {}", asked.id);
                self.malformed(asked, reason).await?;
            }
            Ok(Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. })) => {
                if asked.initializes {
                    self.known().initialized(&message, session);
                }
                self.receive(message, asked).await?;
            }
            Err(InvalidMessage {
                id: Some(id),
                has_method: false,
                ..
            }) if asked.is(&id) => self.deliver(message).await?,
            _ if status.is_success() => return Ok(Single::Nothing),
            _ => return Ok(Single::Refused(status, None)),
        }
        Ok(Single::Answer)
    }

    /// Delivers the messages of a stream, and resumes it when it breaks off. `true` once the
    /// answer was among them.
    async fn follow(
        &self,
        mut response: Response<Incoming>,
        asked: Option<&Asked>,
    ) -> Result<bool, Lost> {
        let mut parser = EventParser::default();
        let mut tries = 0;
        loop {
            let session = response.headers().get(&SESSION_ID).cloned();
            while let Some(bytes) = next(&mut response).await {
                let Ok(messages) = parser.feed(&bytes, self.limit) else {
                    return Ok(false);
                };
                tries = 0;
                for message in messages {
                    let Some(asked) = asked.filter(|asked| asked.is_answered_by(&message)) else {
                        self.deliver(message).await?;
                        continue;
                    };
                    if asked.initializes {
                        self.known().initialized(&message, session.clone());
                    }
                    self.receive(message, asked).await?;
                    return Ok(true);
                }
            }
            tries += 1;
            let resumable = parser.last_id.is_some() || asked.is_none();
            if !self.has_handshake() || !resumable || tries > TRIES {
                return Ok(false);
            }
            tokio::time::sleep(parser.retry.unwrap_or(RETRY)).await;
            response = self.get(parser.last_id.as_deref()).await?;
            if !is_stream(&response) {
                return Ok(false);
            }
        }
    }

    async fn receive(&self, message: Vec<u8>, asked: &Asked) -> Result<(), Lost> {
        let message = if asked.lists_tools {
            self.known().listed(message)
        } else {
            message
        };
        self.deliver(message).await
    }

    /// Fails a request whose answer can't be used.
    async fn malformed(&self, asked: &Asked, reason: String) -> Result<(), Lost> {
        let method = asked.method.clone();
        let error = CallError::Malformed { method, reason };
        self.fail_request(&asked.id, error).await
    }

    async fn fail(&self, asked: &Asked, reason: &str) -> Result<(), Lost> {
        let error = ErrorObject::new(code::INTERNAL_ERROR, reason.to_owned());
        self.deliver(error_response(&asked.id, &error)).await
    }

    /// The whole body, unless it is longer than is allowed, or breaks off.
    async fn read(&self, mut response: Response<Incoming>) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        while !response.body().is_end_stream() {
            let frame = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await;
            let Some(frame) = frame else {
                break;
            };
            if let Ok(data) = frame.ok()?.into_data() {
                body.extend_from_slice(&data);
            }
            if body.len() > self.limit {
                return None;
            }
        }
        // Line breaks can only be white space between tokens.
        body.iter_mut()
            .filter(|byte| matches!(**byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b' ');
        Some(body)
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
            Kind::Cancelled(_) | Kind::Initialized | Kind::Other => None,
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
}

fn error_response(id: &RequestId, error: &ErrorObject) -> Vec<u8> {
    let mut message = Vec::new();
    write::error(&mut message, ErrorId::Of(id), error);
    message
}

pub(super) fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    response.status() == StatusCode::OK && kind.eq_ignore_ascii_case("text/event-stream")
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
