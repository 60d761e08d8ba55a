//! One request, before and while it is sent.

use std::borrow::Cow;
use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Conform, ProgressNotificationParams, RawJson, Request, methods};
use tokio::time::Instant;

use super::Client;
use super::cache::Cached;
use super::link::{Link, Options};
use super::output::complete;
use super::questions::Retry;
use super::slot::Connection;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::error::Unavailable;
use crate::limits::MAX_REPEATS;
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
    pub(super) client: Client,
    pub(super) params: Result<R::Params, serde_json::Error>,
    pub(super) options: Options,
    policy: Policy,
    fresh: bool,
    /// Members of `_meta` beside those that the client writes, without braces.
    pub(super) meta: String,
}

/// What is done about a connection that is lost.
#[derive(Clone, Copy)]
struct Policy {
    /// Whether the call waits for it to be restored.
    waits: bool,
    /// Whether the call is sent again when its answer was lost.
    repeats: bool,
}

impl<R: Request> Call<R> {
    pub(super) fn new(client: &Client, params: Result<R::Params, serde_json::Error>) -> Self {
        Self {
            client: client.clone(),
            params,
            options: Options::new(client.config().timeouts),
            policy: Policy {
                waits: true,
                // Whatever is not a tool asks for something or sets it.
                repeats: R::METHOD != methods::TOOLS_CALL,
            },
            fresh: false,
            meta: String::new(),
        }
    }

    /// The call may be sent again when the connection is lost before its answer came, or may not.
    ///
    /// Unless said here, requests other than `tools/call` may, and tools whose annotations, as
    /// last listed, say that they only read or are idempotent.
    pub fn repeatable(mut self, repeatable: bool) -> Self {
        self.policy.repeats = repeatable;
        self
    }

    /// Fails at once while the connection is being restored, instead of waiting for it.
    pub fn fail_fast(mut self) -> Self {
        self.policy.waits = false;
        self.policy.repeats = false;
        self
    }

    /// Asks the server even if its last answer is [kept](super::ClientBuilder::cache) and still
    /// good.
    pub fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// How long to wait for the answer, in all: all rounds together, progress or not.
    ///
    /// Time in which the server's questions are answered does not count, in either era. A call that
    /// is sent again after its connection was lost has its time again.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.timeouts(Timeouts {
            idle: timeout,
            total: timeout,
            reset_on_progress: false,
        })
    }

    /// How long to wait for the answer, and whether news of progress extends the wait. All rounds
    /// share these limits, and time in which the server's questions are answered does not count.
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
        let Self {
            client,
            params,
            options,
            policy,
            fresh,
            meta: further,
        } = self;
        let mut params = params.map_err(CallError::Params)?;
        let mut retry = None;
        let (mut attempt, mut rounds) = (0, 0);
        // How long the rounds took so far, without the time in which questions were answered.
        let mut spent = Duration::ZERO;
        loop {
            let options = with_rest::<R>(&options, spent)?;
            let begun = Instant::now();
            let connection = reach(&client, &options, policy).await?;
            let agreed = &connection.agreed;
            params.conform(agreed.negotiated.revision);
            let meta = meta(&client, &connection, &further);
            // What depends on more than the parameters is not kept.
            let kept = client.kept();
            let kept = kept.filter(|_| retry.is_none() && further.is_empty());
            let place = kept.and_then(|kept| kept.place::<R>(&params));
            let known = place.as_ref().filter(|_| !fresh).and_then(Cached::get);
            if let Some(known) = known {
                return complete::<R>(&known);
            }
            let link = &connection.link;
            let sent = link.request_round::<R>(&params, retry.as_ref(), &meta, options);
            let answer = match sent.await {
                Err(error) if attempt < MAX_REPEATS && may_repeat(&error, policy, link) => {
                    tracing::debug!(method = R::METHOD, %error, "the call is sent again");
                    attempt += 1;
                    continue;
                }
                Err(CallError::Timeout { waited, .. }) => {
                    return Err(timed_out::<R>(spent + waited));
                }
                answer => keeping::<R>(&answer?, place),
            };
            let wanted = match answer {
                Err(CallError::InputRequired { wanted, .. }) => *wanted,
                answer => return answer,
            };
            if rounds == client.config().max_rounds {
                return Err(CallError::TooManyRounds {
                    method: R::METHOD.to_owned(),
                    rounds,
                });
            }
            rounds += 1;
            spent += begun.elapsed();
            let handlers = &client.config().handlers;
            let revision = agreed.negotiated.revision;
            retry = Some(Retry::answering(handlers, R::METHOD, wanted, revision).await?);
        }
    }
}

