//! Where a server is served.

use std::future::Future;

use super::running::Running;
use crate::error::ServeError;
use crate::transport::Transport;

/// Where a server can be served: on one connection, which any [`Transport`] is, or at an address
/// that many clients connect to.
///
/// To serve in a new place, implement [`Transport`] for it.
pub trait Endpoint: Send + 'static {
    /// Serves until there is nobody left to serve, or the end is asked for.
    #[doc(hidden)]
    fn run(self, running: Running) -> impl Future<Output = Result<(), ServeError>> + Send;
}

/// An endpoint whose clients each keep a connection of their own, with limits of its own.
pub trait Connected: Endpoint {}

impl<T: Transport> Endpoint for T {
    async fn run(self, running: Running) -> Result<(), ServeError> {
        running.serve(self).await
    }
}

impl<T: Transport> Connected for T {}
