//! How a server asks its clients.

use std::time::Duration;

use super::Store;
use crate::limits::ANSWER_TIMEOUT;

/// How a server asks its clients: shared by all its calls.
#[derive(Debug)]
pub(in crate::server) struct Policy {
    /// How long a person may take to answer.
    pub(in crate::server) patience: Duration,
    pub(super) states: Store,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            patience: ANSWER_TIMEOUT,
            states: Store::default(),
        }
    }
}
