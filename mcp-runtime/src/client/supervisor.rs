//! The task that keeps a client connected.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_types::Revisions;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::Reconnect;
use super::connect::expected;
use super::error::ConnectError;
use super::opener::{Open, Shared};
use super::slot::{Connection, Demand, Phase, Slot};
use super::status::TransportState;

/// Watches the connection, and makes it anew when it is lost.
pub(super) struct Supervisor {
    pub(super) shared: Shared,
    pub(super) open: Option<Open>,
    pub(super) slot: watch::Sender<Slot>,
    pub(super) demand: Demand,
    /// True, or gone with the last handle, when the client is to be closed.
    pub(super) closing: watch::Receiver<bool>,
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut closing = self.closing.clone();
        // Failed tries, and connections that did not last, since the last one that did.
        let mut tries = 0;
        loop {
            let (connection, since) = (self.connection(), Instant::now());
            let cause = tokio::select! {
                () = closed(&mut closing) => {
                    connection.link.close().await;
                    break;
                }
                cause = self.watch(&connection) => cause,
            };
            drop(connection);
            if let Some(policy) = self.shared.config.reconnect
                && since.elapsed() >= policy.stable_after
            {
                tries = 0;
            }
            self.lost(cause);
            let Some(connection) = self.restore(&mut tries).await else {
                break;
            };
            let failures = self.slot.borrow().failures;
            self.slot.send_replace(Slot {
                failures,
                ..Slot::up(connection)
            });
        }
        self.slot.send_modify(|slot| slot.phase = Phase::Down);
    }

    fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.slot.borrow().connection)
    }

    /// Returns when the connection is over, at the latest when it gives no sign of life, with the
    /// reason.
    async fn watch(&self, connection: &Connection) -> ConnectError {
        let link = &connection.link;
        let dead = async {
            match self.shared.config.keep_alive {
                Some(keep_alive) => keep_alive.until_dead(link).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = link.ended() => link.fault().map_or(ConnectError::Closed, ConnectError::Lost),
            () = dead => {
                tracing::warn!("the server gives no sign of life: the connection is given up");
                link.abort().await;
                ConnectError::Lost(std::io::Error::new(
                    std::io::ErrorKind::TimedOut,
                    "the server gives no sign of life",
                ))
            }
        }
    }

    /// The connection is lost, and is restored where that is possible.
    fn lost(&self, cause: ConnectError) {
        let restores = self.open.is_some() && self.shared.config.reconnect.is_some();
        let (phase, state) = match restores {
            true => (Phase::Lost, TransportState::Reconnecting),
            false => (Phase::Down, TransportState::Lost),
        };
        self.enter(phase, Some(cause));
        self.shared.board.set_transport(state);
    }

    fn enter(&self, phase: Phase, cause: Option<ConnectError>) {
        self.slot.send_modify(|slot| {
            slot.phase = phase;
            if let Some(cause) = cause {
                slot.cause = Some(Arc::new(cause));
            }
        });
    }

    /// Tries to connect again, until it succeeds or the client is to be closed. `tries` counts the
    /// tries, successful ones as well.
    async fn restore(&self, tries: &mut u32) -> Option<Connection> {
        let (open, policy) = (self.open.as_ref()?, self.shared.config.reconnect?);
        let known = self.connection().agreed.negotiated.revision;
        let mut revisions = expected(&self.shared.config, Some(known.era()));
        let mut last_try = Instant::now();
        loop {
            self.pause(policy, *tries, last_try).await?;
            *tries = tries.saturating_add(1);
            let restored = self.reopen(open, revisions).await;
            last_try = Instant::now();
            let error = match restored {
                Ok(connection) => return Some(connection),
                Err(_) if *self.closing.borrow() => return None,
                Err(error) => error,
            };
            tracing::warn!(%error, "the connection can't be restored yet");
            self.slot.send_modify(|slot| slot.failures += 1);
            self.enter(Phase::Lost, Some(error));
            self.shared
                .board
                .set_transport(TransportState::Reconnecting);
            // The server may be another one by now.
            revisions = self.shared.config.revisions;
        }
    }

    /// Waits for the time of the next try; `None` when the client is to be closed instead.
    async fn pause(&self, policy: Reconnect, tries: u32, last_try: Instant) -> Option<()> {
        let mut closing = self.closing.clone();
        let endless = self.shared.config.endless.load(Ordering::Relaxed);
        let pause = match endless || policy.goes_on_after(tries) {
            true => Some(policy.pause_before(tries)),
            false => {
                tracing::error!(tries, "the connection is lost; the next call tries again");
                self.enter(Phase::GivenUp, None);
                self.shared.board.set_transport(TransportState::Lost);
                None
            }
        };
        let shortest = pause.map_or(policy.first_pause, |pause| pause.min(policy.first_pause));
        let planned = async {
            match pause {
                Some(pause) => sleep_until(last_try + pause).await,
                None => std::future::pending().await,
            }
        };
        let demanded = async {
            // A call that has learned of the last failure does not wait any more.
            loop {
                self.demand.wanted().await;
                sleep_until(last_try + shortest).await;
                if self.demand.is_wanted() {
                    break;
                }
            }
        };
        tokio::select! {
            () = closed(&mut closing) => return None,
            () = planned => {}
            () = demanded => {}
        }
        if pause.is_none() {
            self.enter(Phase::Lost, None);
            self.shared
                .board
                .set_transport(TransportState::Reconnecting);
        }
        Some(())
    }

    /// Connects, and tells the server again what it was told before. A connection that is being made
    /// when the client is to be closed is closed as well.
    async fn reopen(&self, open: &Open, revisions: Revisions) -> Result<Connection, ConnectError> {
        let mut closing = self.closing.clone();
        let link = tokio::select! {
            () = closed(&mut closing) => return Err(ConnectError::Closed),
            link = open(self.shared.clone()) => link.map_err(ConnectError::Open)?,
        };
        let agreed = tokio::select! {
            () = closed(&mut closing) => Err(ConnectError::Closed),
            agreed = self.shared.agree(&link, revisions) => agreed,
        };
        let connection = match agreed {
            Ok(agreed) => Connection { link, agreed },
            Err(error) => {
                link.close().await;
                return Err(error.explained(link.fault()));
            }
        };
        // What has changed meanwhile was not announced.
        if let Some(kept) = &self.shared.kept {
            kept.clear();
        }
        tokio::select! {
            () = closed(&mut closing) => {}
            () = self.shared.memory.repeat(&connection, &self.shared.config) => {}
        }
        Ok(connection)
    }
}

/// Waits until the client is to be closed.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the last handle was dropped.
    let _ = closing.wait_for(|closing| *closing).await;
}
