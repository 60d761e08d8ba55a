//! A peer that does not read what it is sent.

use std::io;
use std::time::{Duration, Instant};

use crate::limits::FOREVER;
use crate::transport::Outbox;

/// Watches whether what waits to be sent makes progress.
#[derive(Debug)]
pub(super) struct Stall {
    timeout: Duration,
    /// Since when, and at which count of bytes, nothing more was sent.
    since: Option<(Instant, u64)>,
}

impl Stall {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout: timeout.min(FOREVER),
            since: None,
        }
    }

    /// Looks at the outbox before the driver waits.
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

    /// When to look again, at the latest.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.since.map(|(since, _)| since + self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn only_a_peer_that_reads_nothing_stalls() {
        let start = Instant::now();
        let at = |seconds: u32| move || start + seconds * SECOND;
        let mut outbox = Outbox::new();
        let mut stall = Stall::new(10 * SECOND);
        stall.check(&outbox, at(0)).unwrap();
        assert_eq!(stall.deadline(), None);

        outbox
            .push(|out| {
                out.extend_from_slice(b"message");
                Ok::<_, ()>(())
            })
            .unwrap();
        stall.check(&outbox, at(1)).unwrap();
        assert_eq!(stall.deadline(), Some(at(11)()));
        outbox.advance(1);
        stall.check(&outbox, at(11)).unwrap();
        assert_eq!(stall.deadline(), Some(at(21)()));
        assert!(stall.check(&outbox, at(21)).is_err());
        outbox.advance(100);
        stall.check(&outbox, at(22)).unwrap();
        assert_eq!(stall.deadline(), None);
    }
}
