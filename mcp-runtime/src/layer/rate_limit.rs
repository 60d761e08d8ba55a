//! A limit of the rate of requests.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;

use super::buckets::{Caller, LocalBuckets};
use super::{
    BoxError, Buckets, McpRequest, McpResponse, Rate, RequestService, Taken, TooManyRequests,
};
use crate::connection::BoxFuture;

/// A layer that refuses requests above a rate, with [`TooManyRequests`]; it never waits.
///
/// Each principal has a token bucket. A request without a principal counts for its connection: that
/// of a stream, such as standard input and output, the session over HTTP, or the address of a client
/// that has no session. A client has one bucket for all its calls. At most 10,000 buckets are kept,
/// of which full ones are dropped first.
///
/// The clones of a layer share their buckets. Each request counts that passes the layer: all of them,
/// or the calls of one tool.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::Server;
/// use mcp_runtime::layer::RateLimit;
/// use mcp_runtime::server::tools::ToolBuilder;
///
/// let mut server = Server::builder();
/// server.layer(RateLimit::per_principal(20, Duration::from_secs(1)));
/// let report = ToolBuilder::new("report")
///     .layer(RateLimit::per_principal(3, Duration::from_secs(3600)));
/// server.tool(report.call(|(), _| "all is well"));
/// # drop(server.build());
/// ```
#[derive(Clone)]
pub struct RateLimit {
    rate: Rate,
    local: Arc<LocalBuckets>,
    shared: Option<Arc<dyn Buckets>>,
}

impl RateLimit {
    /// That many requests of each principal in a period; as many may come at once.
    ///
    /// # Panics
    ///
    /// As [`Rate::new`].
    #[must_use]
    #[track_caller]
    pub fn per_principal(requests: u32, period: Duration) -> Self {
        Self {
            rate: Rate::new(requests, period),
            local: Arc::default(),
            shared: None,
        }
    }

    /// Keeps the buckets of principals in a store that several processes share. Those of connections
    /// stay in this process.
    #[must_use]
    pub fn buckets(mut self, buckets: impl Buckets) -> Self {
        self.shared = Some(Arc::new(buckets));
        self
    }

    /// Takes a token for a request.
    ///
    /// # Errors
    ///
    /// When there is none, or the store is unavailable.
    async fn take(&self, request: &McpRequest) -> Result<(), BoxError> {
        let taken = match (&self.shared, request.principal()) {
            (Some(shared), Some(principal)) => shared.take(principal, self.rate).await?,
            _ => self.local.take(caller(request), self.rate),
        };
        match taken {
            Taken::Yes => Ok(()),
            Taken::No(time) => Err(TooManyRequests::retry_after(time).into()),
        }
    }
}

fn caller(request: &McpRequest) -> Caller {
    match (request.principal(), request.context()) {
        (Some(principal), _) => Caller::Principal(principal.into()),
        (None, Some(context)) => {
            let (number, address) = context.connection();
            Caller::Connection(number, address)
        }
        (None, None) => Caller::Own,
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for RateLimit {
    type Service = RateLimited<S>;

    fn layer(&self, inner: S) -> RateLimited<S> {
        let limit = self.clone();
        RateLimited { limit, inner }
    }
}

/// The service of a [`RateLimit`].
#[derive(Clone, Debug)]
pub struct RateLimited<S> {
    limit: RateLimit,
    inner: S,
}

impl<S: RequestService> Service<McpRequest> for RateLimited<S> {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = BoxFuture<Result<McpResponse, BoxError>>;

    /// Always ready: a request is refused even while what is inside has no room for it.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        let limit = self.limit.clone();
        let mut inner = self.inner.clone();
        Box::pin(async move {
            limit.take(&request).await?;
            poll_fn(|cx| inner.poll_ready(cx))
                .await
                .map_err(Into::into)?;
            inner.call(request).await.map_err(Into::into)
        })
    }
}
