//! The last session that has ended, which limits how often another one is opened.

use std::sync::{Mutex, MutexGuard};

use tokio::time::Instant;

use crate::limits::STABLE_CONNECTION;
use crate::sync::lock;

/// The request by whose refusal a session has ended, until one like it is served. A server that
/// refuses a request for another reason is not asked for session after session.
#[derive(Debug, Default)]
pub(super) struct LastEnd(Mutex<Option<(String, Instant)>>);

impl LastEnd {
    /// A request of the session is refused: returns true if another session may help. It does not if
    /// the session was opened for that reason just before, and has served nothing, or not this.
    pub(super) fn renews(&self, method: &str, has_served: bool) -> bool {
        let mut last = self.lock();
        let is_lasting = last.as_ref().is_some_and(|(refused, at)| {
            at.elapsed() < STABLE_CONNECTION && (!has_served || refused == method)
        });
        if !is_lasting {
            *last = Some((method.to_owned(), Instant::now()));
        }
        !is_lasting
    }

    pub(super) fn served(&self, method: &str) {
        self.lock().take_if(|(refused, _)| refused == method);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_session_is_renewed_once() {
        let last = LastEnd::default();
        assert!(last.renews("tools/call", true));
        assert!(!last.renews("tools/call", true), "this was refused before");
        assert!(!last.renews("tools/list", false), "nothing was served");
        assert!(last.renews("tools/list", true));
        last.served("tools/call");
        assert!(!last.renews("tools/list", true));
        last.served("tools/list");
        assert!(last.renews("tools/list", true));
        tokio::time::advance(STABLE_CONNECTION).await;
        assert!(last.renews("tools/list", false), "that was long ago");
    }
}
