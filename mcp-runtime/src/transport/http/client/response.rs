//! A server's responses: single messages and streams of events.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::response::Parts;
use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use mcp_types::jsonrpc::{ErrorObject, Frame, Message};
use mcp_types::{InitializeRequest, ListToolsRequest, Request as _};
use tokio::time::{Instant, timeout};

use super::body::{BodyRead, next_bytes, no_message};
use super::credentials::Sending;
use super::outgoing::Outgoing;
use super::remote::{Remote, RemoteEvent, resumption};
use super::session_end::{ends, may_end};
use crate::connection::BYTE_ORDER_MARK;
use crate::error::{CallError, HttpError};
use crate::limits::{MAX_RESUMPTIONS, STABLE_STREAM, size};
use crate::transport::http::headers::{EVENT_STREAM, JSON, SESSION_ID, is_media_type};
use crate::transport::http::sse::{Event, EventParser};

impl Remote {
    /// Sends a message. If it is a request, delivers the server's messages until the answer, or the
    /// reason why there is no answer.
    pub(super) async fn exchange(&self, outgoing: &Outgoing) {
        let Some(id) = &outgoing.id else {
            return self.notify(outgoing, self.message_timeout).await;
        };
        if let Err(error) = self.call(outgoing).await {
            self.deliver(RemoteEvent::Failed(id.clone(), error)).await;
        }
    }

    async fn call(&self, outgoing: &Outgoing) -> Result<(), CallError> {
        if self.state().endpoint.is_some() {
            return self.post_to_endpoint(outgoing).await;
        }
        let initializes = outgoing.method == InitializeRequest::METHOD;
        let is_legacy = initializes && self.is_legacy.load(Ordering::Relaxed);
        if is_legacy && self.fall_back(outgoing).await? {
            return Ok(());
        }
        let response = self.post(outgoing).await?;
        if is_stream(&response) {
            return self.follow(response, outgoing).await;
        }
        let status = response.status();
        // A 401 says nothing about the era: an authenticated caller may get a different answer.
        let is_foreign = status.is_client_error() && status != StatusCode::UNAUTHORIZED;
        let may_be_legacy = initializes && is_foreign;
        let answered = self.single(response, outgoing).await;
        let is_refused = matches!(answered, Err(CallError::Http(_) | CallError::Rpc(_)));
        if may_be_legacy && is_refused && self.fall_back(outgoing).await? {
            return Ok(());
        }
        answered
    }

    /// Sends a request whose answer arrives on the HTTP+SSE stream.
    ///
    /// # Errors
    ///
    /// The reason why there will be no answer.
    pub(super) async fn post_to_endpoint(&self, outgoing: &Outgoing) -> Result<(), CallError> {
        let (parts, body) = self.post(outgoing).await?.into_parts();
        if parts.status.is_success() {
            return Ok(());
        }
        let (body, _) = self.read_body(&parts, body).await.unwrap_or_default();
        Err(no_message(&parts, &body).into())
    }

