//! One request: its options, sending it, and sending it again.

use std::fmt;
use std::future::IntoFuture;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    Conform, ErrorObject, PingRequest, ProgressNotificationParams, RawJson, Request, RequestParams,
    error_codes, methods,
};
use serde::Serialize;
use tokio::time::Instant;

use super::Client;
use super::cache::CachePlace;
use super::channel::{Channel, Written, request_options};
use super::connection::Connection;
use super::input::InputResponses;
use super::result::{complete, may_be_wrapped};
use crate::connection::{BoxFuture, OnProgress, SendOptions};
use crate::error::{CallError, Unavailable};
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
pub struct Call<R: Request, T = <R as Request>::Result> {
    pub(super) client: Client,
    pub(super) params: Result<R::Params, serde_json::Error>,
    convert: Convert<R, T>,
    /// The tool whose result is converted.
    tool: Option<String>,
    /// True if the tool's output schema decides how.
    by_schema: bool,
    pub(super) options: CallOptions,
}

/// Turns the result into the output. A tool whose structured content may be wrapped has its output
/// schema, if that is known.
pub(super) type Convert<R, T> =
    fn(<R as Request>::Result, Option<&RawJson>) -> Result<T, CallError>;

pub(super) struct CallOptions {
    pub(super) timeouts: Timeouts,
    progress: Option<OnProgress>,
    /// True if the call waits for a lost connection to be restored.
    waits: bool,
    /// True if the call is sent again when its answer was lost with the connection.
    repeats: bool,
    /// True if cached answers are not used.
    fresh: bool,
    /// Members of `_meta` other than those that the client writes, as JSON without braces.
    pub(super) meta: String,
}

impl Client {
    /// A request of any kind; await it to send it.
    ///
    /// One whose type names an [extension](Request::EXTENSION) is sent where the client has
    /// [declared](super::ClientBuilder::extension) the extension, and the server as well
    /// ([`CallError::Unavailable`] otherwise). It is not sent again after its answer was lost, unless
    /// it is marked as [repeatable](Call::repeatable).
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::{ListToolsRequest, PaginatedRequestParams};
    ///
    /// // One page of the list, where `list_tools` fetches them all.
    /// let page = client.request::<ListToolsRequest>(PaginatedRequestParams::new()).await?;
    /// println!("{} tools, then {:?}", page.tools.len(), page.next_cursor);
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self, Ok(params), |result, _| Ok(result))
    }

    /// Sends a `ping`, and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] in the stateless era, which has no `ping`; otherwise why there
    /// is no answer.
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<PingRequest>(RequestParams::new()).await?;
        Ok(())
    }
}

impl<R: Request, T> Call<R, T> {
    pub(super) fn new(
        client: &Client,
        params: Result<R::Params, serde_json::Error>,
        convert: Convert<R, T>,
    ) -> Self {
        Self {
            client: client.clone(),
            params,
            convert,
            tool: None,
            by_schema: false,
            options: CallOptions {
                timeouts: client.state().config.timeouts,
                progress: None,
                waits: true,
                // Only the effects of tools add up, and perhaps those of extensions.
                repeats: R::METHOD != methods::TOOLS_CALL && R::EXTENSION.is_none(),
                fresh: false,
                meta: String::new(),
            },
        }
    }

    /// Converts the result another way, which does not depend on the output schema of a tool.
    pub(super) fn converted_by(mut self, convert: Convert<R, T>) -> Self {
        self.convert = convert;
        self.by_schema = false;
        self
    }

    /// Converts the result by the output schema of a tool.
    pub(super) fn typed_by(mut self, tool: String) -> Self {
        self.tool = Some(tool);
        self.by_schema = true;
        self
    }

    /// Sets whether the call may be sent again when the connection is lost before its answer came.
    ///
    /// By default, requests of the protocol other than `tools/call` may, and tools that are read-only
    /// or idempotent by their annotations, as last listed.
    pub fn repeatable(mut self, repeatable: bool) -> Self {
        self.options.repeats = repeatable;
        self
    }

    /// Fails at once while the connection is being restored, instead of waiting for it.
    pub fn fail_fast(mut self) -> Self {
        self.options.waits = false;
        self.options.repeats = false;
        self
    }

    /// Asks the server even if its last answer is [cached](super::ClientBuilder::cache).
    pub fn fresh(mut self) -> Self {
        self.options.fresh = true;
        self
    }

    /// The time limit of the answer: of all rounds together, progress or not.
    ///
    /// Time in which the server's questions are answered does not count, in either era. A call that
    /// is sent again after its connection was lost has its time again.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.timeouts(Timeouts::within(timeout))
    }

    /// The time limits of the answer, which progress may extend. All rounds share these limits, and
    /// time in which the server's questions are answered does not count.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Asks for progress notifications, and calls `observer` with each. It must return quickly: the
    /// connection waits.
    pub fn on_progress(
        mut self,
        observer: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.options.progress = Some(Arc::new(observer));
        self
    }
}

