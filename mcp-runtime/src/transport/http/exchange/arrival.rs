//! A request as it arrives, and the caller that has sent it.

use std::net::SocketAddr;

use http::request::Parts;

use crate::server::Principal;

/// The address that a request comes from, for policies that limit callers who are not known yet.
///
/// It is in the extensions of requests for the [endpoints](crate::transport::http::AccessPolicy::respond) of a policy, if
/// the server has accepted the connection. A program that [mounts](crate::transport::http::http_service) the server may put
/// it there, such as the address that a trusted proxy reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// A request without its body.
pub(crate) struct Arrival {
    pub(crate) parts: Box<Parts>,
    /// Absent where another program has accepted the connection.
    pub(crate) peer_addr: Option<SocketAddr>,
}

impl Arrival {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get()
    }
}
