//! Configuration of a client.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use mcp_types::{Era, Implementation, Revisions, ServerNotification};

use super::Status;
use super::cache::ResponseCache;
use super::extension::ClientExtensions;
use super::input::InputHandlers;
use super::layers::Stack;
use super::relay_config::RelayConfig;
use crate::TraceContext;
use crate::connection::Recording;
use crate::limits::{
    MAX_LIST_BYTES, MAX_PAGES, MAX_QUESTION_ROUNDS, MAX_RECONNECT_PAUSE, PING_EVERY, PING_MISSES,
    PING_TIMEOUT, PROBE_TIMEOUT, RECONNECT_PAUSE, RECONNECT_TRIES, STABLE_CONNECTION,
};
use crate::protocol::Timeouts;

type NotificationObserver = Box<dyn Fn(&ServerNotification) + Send + Sync>;

pub(super) struct Config {
    pub(super) info: Implementation,
    pub(super) input: InputHandlers,
    pub(super) extensions: ClientExtensions,
    pub(super) max_rounds: usize,
    pub(super) revisions: Revisions,
    pub(super) last_era: Option<Era>,
    pub(super) probe_timeout: Duration,
    pub(super) timeouts: Timeouts,
    pub(super) max_pages: usize,
    pub(super) max_list_bytes: usize,
    pub(super) keep_alive: Option<KeepAlive>,
    pub(super) reconnect: Option<Reconnect>,
    pub(super) trace: Option<Box<dyn Fn() -> Option<TraceContext> + Send + Sync>>,
    pub(super) cache: Option<ResponseCache>,
    pub(super) layers: Option<Stack>,
    pub(super) on_status: Option<Box<dyn Fn(Status) + Send + Sync>>,
    pub(super) on_notification: Vec<NotificationObserver>,
    pub(super) wants_progress: bool,
    pub(super) recording: Option<Recording>,
    /// Set if the client belongs to a proxy.
    pub(super) relay: Option<RelayConfig>,
}

impl Config {
    pub(super) fn new(info: Implementation) -> Self {
        Self {
            info,
            input: InputHandlers::default(),
            extensions: ClientExtensions::default(),
            max_rounds: MAX_QUESTION_ROUNDS,
            revisions: Revisions::ALL,
            last_era: None,
            probe_timeout: PROBE_TIMEOUT,
            timeouts: Timeouts::default(),
            max_pages: MAX_PAGES,
            max_list_bytes: MAX_LIST_BYTES,
            keep_alive: Some(KeepAlive::default()),
            reconnect: Some(Reconnect::default()),
            trace: None,
            cache: None,
            layers: None,
            on_status: None,
            on_notification: Vec::new(),
            wants_progress: false,
            recording: None,
            relay: None,
        }
    }
}

/// How the client detects, by pings, that a server no longer answers. Revisions without `ping`
/// ignore these settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// The time between two pings; 30 seconds by default.
    pub every: Duration,
    /// The time limit for an answer; 5 seconds by default.
    pub timeout: Duration,
    /// The number of consecutive unanswered pings after which the connection is closed; 3 by
    /// default. A ping is not considered unanswered if the server has sent anything else meanwhile.
    pub misses: u32,
}

impl Default for KeepAlive {
    fn default() -> Self {
        Self {
            every: PING_EVERY,
            timeout: PING_TIMEOUT,
            misses: PING_MISSES,
        }
    }
}

/// How the client reconnects after it has lost the connection.
///
/// The client pauses before each attempt. Each pause is twice as long as the previous one, up to a
/// maximum, and is shortened by a random part (jitter), which keeps the clients of one server from
/// reconnecting at the same moment. A call that waits for the connection shortens the pause, but not
/// below `first_pause`. Once all attempts have failed, each call makes one more attempt. The broken
/// stream of a [`Subscription`](super::Subscription) is reopened by the same rules.
///
/// ```
/// use mcp_runtime::client::Reconnect;
///
/// let forever = Reconnect { tries: None, ..Reconnect::default() };
/// # drop(forever);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reconnect {
    /// The number of consecutive attempts that may fail, or `None` for no limit; 5 by default.
    pub tries: Option<u32>,
    /// The pause before the first attempt; 1 second by default.
    pub first_pause: Duration,
    /// The longest pause; 30 seconds by default.
    pub max_pause: Duration,
    /// The largest fraction of a pause that jitter may remove, from 0 to 1; 0.25 by default.
    pub jitter: f64,
    /// How long a connection must last before its loss resets the attempts and pauses; 30 seconds
    /// by default.
    pub stable_after: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        Self {
            tries: Some(RECONNECT_TRIES),
            first_pause: RECONNECT_PAUSE,
            max_pause: MAX_RECONNECT_PAUSE,
            jitter: 0.25,
            stable_after: STABLE_CONNECTION,
        }
    }
}

impl Reconnect {
    pub(crate) fn allows_try_after(self, tries: u32) -> bool {
        self.tries.is_none_or(|most| tries < most)
    }

    /// The pause before an attempt (counted from 0), with jitter.
    pub(crate) fn pause_before(self, attempt: u32) -> Duration {
        self.pause(attempt, random())
    }

    /// The pause before an attempt (counted from 0). `random` is between 0 and 1.
    fn pause(self, attempt: u32, random: f64) -> Duration {
        let doubled = 1_u32.checked_shl(attempt).unwrap_or(u32::MAX);
        let whole = self.first_pause.saturating_mul(doubled).min(self.max_pause);
        whole.mul_f64(1.0 - self.jitter.clamp(0.0, 1.0) * random)
    }
}

/// Returns a random number between 0 and 1 that is good enough for jitter, but not for secrets.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    f64::from((bits >> 32) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let policy = Reconnect::default();
        let pauses = [0, 1, 2, 3, 4, 5, 40].map(|attempt| policy.pause(attempt, 0.0).as_secs());
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert!(policy.allows_try_after(4) && !policy.allows_try_after(5));
    }

    #[test]
    fn jitter_shortens_within_its_bound() {
        let policy = Reconnect::default();
        assert_eq!(policy.pause(2, 1.0), Duration::from_secs(3));
        for (attempt, whole) in (0..).zip([1.0, 2.0, 4.0, 8.0, 16.0]) {
            let pause = policy.pause_before(attempt).as_secs_f64();
            assert!(
                pause <= whole && pause >= whole * 0.75,
                "{pause} of {whole}"
            );
        }
    }
}