impl<R, T> Call<R, T>
where
    R: Request + 'static,
    R::Params: Conform,
{
    async fn send(self) -> Result<T, CallError> {
        let (client, convert) = (self.client.clone(), self.convert);
        let (tool, by_schema) = (self.tool.clone(), self.by_schema);
        let Completed { raw, result, left } = self.complete().await?;
        let schema = match &tool {
            Some(name) if by_schema && may_be_wrapped(&raw) => {
                output_schema(&client, name, left).await
            }
            _ => None,
        };
        convert(result, schema.as_ref()).map_err(|error| match (error, tool) {
            (CallError::Result { method, reason }, Some(tool)) => {
                let reason = format!("tool `{tool}`: {reason}");
                CallError::Result { method, reason }
            }
            (error, _) => error,
        })
    }

    /// Sends the call until its result is complete.
    async fn complete(self) -> Result<Completed<R>, CallError> {
        let mut params = self.params.map_err(CallError::Params)?;
        let (client, options) = (self.client, self.options);
        let state = client.state();
        let mut responses = None;
        let (mut attempt, mut rounds, mut listed) = (0, 0, false);
        // Time of the rounds so far, without that in which questions were answered.
        let mut spent = Duration::ZERO;
        loop {
            let timeouts = left::<R>(options.timeouts, spent)?;
            let begun = Instant::now();
            let connection = reach(&client, options.waits, timeouts.shortest()).await?;
            let revision = connection.negotiated.revision;
            params.conform(revision);
            // An answer that depends on more than the parameters is not cached.
            let is_plain = responses.is_none() && options.meta.is_empty();
            let cache = state.cache.as_ref().filter(|_| is_plain);
            let cached = cache.and_then(|cache| cache.place::<R>(&params));
            let known = cached.as_ref().filter(|_| !options.fresh);
            if let Some(result) = known.and_then(CachePlace::get) {
                return Completed::new(result, Duration::ZERO);
            }
            let channel = &connection.channel;
            let meta = state.request_meta(&connection.meta, &options.meta);
            let sending = options.sending::<R>(timeouts);
            let written = write::<R>(channel, &params, responses.as_ref(), meta, sending);
            let raw = match async { channel.send(written?).await }.await {
                Err(error) if attempt < MAX_REPEATS && options.may_repeat(&error, channel) => {
                    tracing::debug!(method = R::METHOD, %error, "the call is sent again");
                    attempt += 1;
                    continue;
                }
                Err(CallError::Rpc(error)) if !listed && is_header_mismatch::<R>(&error) => {
                    listed = true;
                    list_because_of(error, &client, timeouts.shortest()).await?;
                    spent += begun.elapsed();
                    continue;
                }
                Err(error) => return Err(with_time(error, spent)),
                Ok(raw) => raw,
            };
            let left = timeouts.shortest().saturating_sub(begun.elapsed());
            let required = match Completed::<R>::new(raw, left) {
                Err(CallError::InputRequired { wanted, .. }) => *wanted,
                completed => {
                    if let (Some(cached), Ok(completed)) = (cached, &completed) {
                        cached.put(&completed.raw);
                    }
                    return completed;
                }
            };
            if rounds == state.config.max_rounds {
                return Err(too_many::<R>(rounds));
            }
            rounds += 1;
            spent += begun.elapsed();
            let input = &state.config.input;
            responses = Some(input.respond(R::METHOD, required, revision).await?);
        }
    }
}

/// A complete result.
struct Completed<R: Request> {
    raw: RawJson,
    result: R::Result,
    /// The time that is left of the call's.
    left: Duration,
}

impl<R: Request> Completed<R> {
    /// Decodes a result.
    ///
    /// # Errors
    ///
    /// As [`complete`].
    fn new(raw: RawJson, left: Duration) -> Result<Self, CallError> {
        let result = complete::<R>(&raw)?;
        Ok(Self { raw, result, left })
    }
}

impl CallOptions {
    /// The options of a request within `timeouts`.
    fn sending<R: Request>(&self, timeouts: Timeouts) -> SendOptions {
        SendOptions {
            progress: self.progress.clone(),
            ..request_options::<R>(timeouts)
        }
    }

    /// Returns true if a call that failed with `error` is sent again.
    fn may_repeat(&self, error: &CallError, channel: &Channel) -> bool {
        match error {
            CallError::Closed | CallError::Lost(_) => self.repeats,
            // The connection was lost just before.
            CallError::NotSent(_) => self.waits && channel.is_over(),
            // Not served: the connection or the session was over already.
            CallError::Unavailable(Unavailable::State { .. }) | CallError::SessionEnded => {
                self.waits
            }
            _ => false,
        }
    }
}

