//! What a request is served under.

use mcp_types::{ClientCapabilities, Implementation, Revision};

/// What both peers agreed on: once by handshake, or anew with each stateless request.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The revision that is spoken.
    pub revision: Revision,
    /// What the client says it is; never verified.
    pub client_info: Option<Implementation>,
    /// What the client is able to do.
    pub client_capabilities: ClientCapabilities,
}
