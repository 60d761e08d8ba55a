//! The caller that handlers see in tests, in builds without HTTP.

use std::any::Any;
use std::io;
use std::sync::Arc;

use super::Connect;

/// The identity of the client, if it has one.
#[derive(Debug, Default)]
pub(super) struct Caller(Option<Arc<dyn Any + Send + Sync>>);

impl Caller {
    /// The identity of the connection.
    #[allow(clippy::unnecessary_wraps, reason = "with HTTP, it may fail")]
    pub(super) fn identity(self) -> io::Result<Option<Arc<dyn Any + Send + Sync>>> {
        Ok(self.0)
    }
}

impl Connect {
    /// Sets the identity of the client, as [`Context::identity`](crate::Context::identity) returns
    /// it.
    pub fn identity<T: Any + Clone + Send + Sync>(mut self, identity: T) -> Self {
        self.caller.0 = Some(Arc::new(identity));
        self
    }
}
