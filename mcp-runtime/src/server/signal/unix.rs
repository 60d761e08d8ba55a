//! SIGTERM and SIGINT.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(in crate::server) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(in crate::server) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next of the two signals.
    pub(in crate::server) async fn next(&mut self) {
        poll_fn(|cx| {
            let polls = [&mut self.terminate, &mut self.interrupt].map(|it| it.poll_recv(cx));
            match polls.iter().any(Poll::is_ready) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }
}
