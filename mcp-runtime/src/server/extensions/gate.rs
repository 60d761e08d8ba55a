//! What handlers and extensions check of a caller.

use crate::ProtocolError;
use crate::error::RequestError;
use crate::protocol::missing_extension;
use crate::server::Context;
use crate::server::extensions::Extension;

impl Context {
    /// The extension of the server that is a `T`: of the outer one where servers are mounted, or else
    /// of the mounted one that has brought it.
    #[must_use]
    pub fn extension<T: Extension>(&self) -> Option<&T> {
        self.outer().settings().extensions.get()
    }

    /// Returns true if the client has declared an extension: in the handshake, or in this request.
    #[must_use]
    pub fn declares_extension(&self, id: &str) -> bool {
        self.negotiated().declares_extension(id)
    }

    /// Checks that the client has declared an extension.
    ///
    /// # Errors
    ///
    /// The error of a missing capability, -32021 with `requiredCapabilities` (2026-07-28, "Overview",
    /// section Error Codes), which has the status 400 over HTTP; -32602 in the handshake era.
    pub fn require_extension(&self, id: &str) -> Result<(), ProtocolError> {
        self.check_extension(id).map_err(|error| error.to_error())
    }

    pub(super) fn check_extension(&self, id: &str) -> Result<(), RequestError> {
        match self.declares_extension(id) {
            true => Ok(()),
            false => Err(missing_extension(id, self.revision())),
        }
    }

    /// Checks that the caller has OAuth scopes, as for an operation of the server. Passes over
    /// transports other than HTTP.
    ///
    /// # Errors
    ///
    /// What the access policy answers; the response over HTTP has its status and its challenge.
    pub fn require_scopes(&self, scopes: &[&str]) -> Result<(), ProtocolError> {
        self.check_scopes(scopes).map_err(|error| error.to_error())
    }
}