    /// Sends a message that has no answer, and waits at most `limit` until it has arrived.
    pub(super) async fn notify(&self, outgoing: &Outgoing, limit: Duration) {
        let method = &outgoing.method;
        match timeout(limit, self.post(outgoing)).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => {
                tracing::debug!(method, status = %response.status(), "a message was not accepted");
            }
            Ok(Err(error)) => crate::log::warn!(method, %error, "a message did not arrive"),
            Err(_) => crate::log::warn!(method, ?limit, "a message may not have arrived in time"),
        }
    }

    /// Reads an answer that is not a stream.
    async fn single(
        &self,
        response: Response<Incoming>,
        outgoing: &Outgoing,
    ) -> Result<(), CallError> {
        let (parts, body) = response.into_parts();
        let read = self.read_body(&parts, body).await;
        if matches!(
            parts.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        ) {
            let (body, _) = read.unwrap_or_default();
            let error = rpc_error(&body);
            return Err(HttpError {
                error,
                ..no_message(&parts, &body)
            }
            .into());
        }
        let (message, is_whole) = read?;
        if !is_whole {
            return Err(if has_media_type(&parts.headers, JSON) {
                self.too_long(outgoing)
            } else {
                no_message(&parts, &message).into()
            });
        }
        let has_type = parts.headers.contains_key(CONTENT_TYPE);
        if parts.status.is_success() && has_type && !has_media_type(&parts.headers, JSON) {
            return Err(no_message(&parts, &message).into());
        }
        if outgoing.is_answered_by(&message) {
            let session = parts.headers.get(&SESSION_ID);
            return self.receive(message, session, outgoing).await;
        }
        match Frame::parse(&message) {
            Ok(Frame::Single(Message::Response {
                id: None,
                outcome: Err(error),
            })) => Err(match parts.status.as_u16() {
                404 => HttpError {
                    error: Some(error),
                    ..no_message(&parts, &message)
                }
                .into(),
                _ => CallError::Rpc(error),
            }),
            Ok(Frame::Single(Message::Response { id: Some(id), .. })) => {
                let own = outgoing.id.as_ref().map(ToString::to_string);
                let own = own.unwrap_or_default();
                Err(outgoing.malformed(format!("it names the request {id} instead of {own}")))
            }
            // OAuth's error responses also have a member `error`.
            Ok(Frame::Single(Message::InvalidResponse { id, reason }))
                if id.is_some() || parts.status.is_success() =>
            {
                Err(outgoing.malformed(reason))
            }
            _ => Err(no_message(&parts, &message).into()),
        }
    }

    /// Delivers the messages of a stream up to the answer, and resumes the stream if it breaks off.
    async fn follow(
        &self,
        mut response: Response<Incoming>,
        outgoing: &Outgoing,
    ) -> Result<(), CallError> {
        let mut parser = EventParser::new(self.max_message_bytes);
        let mut tries = 0;
        loop {
            while let Some(Ok(bytes)) = next_bytes(response.body_mut()).await {
                for event in parser.feed(&bytes) {
                    let Event::Message(message) = event else {
                        return Err(self.too_long(outgoing));
                    };
                    tries = 0;
                    if outgoing.is_answered_by(&message) {
                        let session = response.headers().get(&SESSION_ID);
                        return self.receive(message, session, outgoing).await;
                    }
                    self.deliver(RemoteEvent::Event(Event::Message(message)))
                        .await;
                }
            }
            parser.resume();
            response = loop {
                tries += 1;
                let resumable = self.state().is_initialized && tries <= MAX_RESUMPTIONS;
                let last_id = parser.last_id.as_ref().filter(|_| resumable);
                let last_id = last_id.ok_or_else(|| lost("the stream ended without the answer"))?;
                tokio::time::sleep(resumption(parser.retry, 0)).await;
                match self.get(Some(last_id), Some(outgoing)).await {
                    Ok(response) if is_stream(&response) => break response,
                    Ok(response) => {
                        let status = response.status();
                        return Err(lost(format!("the stream can't be resumed: HTTP {status}")));
                    }
                    // The request was at least partly processed.
                    Err(CallError::SessionEnded) => {
                        return Err(lost("the server has ended the session"));
                    }
                    Err(
                        error @ (CallError::Authentication { .. } | CallError::Malformed { .. }),
                    ) => {
                        return Err(lost(format!("the stream can't be resumed: {error}")));
                    }
                    Err(error) => tracing::debug!(%error, "a stream can't be resumed yet"),
                }
            };
        }
    }

    /// Checks whether a response ends the session. Reads the body of a refusal that may end it.
    ///
    /// # Errors
    ///
    /// [`CallError::SessionEnded`] if the session has ended.
    pub(super) async fn check_session(
        &self,
        sending: &Sending<'_>,
        response: &mut Response<Incoming>,
    ) -> Result<(), CallError> {
        let request = &sending.request;
        let outgoing = sending.outgoing;
        let status = response.status();
        if !request.headers().contains_key(&SESSION_ID) || request.method() == Method::DELETE {
            return Ok(());
        }
        let method = outgoing.map_or(request.method().as_str(), |outgoing| &outgoing.method);
        if status.is_success() {
            match outgoing {
                Some(outgoing) => self.state().has_served |= outgoing.id.is_some(),
                None => self.state().has_streamed = true,
            }
            self.last_end.served(method);
        }
        if !may_end(status, response.headers()) {
            return Ok(());
        }
        let read = self.read_whole(response.body_mut()).await;
        let (body, is_whole) = read.unwrap_or_else(|_| (Vec::new(), true));
        let mut state = self.state();
        // Not every server offers a stream, or uses the right status to say so.
        let is_other = outgoing.map_or(!state.has_streamed, |it| it.is_answered_by(&body));
        let ends = state.ended
            || (ends(status, &body, is_other) && self.last_end.renews(method, state.has_served));
        if !ends {
            drop(state);
            response.extensions_mut().insert(BodyRead(body, is_whole));
            return Ok(());
        }
        if !std::mem::replace(&mut state.ended, true) {
            tracing::info!(%status, "the server has ended the session");
        }
        Err(CallError::SessionEnded)
    }

    /// Takes the session or the annotations from an answer, and delivers it.
    async fn receive(
        &self,
        message: Vec<u8>,
        session: Option<&HeaderValue>,
        outgoing: &Outgoing,
    ) -> Result<(), CallError> {
        let message = match &*outgoing.method {
            InitializeRequest::METHOD => {
                self.state().initialized(&message, session.cloned());
                message
            }
            ListToolsRequest::METHOD => {
                let list = self.state().param_headers.read_list(message);
                list.map_err(|error| outgoing.malformed(error.to_string()))?
            }
            _ => message,
        };
        self.deliver(RemoteEvent::Event(Event::Message(message)))
            .await;
        Ok(())
    }

    /// Reads the stream of the session, and resumes it as long as the session lives. Returns when
    /// the server does not offer a stream, or has ended the session.
    pub(super) async fn listen(&self) {
        if self.state().endpoint.is_some() {
            return;
        }
        let mut parser = EventParser::new(self.max_message_bytes);
        let mut short = 0;
        loop {
            let begun = Instant::now();
            match self.get(parser.last_id.as_ref(), None).await {
                Ok(mut response) if is_stream(&response) => {
                    parser.resume();
                    while !parser.is_endless()
                        && let Some(Ok(bytes)) = next_bytes(response.body_mut()).await
                    {
                        self.pass_on(parser.feed(&bytes)).await;
                    }
                    tracing::debug!("the stream of the session has ended");
                }
                Ok(response) => {
                    let status = response.status();
                    tracing::debug!(%status, "the stream of the session was not opened");
                    // The events after the last id may be gone, so the next attempt asks only for
                    // new events.
                    if !is_transient(status) && parser.last_id.take().is_none() {
                        return;
                    }
                }
                Err(CallError::SessionEnded) => return,
                // Another attempt might ask the user again.
                Err(error @ (CallError::Authentication { .. } | CallError::Malformed { .. })) => {
                    crate::log::warn!(%error, "the stream of the session was given up");
                    return;
                }
                Err(error) => {
                    tracing::debug!(%error, "the stream of the session can't be opened yet");
                }
            }
            if begun.elapsed() >= STABLE_STREAM {
                short = 0;
            }
            tokio::time::sleep(resumption(parser.retry, short)).await;
            short += 1;
        }
    }

    /// Delivers the events of a stream that does not belong to a request.
    pub(super) async fn pass_on(&self, events: Vec<Event>) {
        for event in events {
            if let Event::TooLarge(_) = event {
                let limit = self.max_message_bytes;
                crate::log::warn!(
                    limit,
                    "a message of the server was skipped because it is over the limit"
                );
            }
            self.deliver(RemoteEvent::Event(event)).await;
        }
    }

    /// Returns the body, which may have been read before; see [`read_whole`](Self::read_whole).
    pub(super) async fn read_body(
        &self,
        parts: &Parts,
        mut body: Incoming,
    ) -> Result<(Vec<u8>, bool), CallError> {
        match parts.extensions.get::<BodyRead>() {
            Some(BodyRead(body, is_whole)) => Ok((body.clone(), *is_whole)),
            None => self.read_whole(&mut body).await,
        }
    }

    /// Reads a body as one line without a byte order mark, and returns it with true if it is
    /// complete. Reading stops at the limit.
    async fn read_whole(&self, body: &mut Incoming) -> Result<(Vec<u8>, bool), CallError> {
        let limit = self.max_message_bytes;
        let mut bytes = Vec::new();
        while bytes.len() <= limit
            && let Some(data) = next_bytes(body).await
        {
            let data = data.map_err(|error| CallError::Lost(io::Error::other(error)))?;
            bytes.extend_from_slice(&data);
        }
        // In JSON, line breaks can only be white space between tokens.
        for byte in &mut bytes {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        let is_whole = bytes.len() <= limit;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok((bytes, is_whole))
    }

    fn too_long(&self, outgoing: &Outgoing) -> CallError {
        let limit = size(self.max_message_bytes);
        outgoing.malformed(format!(
            "it is longer than the limit of {limit} (`max_message_bytes`)"
        ))
    }
}

fn lost(reason: impl Into<String>) -> CallError {
    CallError::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, reason.into()))
}

/// Returns the JSON-RPC error in a body, whichever request it names.
fn rpc_error(body: &[u8]) -> Option<ErrorObject> {
    match Frame::parse(body) {
        Ok(Frame::Single(Message::Response { outcome, .. })) => outcome.err(),
        _ => None,
    }
}

fn has_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    let value = headers.get(CONTENT_TYPE);
    value.is_some_and(|value| is_media_type(value.as_bytes(), media_type))
}

pub(super) fn is_stream(response: &Response<Incoming>) -> bool {
    response.status() == StatusCode::OK && has_media_type(response.headers(), EVENT_STREAM)
}

/// Returns true if the server may offer a stream later, because it is temporarily unavailable or
/// has not noticed yet that the last stream is closed.
fn is_transient(status: StatusCode) -> bool {
    let is_out_of_order = status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED;
    is_out_of_order || matches!(status.as_u16(), 408 | 409 | 429)
}
