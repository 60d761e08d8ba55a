//! Functions without a watch over their threads, in release builds.

use std::sync::Arc;

use super::run::Rejection;
use crate::server::{BoxFuture, Reply};

/// Watches nothing.
#[derive(Debug, Default)]
pub(in crate::server) struct Watch {}

#[allow(clippy::unused_self, reason = "has the signatures of its counterpart")]
impl Watch {
    /// Runs a function.
    pub(in crate::server) fn reply<T>(
        &self,
        _: &str,
        function: impl FnOnce() -> Result<Reply<T>, Rejection>,
    ) -> Result<Reply<T>, Rejection> {
        function()
    }

    /// The future of a function.
    pub(in crate::server) fn future<T: 'static>(
        self: Arc<Self>,
        _: String,
        future: BoxFuture<T>,
    ) -> BoxFuture<T> {
        future
    }
}
