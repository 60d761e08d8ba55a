//! How a server asks its clients.

use std::time::Duration;

use super::Store;

/// How a server asks its clients: shared by all its calls.
#[derive(Debug)]
pub(in crate::server) struct Policy {
    /// How long a person may take to answer.
    pub(in crate::server) patience: Duration,
    pub(super) states: Store,
}

/// After so many rounds a call is given up: a handler that asks for ever must come to an end.
pub(super) const MOST_ROUNDS: u32 = 8;

/// How long a client may take to come back with its answers.
pub(super) const EXPIRY: Duration = Duration::from_secs(600);

impl Default for Policy {
    fn default() -> Self {
        Self {
            patience: EXPIRY,
            states: Store::default(),
        }
    }
}
