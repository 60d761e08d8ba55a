//! Whether the server is still there.

use std::time::Duration;

use mcp_types::{PingRequest, RequestParams};
use tokio::time::sleep;

use super::link::{Link, Options};
use crate::error::CallError;
use crate::limits::{PING_EVERY, PING_MISSES, PING_TIMEOUT};
use crate::protocol::Timeouts;

/// How a server is asked for signs of life, in revisions that have `ping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepAlive {
    /// How much time passes between one `ping` and the next; 30 seconds by default.
    pub every: Duration,
    /// How long an answer may take; 5 seconds by default.
    pub timeout: Duration,
    /// After how many unanswered ones in a row the connection is taken for dead; 3 by default. One
    /// during which the server sent anything else does not count.
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

impl KeepAlive {
    /// Asks again and again, and returns when the connection is to be taken for dead. Never
    /// returns where there is no `ping`.
    pub(super) async fn until_dead(self, link: &Link) {
        let timeouts = Timeouts {
            idle: self.timeout,
            total: self.timeout,
            reset_on_progress: false,
        };
        let mut missed = 0;
        while missed < self.misses {
            sleep(self.every).await;
            // Cancelled when it times out, so that a transport that keeps something for each
            // request, as HTTP does, lets go of it.
            let options = Options::new(timeouts);
            let frames = link.session().frames();
            let params = RequestParams::new();
            match link.request::<PingRequest>(&params, "", options).await {
                Err(CallError::Timeout { .. } | CallError::NotSent(_) | CallError::Lost(_))
                    if link.session().frames() == frames =>
                {
                    missed += 1;
                }
                // The end of the connection, or a revision without `ping`.
                Err(CallError::Closed | CallError::Unavailable(_)) => std::future::pending().await,
                // Any answer is a sign of life, a refusal as well, and so is anything else it sends.
                _ => missed = 0,
            }
        }
    }
}
