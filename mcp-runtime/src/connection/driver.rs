//! The loop that drives a connection over a stream: it reads, serves, writes and waits.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::stream::StreamConnection;
use super::{Command, Commands, FrameReader, FrameWriter, Limits, Outbox, Recorder, Role, now};
use crate::error::{CallError, ClosedByServer, shared};
use crate::limits::{FOREVER, LAST_READ_TIMEOUT, MAX_QUEUED_BYTES, MAX_UNSENT_BYTES};

/// Drives one connection over a stream, from the first byte to the last.
pub(crate) struct Driver<R: Role, I, O> {
    connection: StreamConnection<R>,
    reader: I,
    writer: O,
    write_timeout: WriteTimeout,
    /// When requests in flight must be finished; `None` while the connection operates.
    drain_deadline: Option<Instant>,
    input_open: bool,
    commands_open: bool,
}

impl<R: Role, I: FrameReader, O: FrameWriter> Driver<R, I, O> {
    pub(crate) fn new(
        role: R,
        (reader, writer): (I, O),
        commands: Commands,
        limits: Limits,
        recorder: Recorder,
    ) -> Self {
        let mut connection = StreamConnection::new(role, commands, limits, recorder);
        if writer.takes_parts() {
            connection.outbox.share();
        }
        Self {
            connection,
            reader,
            writer,
            write_timeout: WriteTimeout::new(limits.write),
            drain_deadline: None,
            input_open: true,
            commands_open: true,
        }
    }

    /// Serves the connection until it ends.
    ///
    /// # Errors
    ///
    /// When the transport fails. All resources are released in this case as well.
    pub(crate) async fn run(mut self) -> io::Result<()> {
        // A broken pipe is not a failure, but means that the peer has closed the connection.
        let ended = unless_gone(self.drive().await).map_err(Arc::new);
        let cause = ended.as_ref().err();
        self.connection.core.terminate();
        self.fail_pending(cause);
        self.connection.commands.close();
        while let Some(command) = self.connection.commands.try_recv() {
            if let Command::Request { waiter, .. } = command {
                waiter.finish(Err(CallError::not_sent(cause)));
            }
        }
        let closed = self.writer.close().await;
        cause.map_or(unless_gone(closed), |error| Err(shared(error)))
    }

    /// Fails the requests of this side, because no answers will arrive.
    fn fail_pending(&mut self, cause: Option<&Arc<io::Error>>) {
        let StreamConnection { core, outbox, .. } = &mut self.connection;
        let written = outbox.sent_in_all() + self.writer.in_transit(outbox) as u64;
        core.fail_all(|requested| {
            if requested.offset < written {
                CallError::lost(cause)
            } else {
                CallError::not_sent(cause)
            }
        });
    }

    /// Reads the last messages of a server that no longer reads. Returns the error of reading if
    /// there is one, since it tells the cause, or else `error`.
    async fn read_rest(&mut self, error: io::Error) -> io::Error {
        let rest = async {
            while self.reader.fill().await? {
                while self.take_frame() {}
            }
            self.end_of_input()
        };
        match tokio::time::timeout(LAST_READ_TIMEOUT, rest).await {
            Ok(Err(cause)) => cause,
            _ => error,
        }
    }

    async fn drive(&mut self) -> io::Result<()> {
        loop {
            self.take_frames();
            self.connection.take_finished();
            self.connection.send_queued();
            self.poll_commands();
            self.write_timeout.check(&self.connection.outbox, now)?;
            if self.has_ended() {
                return Ok(());
            }
            self.wait().await?;
        }
    }

