//! What both halves of a WebSocket send: messages, pings, and the goodbye.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU16, Ordering};
use std::task::{Context, Poll, Waker};

use futures_util::stream::SplitSink;
use futures_util::{Sink, SinkExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, MutexGuard};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

/// The way out of a WebSocket.
#[derive(Debug)]
pub(super) struct Sending<S> {
    sink: Mutex<SplitSink<WebSocketStream<S>, Message>>,
    /// Why the connection is closed, once it is.
    code: AtomicU16,
}

impl<S> Sending<S> {
    pub(super) fn new(sink: SplitSink<WebSocketStream<S>, Message>, goodbye: CloseCode) -> Self {
        Self {
            sink: Mutex::new(sink),
            code: AtomicU16::new(goodbye.into()),
        }
    }

    /// Says why the connection will be closed.
    pub(super) fn close_with(&self, code: CloseCode) {
        self.code.store(code.into(), Ordering::Relaxed);
    }

    pub(super) async fn lock(&self) -> MutexGuard<'_, SplitSink<WebSocketStream<S>, Message>> {
        self.sink.lock().await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sending<S> {
    /// Sends a ping, unless the connection is busy sending: then the peer reads, or will be missed
    /// for not doing so.
    pub(super) fn ping(&self) -> io::Result<()> {
        let Ok(mut sink) = self.sink.try_lock() else {
            return Ok(());
        };
        let mut sink = Pin::new(&mut *sink);
        let mut cx = Context::from_waker(Waker::noop());
        if let Poll::Ready(ready) = Sink::poll_ready(sink.as_mut(), &mut cx) {
            ready.map_err(failed)?;
            let ping = Message::Ping(Bytes::new());
            sink.as_mut().start_send(ping).map_err(failed)?;
            // What does not leave now leaves with what is sent next.
            let _ = Sink::poll_flush(sink, &mut cx).map_err(failed)?;
        }
        Ok(())
    }

    /// Says goodbye, and why.
    pub(super) async fn close(&self) -> io::Result<()> {
        let mut sink = self.sink.lock().await;
        let goodbye = Message::Close(Some(CloseFrame {
            code: self.code.load(Ordering::Relaxed).into(),
            reason: Utf8Bytes::from_static(""),
        }));
        sink.send(goodbye).await.or_else(ended)?;
        sink.close().await.or_else(ended)
    }
}

/// The connection being over is no failure.
pub(super) fn ended(error: Error) -> io::Result<()> {
    match failed(error) {
        error if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        error => Err(error),
    }
}

pub(super) fn failed(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_) => {
            io::Error::new(io::ErrorKind::NotConnected, error)
        }
        error => io::Error::other(error),
    }
}
