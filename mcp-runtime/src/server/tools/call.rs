//! A tool's call on its way to the function.

use std::ops::Deref;
use std::time::Duration;

use mcp_types::{CallToolResult, RawJsonRef};

use super::error;
use super::route::ToolCall;
use crate::ProtocolError;
use crate::server::handler::decode::{self, Slot};
use crate::server::handler::run::{Rejection, Return};
use crate::server::{Borrowed, FromContext, Reply};

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
        let text = self.incoming.arguments.map(RawJsonRef::get);
        decode::read(text, slots, self.strict).map_err(Rejection::from)
    }

    /// The answer of a function that has yet to run, and may run only so long.
    ///
    /// # Errors
    ///
    /// Never: the type is that of a call, in which reading the arguments may fail.
    pub fn timed<T: 'static>(
        &self,
        form: Return<T, CallToolResult>,
        milliseconds: u64,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<Reply<CallToolResult>, Rejection> {
        let limit = Duration::from_millis(milliseconds);
        Ok(Reply::Pending(Box::pin(async move {
            in_time(form, limit, tokio::time::timeout(limit, future).await.ok())
        })))
    }
}

/// A call on its way to a function that takes something from its context.
#[derive(Clone, Copy, Debug)]
pub struct ContextCall<'a>(pub(super) Call<'a>);

impl ContextCall<'_> {
    /// A value that the call's context has to offer.
    ///
    /// # Errors
    ///
    /// When this call has none.
    pub fn context<T: FromContext>(&self) -> Result<Borrowed<T>, Rejection> {
        T::lend(self.incoming.context).map_err(Rejection::Protocol)
    }

    /// The answer of a function that has yet to run, and may work only so long. Time in which it
    /// asks the client does not count.
    ///
    /// # Errors
    ///
    /// Never: the type is that of a call, in which reading the arguments may fail.
    pub fn timed<T: 'static>(
        &self,
        form: Return<T, CallToolResult>,
        milliseconds: u64,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<Reply<CallToolResult>, Rejection> {
        let limit = Duration::from_millis(milliseconds);
        let context = self.incoming.context.clone();
        Ok(Reply::Pending(Box::pin(async move {
            in_time(form, limit, context.within(limit, future).await)
        })))
    }
}

impl<'a> Deref for ContextCall<'a> {
    type Target = Call<'a>;

    fn deref(&self) -> &Call<'a> {
        &self.0
    }
}

impl From<Rejection> for Reply<CallToolResult> {
    fn from(rejection: Rejection) -> Self {
        Self::Ready(match rejection {
            Rejection::Arguments(text) => Ok(error::failure(text)),
            Rejection::Protocol(error) => Err(error),
        })
    }
}

/// The answer of a function that returned `value`, unless it was not finished within `limit`.
fn in_time<T>(
    form: Return<T, CallToolResult>,
    limit: Duration,
    value: Option<T>,
) -> Result<CallToolResult, ProtocolError> {
    match value {
        Some(value) => (form.answer)(value),
        None => Ok(error::failure(format!("not finished within {limit:?}"))),
    }
}
