//! Signals while a server is served.

use std::future::{Future, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{mpsc, oneshot};

use super::serving::{Endpoint, Serve};
use super::signals::SignalSource;
use crate::error::ServeError;
use crate::server::Server;
use crate::transport::memory;

/// Signals that a test sends.
struct Sent(mpsc::UnboundedReceiver<()>);

impl SignalSource for Sent {
    async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            pending::<()>().await;
        }
    }
}

/// Serves with signals that the test sends.
fn run<E: Endpoint>(
    serve: Serve<E>,
) -> (
    mpsc::UnboundedSender<()>,
    impl Future<Output = Result<(), ServeError>> + Send,
) {
    let (signal, signals) = mpsc::unbounded_channel();
    (signal, serve.run_with(|| Ok(Sent(signals))))
}

/// A server whose `on_shutdown` takes a few steps; true once it is done.
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

/// A server whose `on_shutdown` never ends; the receiver learns that it has begun.
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
