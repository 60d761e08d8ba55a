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
use mcp_types::jsonrpc::{ErrorObject, Frame, Message, code};

use super::events::EventParser;
use super::outgoing::{Kind, Outgoing};
use super::remote::{Lost, Remote, SESSION_ID};

/// How long to wait before a stream is resumed, where the server does not say.
const RETRY: Duration = Duration::from_secs(1);
/// How often in a row a stream that brings nothing is resumed.
const TRIES: usize = 5;

/// The request that a response is for.
pub(super) struct Asked {
    id: RequestId,
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
    pub(super) async fn ask(&self, outgoing: Outgoing) -> Result<(), Lost> {
        let Some(asked) = Asked::by(&outgoing) else {
            return Ok(());
        };
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
            Ok(Frame::Single(Message::Response { .. })) => {
                if asked.initializes {
                    self.known().initialized(&message, session);
                }
                self.receive(message, asked).await?;
            }
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
                initializes: *initializes,
                lists_tools: *lists_tools,
            }),
            Kind::Cancelled(_) | Kind::Initialized | Kind::Other => None,
        }
    }

    pub(super) fn is_answered_by(&self, message: &[u8]) -> bool {
        matches!(Frame::parse(message), Ok(Frame::Single(Message::Response { id: Some(id), .. }))
            if id == self.id)
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
