//! Letting clients in, one after the other, whatever kind of socket they come by.

use std::future::Future;
use std::io;

use tokio::sync::watch;

use super::stream::Stream;
use crate::server::listen::{Listener, attend};
use crate::server::running::Running;
use crate::transport::Transport;

/// A socket that clients connect to.
pub(super) trait Entrance: Send + 'static {
    /// The connection of one client.
    type Stream: Stream;

    /// Waits for the next client. Must be cancel safe.
    fn next(&mut self) -> impl Future<Output = io::Result<Self::Stream>> + Send;

    /// Says who has come, where that is known.
    fn introduce(_: &Self::Stream, _: &Running) {}
}

/// Where clients come in, each to a connection of its own.
pub(super) struct Door<E> {
    pub(super) entrance: E,
    pub(super) max_frame_bytes: usize,
}

impl<E: Entrance> Listener for Door<E> {
    type Client = Accepted<E::Stream>;

    async fn accept(&mut self) -> io::Result<Self::Client> {
        Ok(Accepted {
            stream: self.entrance.next().await?,
            max_frame_bytes: self.max_frame_bytes,
        })
    }

    async fn serve(client: Self::Client, running: Running, ending: watch::Receiver<bool>) {
        E::introduce(&client.stream, &running);
        attend(client, running, ending).await;
    }
}

/// A client that has come in.
pub(super) struct Accepted<S> {
    stream: S,
    max_frame_bytes: usize,
}

impl<S: Stream> Transport for Accepted<S> {
    type Reader = S::Reader;
    type Writer = S::Writer;

    async fn open(self) -> io::Result<(S::Reader, S::Writer)> {
        self.stream.halves(self.max_frame_bytes)
    }
}
