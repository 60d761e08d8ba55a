//! Serving the connections of a listener.

use std::future::Future;
use std::io;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::running::Running;
use crate::connection::Command;
use crate::limits::ACCEPT_PAUSE;
use crate::transport::Transport;

/// Accepts connections.
pub(crate) trait Listener: Send {
    /// An accepted connection.
    type Client: Send + 'static;

    /// Waits for the next connection.
    ///
    /// Must be cancel safe: dropping the future loses no connection.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Client>> + Send;

    /// Serves a connection until it ends, or for the drain time once `ending` is set.
    fn serve(
        client: Self::Client,
        running: Running,
        ending: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + 'static;
}

/// Serves the connections of `listener`, at most `max_connections` at the same time, until a
/// shutdown; then those that are open, for the drain time.
pub(crate) async fn listen<L: Listener>(
    mut listener: L,
    mut running: Running,
    max_connections: usize,
) {
    let ending = watch::Sender::new(false);
    let mut connections = JoinSet::new();
    loop {
        let room = connections.len() < max_connections;
        tokio::select! {
            command = running.commands.recv() => match command {
                Some(Command::ShutDown) | None => break,
                Some(Command::Abort) => return,
                Some(_) => {}
            },
            accepted = listener.accept(), if room => match accepted {
                Ok(client) => {
                    let connection = Running::new(running.server.clone(), running.limits);
                    connections.spawn(L::serve(client, connection, ending.subscribe()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    // Refuses further connections.
    drop(listener);
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

/// Serves one connection until it ends, or for the drain time once `ending` is set.
pub(crate) async fn attend<T: Transport>(
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
        tracing::debug!(%error, "a connection ended badly");
    }
}

/// Waits until `ending` is set.
pub(crate) async fn ended(ending: &mut watch::Receiver<bool>) {
    // Fails when the server is gone.
    let _ = ending.wait_for(|ending| *ending).await;
}
