//! The loop: read, serve, write, wait.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::stall::Stall;
use super::{Command, Commands, Core, Role};
use crate::error::shared;
use crate::limits::FOREVER;
use crate::limits::{
    DRAIN_TIMEOUT, LAST_READ_TIMEOUT, MAX_DEPTH, MAX_IN_FLIGHT, MAX_OPEN, MAX_QUEUED_BYTES,
    MAX_UNSENT_BYTES, WRITE_TIMEOUT,
};
use crate::transport::{FrameReader, FrameWriter};

/// What one connection may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Requests of the peer that are served at the same time.
    pub(crate) max_in_flight: usize,
    /// Requests of the peer that stay open at the same time, apart from those.
    pub(crate) max_open: usize,
    /// Levels of nesting in a message.
    pub(crate) max_depth: usize,
    /// How long handlers may go on once the connection ends.
    pub(crate) drain: Duration,
    /// How long the peer may leave unread what it was sent.
    pub(crate) write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_in_flight: MAX_IN_FLIGHT,
            max_open: MAX_OPEN,
            max_depth: MAX_DEPTH,
            drain: DRAIN_TIMEOUT,
            write: WRITE_TIMEOUT,
        }
    }
}

/// How a connection came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The peer closed it.
    Peer,
    /// This side asked for it.
    ShutDown,
    /// This side asked for it at once.
    Aborted,
}

/// One connection, from the first byte to the last.
pub(crate) struct Driver<R: Role, I, O> {
    core: Core<R>,
    reader: I,
    writer: O,
    drain: Duration,
    stall: Stall,
    phase: Phase,
    input_open: bool,
    commands_open: bool,
}

enum Phase {
    Operating,
    /// In-flight requests may finish until the deadline.
    Draining {
        end: End,
        deadline: Instant,
    },
}

impl<R: Role, I: FrameReader, O: FrameWriter> Driver<R, I, O> {
    pub(crate) fn new(
        role: R,
        (reader, writer): (I, O),
        commands: Commands,
        limits: Limits,
    ) -> Self {
        let mut core = Core::new(role, commands, limits);
        if writer.takes_parts() {
            core.outbox.share();
        }
        Self {
            core,
            reader,
            writer,
            drain: limits.drain,
            stall: Stall::new(limits.write),
            phase: Phase::Operating,
            input_open: true,
            commands_open: true,
        }
    }

    /// Serves the connection until it ends.
    ///
    /// # Errors
    ///
    /// When the transport fails; everything is released then, too.
    pub(crate) async fn run(mut self) -> io::Result<End> {
        let end = match self.serve().await {
            // A peer that stops reading has closed the connection as well.
            Err(error) if is_gone(&error) => Ok(End::Peer),
            Err(error) => Err(Arc::new(error)),
            Ok(end) => Ok(end),
        };
        self.core.in_flight.cancel_all();
        self.core.role.terminate();
        self.fail_pending(end.as_ref().err());
        self.core.close_commands(end.as_ref().err());
        let closed = self.writer.close().await;
        match end {
            Ok(end) => gone_is_fine(closed).map(|()| end),
            Err(error) => Err(shared(&error)),
        }
    }

    /// Fails the requests of this side, which get no answer any more.
    fn fail_pending(&mut self, cause: Option<&Arc<io::Error>>) {
        let outbox = &self.core.outbox;
        let in_transit = self.writer.in_transit(outbox) as u64;
        let written = outbox.sent_in_all() + in_transit;
        self.core.fail_pending(written, cause);
    }

    /// Takes what a server has sent before it stopped reading, and the cause of that if it is told.
    async fn read_rest(&mut self, error: io::Error) -> io::Error {
        let rest = async {
            while self.reader.fill().await? {
                while let Some(incoming) = self.reader.next_frame() {
                    self.core.incoming(incoming, now);
                }
            }
            Ok(())
        };
        match tokio::time::timeout(LAST_READ_TIMEOUT, rest).await {
            Ok(Err(cause)) => cause,
            _ => error,
        }
    }

    async fn serve(&mut self) -> io::Result<End> {
        loop {
            self.take_frames();
            self.take_finished();
            self.core.send_queued(now);
            self.obey();
            self.stall.check(&self.core.outbox, now)?;
            if let Some(end) = self.ended() {
                return Ok(end);
            }
            self.wait().await?;
        }
    }

