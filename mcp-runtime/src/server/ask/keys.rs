//! The keys that a server's builder is given.

use super::{StateKey, Store};
use crate::server::ServerBuilder;

impl ServerBuilder {
    /// The keys under which the server seals what it wants to know again when a client of the
    /// stateless era comes back with its answers. The first one seals, all of them open. Unless
    /// set, a key is made up that dies with the process.
    ///
    /// Servers that stand in for each other need the same keys. To change the key, put the new one
    /// behind the old one everywhere, then before it, and drop the old one ten minutes later, when
    /// all that it sealed has expired.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::ask::StateKey;
    ///
    /// # let (new, old) = ([1; 32], [2; 32]);
    /// let mut server = Server::builder();
    /// server.state_keys([StateKey::new(new), StateKey::new(old)]);
    /// ```
    pub fn state_keys(&mut self, keys: impl IntoIterator<Item = StateKey>) -> &mut Self {
        self.settings.asking.states = Store::new(keys);
        self
    }
}
