//! Keys of a server that seals the states of calls.

use super::sealed::{RetryStates, StateKey};
use crate::server::ServerBuilder;

impl ServerBuilder {
    /// The keys that seal the state of calls while clients of the stateless era collect answers.
    /// The first one seals, all of them open. By default a random key of the process.
    ///
    /// Replicas of a server need the same keys. To change the key, put the new one after the old
    /// one everywhere, then before it, and remove the old one ten minutes later, when all that it
    /// sealed has expired.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::input::StateKey;
    ///
    /// # let (new, old) = ([1; 32], [2; 32]);
    /// let mut server = Server::builder();
    /// server.state_keys([StateKey::new(new), StateKey::new(old)]);
    /// ```
    pub fn state_keys(&mut self, keys: impl IntoIterator<Item = StateKey>) -> &mut Self {
        self.settings.retry_states = RetryStates::new(keys);
        self
    }
}
