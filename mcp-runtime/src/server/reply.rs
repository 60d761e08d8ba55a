//! Answers that are there at once, or come later.

use crate::driver::BoxFuture;
use crate::error::ProtocolError;

/// What a handler gives back.
///
/// A handler that has nothing to wait for answers at once, which costs neither an allocation nor
/// a task.
pub enum Reply<T> {
    /// The answer.
    Ready(Result<T, ProtocolError>),
    /// The answer will come; dropping the future cancels the call.
    Pending(BoxFuture<Result<T, ProtocolError>>),
}
