//! Frames over an open WebSocket.

use std::future::poll_fn;
use std::io;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{Sink, SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::transport::{
    DEFAULT_MAX_FRAME_BYTES, FrameReader, FrameWriter, Incoming, Outbox, Transport,
};

/// A WebSocket on which the handshake is done.
#[derive(Debug)]
pub struct WebSocket<S> {
    stream: WebSocketStream<S>,
    limit: usize,
}

impl<S> WebSocket<S> {
    /// Takes over `stream`, which may come from any HTTP stack that has upgraded a connection.
    /// Its own limits apply to the size of messages.
    pub fn new(stream: WebSocketStream<S>) -> Self {
        let limit = stream.get_config().max_message_size;
        Self {
            stream,
            limit: limit.unwrap_or(usize::MAX),
        }
    }
}

/// The limits of a connection that accepts messages of at most `limit` bytes.
pub(super) fn config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
}

pub(super) const DEFAULT_LIMIT: usize = DEFAULT_MAX_FRAME_BYTES;

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for WebSocket<S> {
    type Reader = WebSocketReader<S>;
    type Writer = WebSocketWriter<S>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (sink, stream) = self.stream.split();
        let reader = WebSocketReader {
            stream,
            limit: self.limit,
            found: None,
            current: None,
            ended: false,
        };
        Ok((reader, WebSocketWriter { sink, started: 0 }))
    }
}

/// Reads messages; pings are answered on the way.
#[derive(Debug)]
pub struct WebSocketReader<S> {
    stream: SplitStream<WebSocketStream<S>>,
    limit: usize,
    found: Option<Found>,
    /// The message that was taken last.
    current: Option<Utf8Bytes>,
    ended: bool,
}

#[derive(Debug)]
enum Found {
    Text(Utf8Bytes),
    TooLarge,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> FrameReader for WebSocketReader<S> {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        match self.found.take()? {
            Found::Text(text) => {
                let text = self.current.insert(text);
                Some(Incoming::Frame(text.as_bytes()))
            }
            Found::TooLarge => Some(Incoming::TooLarge {
                head: &[],
                limit: self.limit,
            }),
        }
    }

    async fn fill(&mut self) -> io::Result<bool> {
        while !self.ended {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    self.found = Some(Found::Text(text));
                    return Ok(true);
                }
                Some(Ok(Message::Binary(_))) => {
                    let reason = "a message must be text";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                // What follows an oversized message can't be told from it.
                Some(Err(Error::Capacity(_))) => {
                    self.ended = true;
                    self.found = Some(Found::TooLarge);
                    return Ok(true);
                }
                Some(Ok(Message::Close(_))) | None => self.ended = true,
                Some(Err(error)) => {
                    self.ended = true;
                    ended(error)?;
                }
            }
        }
        Ok(false)
    }
}

/// Writes messages.
#[derive(Debug)]
pub struct WebSocketWriter<S> {
    sink: SplitSink<WebSocketStream<S>, Message>,
    /// Bytes at the front of the outbox that are on their way, but may not have left yet.
    started: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> FrameWriter for WebSocketWriter<S> {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        while let Some(length) = memchr::memchr(b'\n', &outbox.bytes()[self.started..]) {
            poll_fn(|cx| Sink::poll_ready(std::pin::Pin::new(&mut self.sink), cx))
                .await
                .map_err(failed)?;
            let line = &outbox.bytes()[self.started..self.started + length];
            let text = std::str::from_utf8(line).map_err(io::Error::other)?;
            self.sink
                .start_send_unpin(Message::text(text))
                .map_err(failed)?;
            self.started += length + 1;
        }
        self.sink.flush().await.map_err(failed)?;
        outbox.advance(self.started);
        self.started = 0;
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        let goodbye = Message::Close(Some(CloseFrame {
            code: CloseCode::Normal,
            reason: Utf8Bytes::from_static(""),
        }));
        self.sink.send(goodbye).await.or_else(ended)?;
        self.sink.close().await.or_else(ended)
    }
}

/// The connection being over is no failure.
fn ended(error: Error) -> io::Result<()> {
    match failed(error) {
        error if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        error => Err(error),
    }
}

fn failed(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_) => {
            io::Error::new(io::ErrorKind::NotConnected, error)
        }
        error => io::Error::other(error),
    }
}
