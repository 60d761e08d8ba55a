//! What a server's builder is told about asking.

use std::time::Duration;

use crate::server::ServerBuilder;

impl ServerBuilder {
    /// How long a person may take to answer a question of a handler; 10 minutes unless set. Then
    /// the handler gets a timeout, and the client is told that nobody waits any more.
    ///
    /// For clients of the handshake era. In the stateless era nobody waits: clients have 10 minutes
    /// to come back with their answers.
    pub fn patience(&mut self, patience: Duration) -> &mut Self {
        self.settings.asking.patience = patience;
        self
    }
}