/// Writes one round of a call: its parameters, and the answers that the server requested.
fn write<R: Request>(
    channel: &Channel,
    params: &R::Params,
    responses: Option<&InputResponses>,
    meta: String,
    options: SendOptions,
) -> Result<Written, CallError> {
    #[derive(Serialize)]
    struct Answered<'a, P> {
        #[serde(flatten)]
        params: &'a P,
        #[serde(flatten)]
        responses: &'a InputResponses,
    }

    match responses {
        None => channel.write::<R>(params, meta, options),
        Some(responses) => {
            let params = RawJson::new(&Answered { params, responses });
            channel.write::<R>(&params.map_err(CallError::Params)?, meta, options)
        }
    }
}

/// Returns true if a server refuses the call of a tool because headers are missing or differ from
/// the body.
fn is_header_mismatch<R: Request>(error: &ErrorObject) -> bool {
    R::METHOD == methods::TOOLS_CALL && error.code == error_codes::HEADER_MISMATCH
}

/// Lists the tools, whose headers a server misses (2026-07-28, "Streamable HTTP", section Client
/// Behavior). It has not called the tool.
///
/// # Errors
///
/// The error of the server, if the tools can't be listed within `limit`.
async fn list_because_of(
    error: ErrorObject,
    client: &Client,
    limit: Duration,
) -> Result<(), CallError> {
    if !list_within(client, limit).await {
        return Err(CallError::Rpc(error));
    }
    tracing::debug!(%error, "the tools were listed, and the call is sent again");
    Ok(())
}

/// Lists the tools as they are now, which tells the transport of their headers as well. Returns false
/// if that fails, or takes longer than `limit`.
async fn list_within(client: &Client, limit: Duration) -> bool {
    let listing = client.list_tools_again();
    match tokio::time::timeout(limit, listing).await {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the tools can't be listed");
            false
        }
        Err(_) => {
            tracing::debug!(?limit, "the tools were not listed in time");
            false
        }
    }
}

/// The output schema of a tool, which is listed within `limit` unless it was; `None` if it has none,
/// or if that fails.
async fn output_schema(client: &Client, name: &str, limit: Duration) -> Option<RawJson> {
    let known = client.known_tool(name);
    if known.is_none() && !list_within(client, limit).await {
        return None;
    }
    known.or_else(|| client.known_tool(name))?.output_schema
}

fn too_many<R: Request>(rounds: usize) -> CallError {
    let method = R::METHOD.to_owned();
    CallError::TooManyRounds { method, rounds }
}

/// The error of a call whose earlier rounds have taken `spent`.
fn with_time(error: CallError, spent: Duration) -> CallError {
    match error {
        CallError::Timeout { method, waited } => CallError::timed_out(&method, spent + waited),
        error => error,
    }
}

/// Waits for the connection, for no longer than for an answer.
async fn reach(
    client: &Client,
    waits: bool,
    limit: Duration,
) -> Result<Arc<Connection>, CallError> {
    let reached = tokio::time::timeout(limit, client.connection(waits)).await;
    reached.unwrap_or_else(|_| {
        let cause = client.lost_because();
        let cause = cause.map_or(String::new(), |cause| format!(": {}", cause.to_io()));
        let reason = format!("the connection was not restored within {limit:?}{cause}");
        Err(CallError::NotSent(io::Error::new(
            io::ErrorKind::TimedOut,
            reason,
        )))
    })
}

/// The time that is left of `timeouts` after `spent`. A round that was answered counts as progress.
///
/// # Errors
///
/// When no time is left.
fn left<R: Request>(timeouts: Timeouts, spent: Duration) -> Result<Timeouts, CallError> {
    let mut left = timeouts;
    left.total = left.total.saturating_sub(spent);
    if !left.reset_on_progress {
        left.idle = left.idle.saturating_sub(spent);
    }
    match left.shortest().is_zero() {
        true => Err(CallError::timed_out(R::METHOD, spent)),
        false => Ok(left),
    }
}

impl<R, T> IntoFuture for Call<R, T>
where
    R: Request + 'static,
    R::Params: Conform,
    T: 'static,
{
    type Output = Result<T, CallError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<R: Request, T> fmt::Debug for Call<R, T> {
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
        let left = left::<PingRequest>;
        let rest = left(timeouts(false), 7 * SECOND).unwrap();
        assert_eq!((rest.idle, rest.total), (3 * SECOND, 18 * SECOND));
        let rest = left(timeouts(true), 17 * SECOND).unwrap();
        assert_eq!((rest.idle, rest.total), (10 * SECOND, 8 * SECOND));
        assert!(left(timeouts(false), 11 * SECOND).is_err());
    }
}
