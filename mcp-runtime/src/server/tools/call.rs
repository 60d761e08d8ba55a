//! What stands between a route and the user's function.

use std::time::Duration;

use mcp_types::CallToolResult;
use serde_json::value::RawValue;

use super::decode::{self, Slot};
use super::error;
use super::fault::Faults;
use super::forms::Return;
use super::route::ToolCall;
use crate::ProtocolError;
use crate::server::{FromContext, Reply};

/// A call on its way to the function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub(super) incoming: ToolCall<'a>,
    /// Whether unknown arguments are faults.
    pub(super) strict: bool,
}

impl Call<'_> {
    /// Reads the arguments into `slots`.
    ///
    /// # Errors
    ///
    /// With every argument that does not fit.
    pub fn read(&self, slots: &mut [&mut dyn Slot]) -> Result<(), Rejection> {
        let text = self.incoming.arguments.map(RawValue::get);
        decode::read(text, slots, self.strict).map_err(Rejection::from)
    }

    /// A value that the call's context has to offer.
    ///
    /// # Errors
    ///
    /// When this call has none.
    pub fn context<T: FromContext>(&self) -> Result<T, Rejection> {
        T::from_context(self.incoming.context).map_err(Rejection::Protocol)
    }
}

/// Why a call ended before the tool's function ran.
#[derive(Debug)]
pub enum Rejection {
    /// The caller can mend it: answered as a result with `isError`.
    Arguments(String),
    /// Answered as a JSON-RPC error.
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

impl Rejection {
    /// The answer to the call.
    pub(super) fn into_reply(self) -> Reply<CallToolResult> {
        Reply::Ready(match self {
            Self::Arguments(text) => Ok(error::failure(text)),
            Self::Protocol(error) => Err(error),
        })
    }
}

/// The answer of a function that has returned.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn ready<T>(form: Return<T>, value: T) -> Result<Reply<CallToolResult>, Rejection> {
    Ok(Reply::Ready((form.answer)(value)))
}

/// The answer of a function that has yet to run.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn pending<T: 'static>(
    form: Return<T>,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<Reply<CallToolResult>, Rejection> {
    Ok(Reply::Pending(Box::pin(async move {
        (form.answer)(future.await)
    })))
}

/// The answer of a function that has yet to run, and may run only so long.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn timed<T: 'static>(
    form: Return<T>,
    milliseconds: u64,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<Reply<CallToolResult>, Rejection> {
    let limit = Duration::from_millis(milliseconds);
    Ok(Reply::Pending(Box::pin(async move {
        match tokio::time::timeout(limit, future).await {
            Ok(value) => (form.answer)(value),
            Err(_) => Ok(error::failure(format!("not finished within {limit:?}"))),
        }
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
