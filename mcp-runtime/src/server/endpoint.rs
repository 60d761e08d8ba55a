//! Where a server is served.

use super::{Serve, Server};
use crate::transport::Transport;

/// Where a server can be served: on one connection, which any [`Transport`] is, or at an address
/// that many clients connect to.
pub trait Endpoint {
    /// What serves, once it is awaited.
    type Serve;

    /// Puts `server` behind this endpoint. Nothing happens until the value is awaited.
    fn serve(self, server: Server) -> Self::Serve;
}

impl<T: Transport> Endpoint for T {
    type Serve = Serve<T>;

    fn serve(self, server: Server) -> Serve<T> {
        Serve::new(server, self)
    }
}
