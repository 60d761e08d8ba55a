//! Frames over an open WebSocket, for clients and servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use std::{io, mem};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use crate::connection::BYTE_ORDER_MARK;
use crate::limits::{FOREVER, WEBSOCKET_PING};
use crate::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};

/// A WebSocket whose handshake is done.
#[derive(Debug)]
pub struct WebSocket<S> {
    stream: WebSocketStream<S>,
    limit: usize,
    ping: Duration,
    pub(super) close_code: Arc<AtomicU16>,
}

impl<S> WebSocket<S> {
    /// Uses `stream`, which may come from any HTTP stack that has upgraded a connection. The
    /// stream's own limits apply to the size of messages.
    pub fn new(stream: WebSocketStream<S>) -> Self {
        let limit = stream.get_config().max_message_size;
        Self {
            stream,
            limit: limit.unwrap_or(usize::MAX),
            ping: WEBSOCKET_PING,
            close_code: Arc::new(AtomicU16::new(CloseCode::Normal.into())),
        }
    }

    /// Sets how often the peer gets a ping; every 30 seconds by default. The connection is closed
    /// if nothing has been received since the last ping.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.ping = period;
        self
    }
}

pub(super) fn config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for WebSocket<S> {
    type Reader = WebSocketReader<S>;
    type Writer = WebSocketWriter<S>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (sink, stream) = self.stream.split();
        let sender = Arc::new(FrameSender {
            sink: Mutex::new(sink),
            code: self.close_code,
        });
        let reader = WebSocketReader {
            stream,
            limit: self.limit,
            message: None,
            unread: false,
            ended: false,
            end_reason: None,
            sender: Arc::clone(&sender),
            ping: self.ping,
            next_ping: Instant::now() + self.ping.min(FOREVER),
            heard: true,
        };
        let writer = WebSocketWriter { sender, started: 0 };
        Ok((reader, writer))
    }
}

/// Reads messages. Meanwhile it answers pings and sends its own.
#[derive(Debug)]
pub struct WebSocketReader<S> {
    stream: SplitStream<WebSocketStream<S>>,
    limit: usize,
    /// The last message; `None` if it exceeded the limit.
    message: Option<Utf8Bytes>,
    /// True if the last message has not been taken yet.
    unread: bool,
    ended: bool,
    /// The reason that the peer gave for closing the connection.
    end_reason: Option<String>,
    sender: Arc<FrameSender<S>>,
    ping: Duration,
    next_ping: Instant,
    /// True if anything has been received since the last ping.
    heard: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> WebSocketReader<S> {
    /// Sends a ping.
    ///
    /// # Errors
    ///
    /// If nothing has been received since the last ping.
    fn ping(&mut self) -> io::Result<()> {
        if !mem::replace(&mut self.heard, false) {
            let reason = "the peer has sent nothing since the last ping";
            return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
        }
        self.next_ping = Instant::now() + self.ping.min(FOREVER);
        self.sender.ping()
    }

    fn receive(&mut self, message: Option<Result<Message, Error>>) -> io::Result<()> {
        self.heard = true;
        match message {
            Some(Ok(Message::Text(text))) => {
                self.message = Some(text);
                self.unread = true;
            }
            Some(Ok(Message::Binary(_))) => {
                self.sender.close_with(CloseCode::Unsupported);
                let reason = "a message must be text";
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            // The connection can't continue, because the end of an oversized message is unknown.
            Some(Err(Error::Capacity(_))) => {
                self.sender.close_with(CloseCode::Size);
                self.message = None;
                (self.unread, self.ended) = (true, true);
            }
            Some(Ok(Message::Close(frame))) => {
                self.ended = true;
                self.end_reason = frame.and_then(reason);
            }
            None => self.ended = true,
            Some(Err(error)) => {
                if matches!(error, Error::Utf8(_)) {
                    self.sender.close_with(CloseCode::Invalid);
                }
                self.ended = true;
                ended(error)?;
            }
        }
        Ok(())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> FrameReader for WebSocketReader<S> {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        if !mem::take(&mut self.unread) {
            return None;
        }
        Some(match &self.message {
            Some(text) => {
                let text = text.as_bytes();
                Incoming::Frame(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
            }
            None => Incoming::TooLarge {
                head: &[],
                tail: &[],
                limit: self.limit,
            },
        })
    }

    async fn fill(&mut self) -> io::Result<bool> {
        while !self.ended && !self.unread {
            tokio::select! {
                biased;
                message = self.stream.next() => self.receive(message)?,
                () = tokio::time::sleep_until(self.next_ping) => self.ping()?,
            }
        }
        Ok(self.unread)
    }

    fn end_reason(&mut self) -> Option<String> {
        self.end_reason.take()
    }
}

#[derive(Debug)]
pub struct WebSocketWriter<S> {
    sender: Arc<FrameSender<S>>,
    /// Bytes at the front of the outbox that were handed to the sink but may not have been sent
    /// yet.
    started: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> FrameWriter for WebSocketWriter<S> {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        let mut sink = self.sender.sink.lock().await;
        while let Some(length) = memchr::memchr(b'\n', &outbox.bytes()[self.started..]) {
            let line = &outbox.bytes()[self.started..self.started + length];
            let text = std::str::from_utf8(line).map_err(io::Error::other)?;
            sink.feed(Message::text(text)).await.map_err(failed)?;
            self.started += length + 1;
        }
        sink.flush().await.map_err(failed)?;
        outbox.advance(self.started);
        self.started = 0;
        Ok(())
    }

    fn in_transit(&self, _outbox: &Outbox) -> usize {
        self.started
    }

    async fn close(&mut self) -> io::Result<()> {
        self.sender.close().await
    }
}

/// The sending half, which the reader and the writer share.
#[derive(Debug)]
struct FrameSender<S> {
    sink: Mutex<SplitSink<WebSocketStream<S>, Message>>,
    /// The code to send when the connection is closed.
    code: Arc<AtomicU16>,
}

impl<S> FrameSender<S> {
    fn close_with(&self, code: CloseCode) {
        self.code.store(code.into(), Ordering::Relaxed);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> FrameSender<S> {
    /// Sends a ping, unless the connection is busy sending. The write timeout then notices a peer
    /// that does not read.
    fn ping(&self) -> io::Result<()> {
        let Ok(mut sink) = self.sink.try_lock() else {
            return Ok(());
        };
        // A ping that can't be sent now is sent with the next message.
        let sent = sink.send(Message::Ping(Bytes::new())).now_or_never();
        sent.unwrap_or(Ok(())).map_err(failed)
    }

    /// Sends the close code and closes the connection.
    async fn close(&self) -> io::Result<()> {
        let mut sink = self.sink.lock().await;
        let code = CloseCode::from(self.code.load(Ordering::Relaxed));
        let reason = match code {
            CloseCode::Policy => Utf8Bytes::from_static("the access has expired"),
            _ => Utf8Bytes::default(),
        };
        let close = Message::Close(Some(CloseFrame { code, reason }));
        sink.send(close).await.or_else(ended)?;
        sink.close().await.or_else(ended)
    }
}

/// Describes why the peer closed the connection; `None` for a normal end (RFC 6455, section 7.4.1).
fn reason(frame: CloseFrame) -> Option<String> {
    let code = u16::from(frame.code);
    let text = frame.reason.replace(char::is_control, " ");
    match (frame.code, &*text) {
        (CloseCode::Normal | CloseCode::Away, "") => None,
        (_, "") => Some(format!("code {code}")),
        _ => Some(format!("code {code}, {text}")),
    }
}

/// Turns an error into success if it only says that the connection is over.
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
