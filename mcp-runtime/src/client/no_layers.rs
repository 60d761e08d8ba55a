//! No layers: there never are any.

use super::raw_call::RawCall;
use super::result::Completed;
use crate::connection::BoxFuture;
use crate::error::CallError;

/// The layers around calls; there are none.
pub(super) enum Stack {}

impl Stack {
    pub(super) fn call(&self, _: RawCall) -> BoxFuture<Result<Completed, CallError>> {
        match *self {}
    }
}
