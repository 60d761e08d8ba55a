//! Receives the signals that end the command: SIGINT, SIGTERM, SIGHUP and SIGQUIT.

use std::future::poll_fn;
use std::task::Poll;
use std::{fs, io};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that arrive after [`listen`](Self::listen).
pub(crate) struct Signals(Vec<(SignalKind, Signal)>);

impl Signals {
    /// Handles the signals, which then no longer end the process.
    ///
    /// # Errors
    ///
    /// Fails if the operating system does not allow this.
    pub(crate) fn listen() -> io::Result<Self> {
        let mut kinds = vec![
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::quit(),
        ];
        if !is_hangup_ignored() {
            kinds.push(SignalKind::hangup());
        }
        let signals = kinds.into_iter().map(|kind| Ok((kind, signal(kind)?)));
        Ok(Self(signals.collect::<io::Result<_>>()?))
    }

    /// Waits for a signal, and returns its number.
    pub(crate) async fn next(&mut self) -> u8 {
        let received = poll_fn(|cx| {
            for (kind, signal) in &mut self.0 {
                if signal.poll_recv(cx).is_ready() {
                    return Poll::Ready(kind.as_raw_value());
                }
            }
            Poll::Pending
        });
        received.await.try_into().unwrap_or_default()
    }
}

/// Whether the command was started with SIGHUP ignored, for example by `nohup`. Only Linux shows
/// this.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    // The lowest bit is signal 1, SIGHUP.
    ignored.is_some_and(|it| it & 1 == 1)
}
