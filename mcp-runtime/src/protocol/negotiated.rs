//! The outcome of version and capability negotiation.

use mcp_types::{ClientCapabilities, Implementation, Revision};

/// What two peers negotiated: once by a handshake, or anew with each stateless request.
///
/// `C` is the peer's type of capabilities: a server holds [`ClientCapabilities`], a client holds
/// [`ServerCapabilities`](mcp_types::ServerCapabilities). Follows "Lifecycle" of 2025-11-25 and the
/// section on `_meta` of 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiated<C = ClientCapabilities> {
    /// The revision that is spoken.
    pub revision: Revision,
    /// Name and version of the peer, as it states them; never verified, and left out by some.
    pub peer_info: Option<Implementation>,
    /// Capabilities that the peer declared.
    pub peer_capabilities: C,
    /// How to use the server, in words for a model. Only servers send it.
    pub instructions: Option<String>,
}