/// The members of a call's `_meta`: the `further` ones, and those that the client writes.
fn meta<'a>(client: &Client, connection: &'a Connection, further: &str) -> Cow<'a, str> {
    let meta = client.memory().meta(&connection.agreed.meta);
    let meta = client.config().tracing.extend(meta);
    match (further, &*meta) {
        ("", _) => meta,
        (_, "") => Cow::Owned(further.to_owned()),
        (_, meta) => Cow::Owned(format!("{further},{meta}")),
    }
}

/// The result of a call, which is kept if there is a place for it.
fn keeping<R: Request>(
    answer: &RawJson,
    place: Option<Cached<'_>>,
) -> Result<R::Result, CallError> {
    let completed = complete::<R>(answer);
    if let Some(place) = place.filter(|_| completed.is_ok()) {
        place.put(answer);
    }
    completed
}

/// Whether a call that failed with `error` is sent again.
fn may_repeat(error: &CallError, policy: Policy, link: &Link) -> bool {
    match error {
        CallError::Closed | CallError::Lost(_) => policy.repeats,
        // The connection was lost just before.
        CallError::NotSent(_) => policy.waits && link.is_over(),
        // It was not served: the connection or the session was over already.
        CallError::Unavailable(Unavailable::State { .. }) | CallError::SessionEnded => policy.waits,
        _ => false,
    }
}

/// Waits for the connection, for no longer than for an answer.
async fn reach(
    client: &Client,
    options: &Options,
    policy: Policy,
) -> Result<Arc<Connection>, CallError> {
    let waited = options.timeouts.shortest();
    let connection = client.connection(policy.waits);
    let reached = tokio::time::timeout(waited, connection).await;
    reached.unwrap_or_else(|_| {
        let reason = match client.not_sent() {
            CallError::NotSent(cause) => format!(": {cause}"),
            _ => String::new(),
        };
        let reason = format!("the connection was not restored within {waited:?}{reason}");
        let error = io::Error::new(io::ErrorKind::TimedOut, reason);
        Err(CallError::NotSent(error))
    })
}

/// The options for the next round of a call whose rounds so far took `spent`.
///
/// # Errors
///
/// When no time is left.
fn with_rest<R: Request>(options: &Options, spent: Duration) -> Result<Options, CallError> {
    let mut options = options.clone();
    options.timeouts = left(options.timeouts, spent);
    match options.timeouts.shortest().is_zero() {
        true => Err(timed_out::<R>(spent)),
        false => Ok(options),
    }
}

/// What is left of `timeouts` after `spent`. A round that was
/// answered is a sign of progress.
fn left(timeouts: Timeouts, spent: Duration) -> Timeouts {
    let idle = match timeouts.reset_on_progress {
        true => timeouts.idle,
        false => timeouts.idle.saturating_sub(spent),
    };
    Timeouts {
        idle,
        total: timeouts.total.saturating_sub(spent),
        ..timeouts
    }
}

fn timed_out<R: Request>(waited: Duration) -> CallError {
    CallError::Timeout {
        method: R::METHOD.to_owned(),
        waited,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_share_their_time() {
        const SECOND: Duration = Duration::from_secs(1);
        let timeouts = |reset_on_progress| Timeouts {
            idle: 10 * SECOND,
            total: 25 * SECOND,
            reset_on_progress,
        };
        let rest = left(timeouts(false), 7 * SECOND);
        assert_eq!((rest.idle, rest.total), (3 * SECOND, 18 * SECOND));
        let rest = left(timeouts(true), 17 * SECOND);
        assert_eq!((rest.idle, rest.total), (10 * SECOND, 8 * SECOND));
        let rest = left(timeouts(false), 11 * SECOND);
        assert_eq!(rest.shortest(), Duration::ZERO);
    }
}
