//! The signals that shut a server down: SIGTERM and SIGINT on Unix, Ctrl-C elsewhere. Without the
//! feature `signal`, the program has to handle them.

use std::future::pending;
use std::io;

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::connection::Peer;

pub(super) trait SignalSource: Send + 'static {
    /// Waits for the next signal. Never returns if there can't be any.
    fn next(&mut self) -> impl Future<Output = ()> + Send;
}

/// Shuts a server down on signals. The signals have their own task, which saves the loop of the
/// connection from polling them for each message. Dropping the handler ends the task.
pub(super) struct SignalHandler {
    task: AbortHandle,
    received: watch::Receiver<usize>,
}

impl SignalHandler {
    /// Spawns the task, which shuts the server of `peer` down on the first signal, and aborts it on
    /// each later signal.
    pub(super) fn new(peer: Peer, mut signals: impl SignalSource) -> Self {
        let (count, received) = watch::channel(0);
        let task = tokio::spawn(async move {
            loop {
                signals.next().await;
                // Signals are counted, so that a receiver that looks late still sees the second.
                count.send_modify(|count| *count += 1);
                if *count.borrow() == 1 {
                    tracing::info!("shutting down on a signal");
                    peer.shut_down();
                } else {
                    peer.abort();
                }
            }
        });
        Self {
            task: task.abort_handle(),
            received,
        }
    }

    pub(super) async fn second(&self) {
        let mut received = self.received.clone();
        if received.wait_for(|count| *count > 1).await.is_err() {
            pending::<()>().await;
        }
    }
}

impl Drop for SignalHandler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(all(feature = "signal", unix))]
pub(super) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(all(feature = "signal", unix))]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

#[cfg(all(feature = "signal", unix))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(all(feature = "signal", unix)))]
pub(super) struct Signals;

#[cfg(not(all(feature = "signal", unix)))]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(all(feature = "signal", not(unix)))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    }
}

#[cfg(not(feature = "signal"))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future, pending};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::sync::{mpsc, oneshot};

    use super::super::serving::{Endpoint, Serve};
    use super::SignalSource;
    use crate::error::ServeError;
    use crate::server::Server;
    use crate::transport::memory;

    struct Sent(mpsc::UnboundedReceiver<()>);

    impl SignalSource for Sent {
        async fn next(&mut self) {
            if self.0.recv().await.is_none() {
                pending::<()>().await;
            }
        }
    }

    /// Serves with the signals that are sent over the returned channel.
    fn run<E: Endpoint>(
        serve: Serve<E>,
    ) -> (
        mpsc::UnboundedSender<()>,
        impl Future<Output = Result<(), ServeError>> + Send,
    ) {
        let (signal, signals) = mpsc::unbounded_channel();
        (signal, serve.run_with(|| Ok(Sent(signals))))
    }

    /// A server whose `on_shutdown` yields a few times, and a flag that is set when it is done.
    fn releasing() -> (Server, Arc<AtomicBool>) {
        let released = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&released);
        let mut server = Server::builder();
        server.on_shutdown(move || {
            let done = Arc::clone(&done);
            async move {
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
                done.store(true, Ordering::Relaxed);
            }
        });
        (server.build(), released)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_signal_never_cuts_the_shutdown_short() {
        for turn in 0..200 {
            let (server, released) = releasing();
            let (client, transport) = memory::pair();
            let (signal, serving) = run(server.serve(transport));
            let serving = tokio::spawn(serving);
            signal.send(()).unwrap();
            serving.await.unwrap().unwrap();
            assert!(released.load(Ordering::Relaxed), "turn {turn}");
            drop(client);
        }
    }

    #[cfg(feature = "http-server")]
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_signal_never_cuts_the_shutdown_of_a_listener_short() {
        for turn in 0..200 {
            let (server, released) = releasing();
            let (signal, serving) = run(server.serve(crate::transport::http::http(0)));
            let serving = tokio::spawn(serving);
            signal.send(()).unwrap();
            serving.await.unwrap().unwrap();
            assert!(released.load(Ordering::Relaxed), "turn {turn}");
        }
    }

    /// A server whose `on_shutdown` never ends, and a receiver that is notified when it begins.
    fn stuck() -> (Server, oneshot::Receiver<()>) {
        let (begins, begun) = oneshot::channel();
        let begins = std::sync::Mutex::new(Some(begins));
        let mut server = Server::builder();
        server.on_shutdown(move || {
            let begins = begins.lock().unwrap().take().unwrap();
            begins.send(()).unwrap();
            pending::<()>()
        });
        (server.build(), begun)
    }

    #[tokio::test]
    async fn a_second_signal_cuts_the_shutdown_short() {
        for ended_by_the_client in [false, true] {
            let (server, begun) = stuck();
            let (client, transport) = memory::pair();
            let (signal, serving) = run(server.serve(transport));
            let serving = tokio::spawn(serving);
            if ended_by_the_client {
                drop(client);
            } else {
                signal.send(()).unwrap();
            }
            begun.await.unwrap();
            if ended_by_the_client {
                signal.send(()).unwrap();
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                assert!(!serving.is_finished(), "there was one signal");
            }
            signal.send(()).unwrap();
            serving.await.unwrap().unwrap();
        }
    }
}
