//! The task that keeps a client connected.

use std::sync::Arc;

use mcp_types::Revisions;
use tokio::sync::watch;
use tokio::time::sleep;

use super::error::ConnectError;
use super::opener::{Open, Shared};
use super::slot::{Connection, Phase, Slot};

/// Watches the connection, and makes it anew when it is lost.
pub(super) struct Supervisor {
    pub(super) shared: Shared,
    pub(super) open: Option<Open>,
    pub(super) slot: watch::Sender<Slot>,
    /// True, or gone with the last handle, when the client wants the end.
    pub(super) closing: watch::Receiver<bool>,
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut closing = self.closing.clone();
        loop {
            let connection = Arc::clone(&self.slot.borrow().connection);
            tokio::select! {
                () = wanted(&mut closing) => {
                    connection.link.close().await;
                    break;
                }
                () = self.watch(&connection) => {}
            }
            self.enter(Phase::Lost);
            let restored = tokio::select! {
                () = wanted(&mut closing) => None,
                restored = self.restore() => restored,
            };
            let Some(connection) = restored else { break };
            self.slot.send_replace(Slot::up(connection));
        }
        self.enter(Phase::Down);
    }

    fn enter(&self, phase: Phase) {
        self.slot.send_modify(|slot| slot.phase = phase);
    }

    /// Returns when the connection is over, at the latest when it gives no sign of life.
    async fn watch(&self, connection: &Connection) {
        let link = &connection.link;
        let dead = async {
            match self.shared.config.keep_alive {
                Some(keep_alive) => keep_alive.until_dead(link).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = link.ended() => {}
            () = dead => {
                tracing::warn!("the server gives no sign of life: the connection is given up");
                link.abort().await;
            }
        }
    }

    /// Tries to connect again, as often as it is worth while.
    async fn restore(&self) -> Option<Connection> {
        let open = self.open.as_ref()?;
        let policy = self.shared.config.reconnect?;
        let known = self.slot.borrow().connection.agreed.agreement.revision;
        let mut revisions = self.shared.config.revisions.of(known.era());
        for pause in policy.pauses() {
            sleep(pause).await;
            match self.reopen(open, revisions).await {
                Ok(connection) => return Some(connection),
                Err(error) => tracing::warn!(%error, "the connection can't be restored yet"),
            }
            // The server may be another one by now.
            revisions = self.shared.config.revisions;
        }
        tracing::error!(tries = policy.tries, "the connection is lost for good");
        None
    }

    /// Connects, and tells the server again what it was told before.
    async fn reopen(&self, open: &Open, revisions: Revisions) -> Result<Connection, ConnectError> {
        let connection = self.shared.connect(open, revisions).await?;
        // Whatever has changed meanwhile, nobody said so.
        if let Some(kept) = &self.shared.kept {
            kept.clear();
        }
        self.shared
            .memory
            .repeat(&connection, &self.shared.config)
            .await;
        Ok(connection)
    }
}

/// Waits until the end is wanted.
async fn wanted(closing: &mut watch::Receiver<bool>) {
    // An error means that the last handle was dropped.
    let _ = closing.wait_for(|closing| *closing).await;
}
