//! The signals that shut a server down: SIGTERM and SIGINT on Unix, Ctrl-C elsewhere. Without the
//! feature `signal`, the program has to handle them.

use std::future::pending;
use std::io;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::connection::Peer;
use crate::limits::FOREVER;

pub(super) trait SignalSource: Send + 'static {
    /// Waits for the next signal. Never returns if there can't be any. Returns true for SIGTERM.
    fn next(&mut self) -> impl Future<Output = bool> + Send;
}

/// Shuts a server down on signals. The signals have their own task, which saves the loop of the
/// connection from polling them for each message. Dropping the handler ends the task.
pub(super) struct SignalHandler {
    task: AbortHandle,
    aborted: watch::Receiver<bool>,
}

impl SignalHandler {
    /// Spawns the task, which shuts the server of `peer` down on the first signal, and aborts it on
    /// each later signal. SIGTERM first waits for `ready_delay` or another signal.
    pub(super) fn new(peer: Peer, ready_delay: Duration, mut signals: impl SignalSource) -> Self {
        let (abort, aborted) = watch::channel(false);
        let task = tokio::spawn(async move {
            if signals.next().await && !ready_delay.is_zero() {
                tracing::info!(?ready_delay, "not ready any more, because of SIGTERM");
                peer.not_ready();
                let _ = timeout(ready_delay.min(FOREVER), signals.next()).await;
            }
            tracing::info!("shutting down on a signal");
            peer.shut_down();
            loop {
                signals.next().await;
                abort.send_replace(true);
                peer.abort();
            }
        });
        Self {
            task: task.abort_handle(),
            aborted,
        }
    }

    pub(super) async fn aborted(&self) {
        let mut aborted = self.aborted.clone();
        if aborted.wait_for(|aborted| *aborted).await.is_err() {
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
    async fn next(&mut self) -> bool {
        tokio::select! {
            _ = self.terminate.recv() => true,
            _ = self.interrupt.recv() => false,
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
    async fn next(&mut self) -> bool {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
        false
    }
}

#[cfg(not(feature = "signal"))]
impl SignalSource for Signals {
    async fn next(&mut self) -> bool {
        pending().await
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

    /// Signals that a test sends; true is SIGTERM.
    struct Sent(mpsc::UnboundedReceiver<bool>);

    impl SignalSource for Sent {
        async fn next(&mut self) -> bool {
            match self.0.recv().await {
                Some(is_sigterm) => is_sigterm,
                None => pending().await,
            }
        }
    }

    /// Serves with the signals that are sent over the returned channel.
    fn run<E: Endpoint>(
        serve: Serve<E>,
    ) -> (
        mpsc::UnboundedSender<bool>,
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
            signal.send(true).unwrap();
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
            signal.send(true).unwrap();
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
                signal.send(true).unwrap();
            }
            begun.await.unwrap();
            if ended_by_the_client {
                signal.send(true).unwrap();
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                assert!(!serving.is_finished(), "there was one signal");
            }
            signal.send(true).unwrap();
            serving.await.unwrap().unwrap();
        }
    }

    #[cfg(feature = "http-server")]
    mod over_http {
        use std::net::SocketAddr;
        use std::time::Duration;

        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        use tokio::net::TcpStream;
        use tokio::time::Instant;

        use super::{Server, releasing, run};
        use crate::transport::http::{Http, http};

        const HOUR: Duration = Duration::from_secs(3600);
        const SIGTERM: bool = true;
        const CTRL_C: bool = false;

        fn listening() -> (SocketAddr, Http) {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            (listener.local_addr().unwrap(), http(listener))
        }

        /// Sends a request, and returns the head of the answer.
        async fn ask(stream: &mut TcpStream, method: &str, path: &str) -> String {
            let request = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            String::from_utf8(head).unwrap()
        }

        /// Sends probes until the server is not ready.
        async fn not_ready(stream: &mut TcpStream) {
            while ask(stream, "HEAD", "/ready").await.contains(" 200 ") {
                tokio::task::yield_now().await;
            }
        }

        #[tokio::test]
        async fn sigterm_has_a_delay_that_a_second_signal_ends() {
            let (addr, endpoint) = listening();
            let endpoint = endpoint.ready_delay(Duration::MAX).linger(HOUR);
            let (server, released) = releasing();
            let (signal, serving) = run(server.serve(endpoint).drain_timeout(HOUR));
            let serving = tokio::spawn(serving);
            let mut old = TcpStream::connect(addr).await.unwrap();
            assert!(ask(&mut old, "HEAD", "/ready").await.contains(" 200 "));
            signal.send(SIGTERM).unwrap();
            not_ready(&mut old).await;

            let mut new = TcpStream::connect(addr).await.unwrap();
            let answer = ask(&mut new, "HEAD", "/health").await;
            assert!(
                answer.contains(" 200 ") && !answer.contains("close"),
                "{answer}"
            );
            let answer = ask(&mut new, "DELETE", "/mcp").await;
            assert!(
                answer.contains(" 400 "),
                "served, and refused without a session: {answer}"
            );

            signal.send(CTRL_C).unwrap();
            while TcpStream::connect(addr).await.is_ok() {
                tokio::task::yield_now().await;
            }
            let answer = ask(&mut old, "DELETE", "/mcp").await;
            assert!(
                answer.contains(" 400 ") && answer.contains("close"),
                "{answer}"
            );
            assert!(!serving.is_finished(), "open connections are served");

            signal.send(CTRL_C).unwrap();
            serving.await.unwrap().unwrap();
            assert!(
                !released.load(super::Ordering::Relaxed),
                "`on_shutdown` is cut as well"
            );
        }

        #[tokio::test(start_paused = true)]
        async fn only_sigterm_has_a_delay_and_only_if_it_is_set() {
            for (delay, signal, passed) in [
                (Some(HOUR), SIGTERM, HOUR),
                (Some(HOUR), CTRL_C, Duration::ZERO),
                (None, SIGTERM, Duration::ZERO),
            ] {
                let (_, mut endpoint) = listening();
                if let Some(delay) = delay {
                    endpoint = endpoint.ready_delay(delay);
                }
                let (signals, serving) = run(Server::builder().build().serve(endpoint));
                let start = Instant::now();
                signals.send(signal).unwrap();
                serving.await.unwrap();
                let elapsed = start.elapsed();
                assert!(
                    elapsed >= passed && elapsed < passed + HOUR / 2,
                    "{elapsed:?}"
                );
            }
        }

        #[tokio::test(start_paused = true)]
        async fn a_shutdown_by_the_program_has_no_delay() {
            let (_, endpoint) = listening();
            let serve = Server::builder().build().serve(endpoint.ready_delay(HOUR));
            let (start, handle) = (Instant::now(), serve.shutdown_handle());
            let (_signals, serving) = run(serve);
            handle.shut_down();
            serving.await.unwrap();
            assert!(start.elapsed() < HOUR / 2);
        }
    }
}
