//! Runs the user's function, and makes an answer of what it returns.

use super::fault::Faults;
use crate::ProtocolError;
use crate::server::Reply;

/// How a return type becomes an answer, as a function: nothing has to be proved after this.
pub struct Return<T, R> {
    pub(crate) answer: fn(T) -> Result<R, ProtocolError>,
}

impl<T, R> Clone for Return<T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for Return<T, R> {}

/// Why a call ended before the function ran.
#[derive(Debug)]
pub enum Rejection {
    /// The caller can mend it.
    Arguments(String),
    /// Answered as it is.
    Protocol(ProtocolError),
}

impl From<Faults> for Rejection {
    fn from(faults: Faults) -> Self {
        Self::Arguments(faults.to_string())
    }
}

impl From<ProtocolError> for Rejection {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

/// The answer of a function that has returned.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn ready<T, R>(form: Return<T, R>, value: T) -> Result<Reply<R>, Rejection> {
    Ok(Reply::Ready((form.answer)(value)))
}

/// The answer of a function that has yet to run.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn pending<T: 'static, R: 'static>(
    form: Return<T, R>,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<Reply<R>, Rejection> {
    Ok(Reply::Pending(Box::pin(async move {
        (form.answer)(future.await)
    })))
}

/// Runs `function` away from the threads that serve connections.
///
/// A panic goes on in whoever awaits the future, as it would without the detour.
pub async fn blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(function).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is going down, and nobody is left to answer.
            Err(_) => std::future::pending().await,
        },
    }
}
