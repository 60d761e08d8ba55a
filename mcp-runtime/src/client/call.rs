//! One request, before and while it is sent.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Conform, ProgressNotificationParams, Request};

use super::Client;
use super::link::Options;
use super::output::complete;
use crate::driver::BoxFuture;
use crate::error::CallError;
use crate::protocol::Timeouts;

/// A request that is about to be sent; await it to send it.
///
/// Dropping the future before it is done cancels the request at the server.
///
/// ```no_run
/// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
/// use std::time::Duration;
///
/// let result = client
///     .call_tool("index", &serde_json::json!({"path": "."}))
///     .timeout(Duration::from_secs(600))
///     .on_progress(|news| println!("{} of {:?}", news.progress, news.total))
///     .await?;
/// # drop(result);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent until this is awaited"]
pub struct Call<R: Request> {
    client: Client,
    params: Result<R::Params, serde_json::Error>,
    options: Options,
}

impl<R: Request> Call<R> {
    pub(super) fn new(client: &Client, params: Result<R::Params, serde_json::Error>) -> Self {
        Self {
            client: client.clone(),
            params,
            options: Options::new(client.config().timeouts),
        }
    }

    /// How long to wait for the answer, in all.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.timeouts(Timeouts {
            idle: timeout,
            total: timeout,
            reset_on_progress: false,
        })
    }

    /// How long to wait for the answer, and whether news of progress extends the wait.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Asks for news of progress, and calls `observer` with each. It must return quickly: the
    /// connection waits.
    pub fn on_progress(
        mut self,
        observer: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.options.progress = Some(Arc::new(observer));
        self
    }
}

impl<R> Call<R>
where
    R: Request + 'static,
    R::Params: Conform,
{
    async fn send(self) -> Result<R::Result, CallError> {
        let connection = self.client.connection();
        let agreed = &connection.agreed;
        let answer = {
            let mut params = self.params.map_err(CallError::Params)?;
            params.conform(agreed.agreement.revision);
            let link = &connection.link;
            link.request::<R>(&params, &agreed.meta, self.options)
        };
        let result = answer.await?;
        complete::<R>(&result)
    }
}

impl<R> IntoFuture for Call<R>
where
    R: Request + 'static,
    R::Params: Conform,
{
    type Output = Result<R::Result, CallError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&R::METHOD).finish()
    }
}