    /// Waits for the next event. The loop handles queued messages and answers before each wait, so
    /// a peer that never stops sending does not starve them.
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
            Some(finished) = connection.tasks.join_next(), if !connection.tasks.is_empty() => {
                connection.finished(finished);
            }
            more = self.reader.fill(), if reading => {
                self.input_open = more?;
                if !self.input_open {
                    self.end_of_input()?;
                }
            }
            command = connection.commands.recv(), if self.commands_open => {
                self.commands_open = command.is_some();
                connection.send(command.unwrap_or(Command::ShutDown));
            }
            () = sleep_until(wake), if wake.is_some() => connection.expire(),
        }
        Ok(())
    }

    /// Handles the end of input. If the server gave a reason, a client ends the connection
    /// immediately. Otherwise the connection is shut down gracefully, and waiting answers are still
    /// sent.
    fn end_of_input(&mut self) -> io::Result<()> {
        let reason = self.reader.end_reason().filter(|_| R::IS_CLIENT);
        reason.map_or(Ok(()), |reason| {
            Err(io::Error::other(ClosedByServer(reason)))
        })
    }

    fn take_frames(&mut self) {
        while self.accepts_frames() && self.take_frame() {}
        let all_taken = self.accepts_frames();
        if !self.input_open && all_taken && self.drain_deadline.is_none() {
            self.start_drain(self.connection.core.limits.drain);
            self.fail_pending(None);
        }
    }

    /// Returns true if the peer reads its answers. If it does not, no more of its requests are
    /// accepted.
    fn accepts_frames(&self) -> bool {
        self.connection.outbox.len() < MAX_UNSENT_BYTES
    }

    /// Serves the next frame. Returns false if no frame is buffered.
    fn take_frame(&mut self) -> bool {
        let incoming = self.reader.next_frame();
        incoming.map(|it| self.connection.frame(it)).is_some()
    }

    /// Begins to shut down if a command requests it. Makes room for more messages if the peer has
    /// read the earlier ones.
    fn poll_commands(&mut self) {
        if let Some(drain) = self.connection.requested_drain.take() {
            self.start_drain(drain);
            if R::IS_CLIENT && !drain.is_zero() {
                // Handlers of a client do not wait for requests to the server; handlers of a server
                // may.
                self.connection.abandon_all();
            }
        }
        if self.connection.outbox.len() < MAX_QUEUED_BYTES {
            self.connection.commands.make_room();
        }
    }

    fn start_drain(&mut self, within: Duration) {
        let deadline = now() + within.min(FOREVER);
        if self.drain_deadline.is_none() {
            self.connection.core.role.shut_down();
        }
        let current = self.drain_deadline.unwrap_or(deadline);
        self.drain_deadline = Some(deadline.min(current));
    }

    /// Returns true if there is nothing left to wait for, or no time left to wait.
    fn has_ended(&mut self) -> bool {
        let Some(deadline) = self.drain_deadline else {
            return false;
        };
        if now() >= deadline {
            return true;
        }
        let is_idle = self.connection.core.in_flight.is_empty();
        if is_idle {
            self.connection.abandon_all();
        }
        is_idle && self.connection.outbox.is_empty()
    }

    fn wake(&self) -> Option<Instant> {
        let pending = self.connection.core.pending.next_deadline();
        let wakes = [pending, self.write_timeout.deadline(), self.drain_deadline];
        wakes.into_iter().flatten().min()
    }
}

/// Creates the timer only when polled, because `select!` also evaluates the futures of disabled
/// branches.
async fn sleep_until(wake: Option<tokio::time::Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => pending().await,
    }
}

/// Ignores errors that mean that the peer has closed the connection.
fn unless_gone(outcome: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    outcome.or_else(|error| match error.kind() {
        BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected => Ok(()),
        _ => Err(error),
    })
}

/// Detects that the outbox has made no progress for too long.
#[derive(Debug)]
struct WriteTimeout {
    timeout: Duration,
    /// When the last bytes were sent, and how many had been sent in total.
    since: Option<(Instant, u64)>,
}

impl WriteTimeout {
    fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(FOREVER),
            since: None,
        }
    }

    /// Checks the outbox before the driver waits.
    ///
    /// # Errors
    ///
    /// When messages wait, but nothing was sent for too long.
    fn check(&mut self, outbox: &Outbox, now: impl Fn() -> Instant) -> io::Result<()> {
        if outbox.is_empty() {
            self.since = None;
            return Ok(());
        }
        let sent = outbox.sent_in_all();
        match self.since {
            Some((since, before)) if before == sent => {
                if now() >= since + self.timeout {
                    let reason = format!("the peer has read nothing for {:?}", self.timeout);
                    return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
            }
            _ => self.since = Some((now(), sent)),
        }
        Ok(())
    }

    /// Returns when the outbox must be checked next at the latest.
    fn deadline(&self) -> Option<Instant> {
        self.since.map(|(since, _)| since + self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn only_a_peer_that_reads_nothing_runs_out_of_time() {
        let start = Instant::now();
        let at = |seconds: u32| move || start + seconds * SECOND;
        let mut outbox = Outbox::new();
        let mut timeout = WriteTimeout::new(10 * SECOND);
        timeout.check(&outbox, at(0)).unwrap();
        assert_eq!(timeout.deadline(), None);

        outbox
            .push(|out| {
                out.extend_from_slice(b"message");
                Ok::<_, ()>(())
            })
            .unwrap();
        timeout.check(&outbox, at(1)).unwrap();
        assert_eq!(timeout.deadline(), Some(at(11)()));
        outbox.advance(1);
        timeout.check(&outbox, at(11)).unwrap();
        assert_eq!(timeout.deadline(), Some(at(21)()));
        assert!(timeout.check(&outbox, at(21)).is_err());
        outbox.advance(100);
        timeout.check(&outbox, at(22)).unwrap();
        assert_eq!(timeout.deadline(), None);
    }
}
