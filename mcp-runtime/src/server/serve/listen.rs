//! Accepts and serves the connections of a listener.

use std::future::{Future, pending, poll_fn};
use std::io::{self, IsTerminal as _, Write as _};
use std::task::{Context, Poll};

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Running;
use crate::connection::{Command, Transport};
use crate::limits::ACCEPT_PAUSE;
use crate::server::Server;

impl Server {
    /// Announces that the server accepts connections at the address `place`: logs it, prints it if
    /// standard error is a terminal, and calls the `on_listening` hooks.
    pub(crate) fn listens(&self, place: &str) {
        self.has_started(place);
        if io::stderr().is_terminal() {
            let info = &self.settings().info;
            // A failure can be ignored, because nobody reads the terminal then.
            let _ = writeln!(io::stderr(), "{} {} at {place}", info.name, info.version);
        }
        for hook in &self.settings().hooks.listening {
            hook(place);
        }
    }
}

/// Accepts connections with `poll_accept`, and serves each of them in a task with `serve`, at most
/// `max_connections` at the same time.
///
/// After a shutdown, accepts no more connections and waits for the open connections to end. The
/// receiver that `serve` gets tells them about the shutdown. `place` is the address of the listener.
pub(crate) async fn listen<C, S: Future<Output = ()> + Send + 'static>(
    mut running: Running,
    place: &str,
    max_connections: usize,
    mut poll_accept: impl FnMut(&mut Context<'_>) -> Poll<io::Result<C>>,
    serve: impl Fn(C, Running, watch::Receiver<bool>) -> S,
) {
    running.server.listens(place);
    let ending = watch::Sender::new(false);
    let mut connections = JoinSet::new();
    loop {
        let has_room = connections.len() < max_connections;
        tokio::select! {
            command = running.commands.recv() => match command {
                Some(Command::ShutDown) | None => break,
                Some(Command::Abort) => return,
                Some(_) => {}
            },
            accepted = poll_fn(&mut poll_accept), if has_room => match accepted {
                Ok(accepted) => {
                    let connection = Running::new(running.server.clone(), running.limits);
                    connections.spawn(serve(accepted, connection, ending.subscribe()));
                }
                Err(error) => {
                    crate::log::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    // The closure owns the listener, so this closes it.
    drop(poll_accept);
    ending.send_replace(true);
    while !connections.is_empty() {
        tokio::select! {
            command = running.commands.recv() => {
                if !matches!(command, Some(Command::ShutDown)) {
                    return;
                }
            }
            _ = connections.join_next() => {}
        }
    }
}

/// Serves one connection until it ends. After `ending` is set, the connection has the drain time to
/// finish.
pub(crate) async fn serve_connection<T: Transport>(
    transport: T,
    running: Running,
    mut ending: watch::Receiver<bool>,
) {
    let handle = running.shutdown_handle();
    let mut serving = std::pin::pin!(running.serve(transport));
    let outcome = tokio::select! {
        outcome = &mut serving => outcome,
        () = ended(&mut ending) => {
            handle.shut_down();
            serving.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

/// Waits until `ending` is set. Never returns if the sender is dropped before.
pub(crate) async fn ended(ending: &mut watch::Receiver<bool>) {
    if ending.wait_for(|ending| *ending).await.is_err() {
        pending::<()>().await;
    }
}
