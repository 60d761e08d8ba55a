//! The loop that drives a connection over a stream: read, serve, write, wait.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::stream::StreamConnection;
use super::write_timeout::WriteTimeout;
use super::{Command, Commands, Limits, Role, now};
use crate::error::{CallError, shared};
use crate::limits::{FOREVER, LAST_READ_TIMEOUT, MAX_QUEUED_BYTES, MAX_UNSENT_BYTES};
use crate::transport::{FrameReader, FrameWriter};

/// One connection over a stream, from the first byte to the last.
pub(crate) struct Driver<R: Role, I, O> {
    connection: StreamConnection<R>,
    reader: I,
    writer: O,
    drain: Duration,
    write_timeout: WriteTimeout,
    phase: Phase,
    input_open: bool,
    commands_open: bool,
}

/// The cause of the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The peer closed it.
    Peer,
    /// This side shut it down.
    ShutDown,
    /// This side aborted it.
    Aborted,
}

enum Phase {
    Operating,
    /// Requests in flight may finish until the deadline.
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
        let mut connection = StreamConnection::new(role, commands, limits);
        if writer.takes_parts() {
            connection.outbox.share();
        }
        Self {
            connection,
            reader,
            writer,
            drain: limits.drain,
            write_timeout: WriteTimeout::new(limits.write),
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
        let end = match self.drive().await {
            // A peer that stops reading has closed the connection as well.
            Err(error) if is_gone(&error) => Ok(End::Peer),
            Err(error) => Err(Arc::new(error)),
            Ok(end) => Ok(end),
        };
        self.connection.core.terminate();
        let cause = end.as_ref().err();
        self.fail_pending(cause);
        self.connection.commands.close();
        while let Some(command) = self.connection.commands.try_recv() {
            if let Command::Request { waiter, .. } = command {
                waiter.finish(Err(CallError::not_sent(cause)));
            }
        }
        let closed = self.writer.close().await;
        match end {
            Ok(end) => gone_is_fine(closed).map(|()| end),
            Err(error) => Err(shared(&error)),
        }
    }

    /// Fails the requests of this side, which get no answer any more.
    fn fail_pending(&mut self, cause: Option<&Arc<io::Error>>) {
        let StreamConnection { core, outbox, .. } = &mut self.connection;
        let written = outbox.sent_in_all() + self.writer.in_transit(outbox) as u64;
        core.fail_all(|requested| match requested.offset < written {
            true => CallError::lost(cause),
            false => CallError::not_sent(cause),
        });
    }

    /// Takes what a server has sent before it stopped reading. Returns the cause of that, if reading
    /// tells it, or else `error`.
    async fn read_rest(&mut self, error: io::Error) -> io::Error {
        let rest = async {
            while self.reader.fill().await? {
                while self.take_frame() {}
            }
            Ok(())
        };
        match tokio::time::timeout(LAST_READ_TIMEOUT, rest).await {
            Ok(Err(cause)) => cause,
            _ => error,
        }
    }

    async fn drive(&mut self) -> io::Result<End> {
        loop {
            self.take_frames();
            self.connection.take_finished();
            self.connection.send_queued();
            self.poll_commands();
            self.write_timeout.check(&self.connection.outbox, now)?;
            if let Some(end) = self.ended() {
                return Ok(end);
            }
            self.wait().await?;
        }
    }

    /// Waits for the next event. The loop takes queued messages and answers each time, so that they
    /// do not starve behind a peer that never stops sending.
    async fn wait(&mut self) -> io::Result<()> {
        let wake = self.wake().map(tokio::time::Instant::from_std);
        let reading = self.input_open && self.accepts_frames();
        let connection = &mut self.connection;
        tokio::select! {
            biased;
            written = self.writer.write(&mut connection.outbox), if !connection.outbox.is_empty() => match written {
                Err(error) if R::IS_CLIENT => return Err(self.read_rest(error).await),
                written => written?,
            },
            finished = connection.tasks.join_next(), if !connection.tasks.is_empty() => {
                if let Some(Ok(finished)) = finished {
                    connection.finished(finished);
                }
            }
            more = self.reader.fill(), if reading => {
                self.input_open = more?;
            }
            command = connection.commands.recv(), if self.commands_open => {
                self.commands_open = command.is_some();
                connection.send(command.unwrap_or(Command::ShutDown));
            }
            () = sleep_until(wake), if wake.is_some() => connection.expire(),
        }
        Ok(())
    }

    fn take_frames(&mut self) {
        while self.accepts_frames() && self.take_frame() {}
        let all_taken = self.accepts_frames();
        if !self.input_open && all_taken && matches!(self.phase, Phase::Operating) {
            self.start_drain(End::Peer, self.drain);
            self.fail_pending(None);
        }
    }

    /// Whether the peer reads its answers. If not, no more of its requests are taken.
    fn accepts_frames(&self) -> bool {
        self.connection.outbox.len() < MAX_UNSENT_BYTES
    }

    /// Serves the next frame. `false` if none is buffered.
    fn take_frame(&mut self) -> bool {
        match self.reader.next_frame() {
            Some(incoming) => {
                self.connection.frame(incoming);
                true
            }
            None => false,
        }
    }

    /// Ends the connection if a command asks for it, and makes room for further messages once the
    /// peer has read the ones before.
    fn poll_commands(&mut self) {
        if let Some(end) = self.connection.requested_end.take() {
            let aborted = end == End::Aborted;
            self.start_drain(end, if aborted { Duration::ZERO } else { self.drain });
            if R::IS_CLIENT && !aborted {
                // Handlers of a server may wait for these; those of a client do not.
                self.connection.abandon_all();
            }
        }
        if self.connection.outbox.len() < MAX_QUEUED_BYTES {
            self.connection.commands.make_room();
        }
    }

    fn start_drain(&mut self, end: End, within: Duration) {
        let deadline = now() + within.min(FOREVER);
        match &mut self.phase {
            Phase::Draining {
                deadline: current, ..
            } => *current = deadline.min(*current),
            Phase::Operating => {
                self.connection.core.role.shut_down();
                self.phase = Phase::Draining { end, deadline };
            }
        }
    }

    /// The end, once there is nothing left to wait for, or no time left to wait.
    fn ended(&mut self) -> Option<End> {
        let Phase::Draining { end, deadline } = self.phase else {
            return None;
        };
        if now() >= deadline {
            return Some(end);
        }
        if self.connection.core.is_idle() {
            self.connection.abandon_all();
            if self.connection.outbox.is_empty() {
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
        let pending = self.connection.core.next_deadline();
        let wakes = [pending, self.write_timeout.deadline(), drained];
        wakes.into_iter().flatten().min()
    }
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
