//! What a server's builder is told about asking.

use std::time::Duration;

use schemars::JsonSchema;

use super::{AskError, form};
use crate::server::ServerBuilder;

impl ServerBuilder {
    /// Checks that the protocol has a form for `T`, so that a mistake shows when the server is put
    /// together and not when a user is asked by [`Context::elicit`](crate::Context::elicit).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     city: String,
    /// }
    ///
    /// let mut server = mcp_runtime::Server::builder();
    /// server.form::<Trip>()?;
    /// assert!(server.form::<Vec<Trip>>().is_err());
    /// # Ok::<_, AskError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AskError::Question`] with the field that no form can have.
    pub fn form<T: JsonSchema>(&mut self) -> Result<&mut Self, AskError> {
        form::schema::<T>()?;
        Ok(self)
    }

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
