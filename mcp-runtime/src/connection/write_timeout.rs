//! The time limit for a peer that does not read.

use std::io;
use std::time::{Duration, Instant};

use crate::limits::FOREVER;
use crate::transport::Outbox;

/// Measures how long the outbox has made no progress.
#[derive(Debug)]
pub(super) struct WriteTimeout {
    timeout: Duration,
    /// The time since which nothing was sent, and the bytes that were sent until then.
    since: Option<(Instant, u64)>,
}

impl WriteTimeout {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(FOREVER),
            since: None,
        }
    }

    /// Checks the outbox before the driver waits.
    ///
    /// # Errors
    ///
    /// When nothing was sent for too long, although something waits.
    pub(super) fn check(&mut self, outbox: &Outbox, now: impl Fn() -> Instant) -> io::Result<()> {
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

    /// The time of the next check, at the latest.
    pub(super) fn deadline(&self) -> Option<Instant> {
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