    /// Waits for the next thing to happen. What has been said already does not starve behind a peer
    /// that never stops talking: the loop takes it each time.
    async fn wait(&mut self) -> io::Result<()> {
        let wake = self.wake().map(tokio::time::Instant::from_std);
        let sending = !self.core.outbox.is_empty();
        let reading = self.input_open && self.accepts_frames();
        tokio::select! {
            biased;
            written = self.writer.write(&mut self.core.outbox), if sending => match written {
                Err(error) if R::IS_CLIENT => return Err(self.read_rest(error).await),
                written => written?,
            },
            done = self.core.in_flight.next(), if !self.core.in_flight.is_empty() => {
                done.into_iter().for_each(|done| self.core.finished(done, now));
            }
            more = self.reader.fill(), if reading => {
                self.input_open = more?;
            }
            command = self.core.commands.recv(), if self.commands_open => {
                self.commands_open = command.is_some();
                self.core.send(command.unwrap_or(Command::ShutDown), now);
            }
            () = sleep_until(wake), if wake.is_some() => {
                self.core.expire(now());
            }
        }
        Ok(())
    }

    fn take_frames(&mut self) {
        while self.accepts_frames()
            && let Some(incoming) = self.reader.next_frame()
        {
            self.core.incoming(incoming, now);
        }
        let all_taken = self.accepts_frames();
        if !self.input_open && all_taken && matches!(self.phase, Phase::Operating) {
            self.begin_drain(End::Peer, self.drain);
            self.fail_pending(None);
        }
    }

    fn take_finished(&mut self) {
        while !self.core.in_flight.is_empty()
            && let Some(done) = self.core.in_flight.try_next()
        {
            done.into_iter()
                .for_each(|done| self.core.finished(done, now));
        }
    }

    /// A peer that does not read its answers is not asked for more questions.
    fn accepts_frames(&self) -> bool {
        self.core.outbox.len() < MAX_UNSENT_BYTES
    }

    /// Does what was asked for besides messages, and lets others speak once the peer has read what
    /// they said before.
    fn obey(&mut self) {
        while let Some(command) = self.core.control.pop() {
            match command {
                Command::Abort => self.begin_drain(End::Aborted, Duration::ZERO),
                _ => {
                    self.begin_drain(End::ShutDown, self.drain);
                    if R::IS_CLIENT {
                        // Handlers of a server may wait for these; those of a client do not.
                        self.core.abandon_pending();
                    }
                }
            }
        }
        if self.core.outbox.len() < MAX_QUEUED_BYTES {
            self.core.commands.make_room();
        }
    }

    fn begin_drain(&mut self, end: End, within: Duration) {
        let deadline = now() + within.min(FOREVER);
        match &mut self.phase {
            Phase::Draining {
                deadline: current, ..
            } => *current = deadline.min(*current),
            Phase::Operating => {
                self.core.role.shut_down();
                self.phase = Phase::Draining { end, deadline };
            }
        }
    }

    /// Whether there is nothing left to wait for, or no time left to wait.
    fn ended(&mut self) -> Option<End> {
        let Phase::Draining { end, deadline } = self.phase else {
            return None;
        };
        if now() >= deadline {
            return Some(end);
        }
        if self.core.in_flight.is_empty() {
            self.core.abandon_pending();
            if self.core.outbox.is_empty() {
                return Some(end);
            }
        }
        None
    }

    fn wake(&self) -> Option<Instant> {
        let drained = match self.phase {
            Phase::Operating => None,
            Phase::Draining { deadline, .. } => Some(deadline),
        };
        let wakes = [self.core.next_deadline(), self.stall.deadline(), drained];
        wakes.into_iter().flatten().min()
    }
}

/// The time by tokio's clock, which tests can stop.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// A timer is only made once it is polled: `select!` asks for the futures of idle branches, too.
async fn sleep_until(wake: Option<tokio::time::Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => pending().await,
    }
}

fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected
    )
}

fn gone_is_fine(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if !is_gone(&error) => Err(error),
        _ => Ok(()),
    }
}
