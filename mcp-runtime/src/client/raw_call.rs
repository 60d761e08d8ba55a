//! A call without the types of its parameters and result.
//!
//! [`RawCall::send`] contains the loop that all calls share: it looks into the cache, answers the
//! server's questions, and sends the call again after the connection was lost. Without type
//! parameters, the loop is compiled only once.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Conform, ErrorObject, RawJson, Request, Revision, error_codes, methods};
use serde::Serialize;
use serde::ser::Error as _;
use tokio::time::Instant;

use super::Client;
use super::cache::CachePlace;
use super::channel::{RequestKind, Written, request_options};
use super::input::InputResponses;
use super::result::{Completed, Outcome, claim, on_late};
use super::supervisor::Connection;
use crate::connection::{BoxFuture, OnProgress, SendOptions};
use crate::error::{CallError, Unavailable};
use crate::limits::MAX_REPEATS;
use crate::protocol::Timeouts;

pub(super) struct RawCall {
    pub(super) client: Client,
    pub(super) params: Box<dyn CallParams>,
    pub(super) options: CallOptions,
    pub(super) types: CallTypes,
}

pub(super) trait CallParams: Send {
    /// Adapts the parameters to a revision and serializes them.
    fn conformed(&mut self, revision: Revision) -> serde_json::Result<RawJson>;

    /// Serializes the parameters without adapting them to a revision.
    fn json(&self) -> serde_json::Result<RawJson>;
}

impl<P: Serialize + Conform + Send> CallParams for P {
    fn conformed(&mut self, revision: Revision) -> serde_json::Result<RawJson> {
        self.conform(revision);
        self.json()
    }

    fn json(&self) -> serde_json::Result<RawJson> {
        RawJson::new(self)
    }
}

/// The functions of a request that depend on its types.
#[derive(Clone, Copy)]
pub(super) struct CallTypes {
    pub(super) kind: RequestKind,
    pub(super) params: fn(&RawJson) -> serde_json::Result<Box<dyn CallParams>>,
    fits: fn(&RawJson) -> bool,
}

impl CallTypes {
    /// Caches a result, if it is well-formed.
    fn keep(&self, raw: &RawJson, place: Option<CachePlace<'_>>) {
        if let Some(place) = place.filter(|_| (self.fits)(raw)) {
            place.put(raw);
        }
    }
}

#[derive(Clone)]
pub(super) struct CallOptions {
    pub(super) timeouts: Timeouts,
    pub(super) progress: Option<OnProgress>,
    pub(super) waits: bool,
    /// If true, the call is sent again after its answer was lost with the connection.
    pub(super) repeats: bool,
    pub(super) fresh: bool,
    /// If true, the call is part of another call that has already passed through the layers.
    pub(super) is_inner: bool,
    /// If true, results of extensions are returned unchanged, without asking the extensions.
    pub(super) is_raw: bool,
}

impl RawCall {
    pub(super) fn new<R>(client: Client, params: R::Params, options: CallOptions) -> Self
    where
        R: Request,
        R::Params: 'static,
    {
        Self {
            client,
            params: Box::new(params),
            options,
            types: CallTypes {
                kind: RequestKind::of::<R>(),
                params: |json| Ok(Box::new(json.parse::<R::Params>()?)),
                fits: |result| result.parse::<R::Result>().is_ok(),
            },
        }
    }

    /// Sends the call through the layers of the client.
    pub(super) fn complete(self) -> BoxFuture<Result<Completed, CallError>> {
        let client = self.client.clone();
        match &client.state().config.layers {
            Some(layers) if self.passes_layers() => layers.call(self),
            _ => Box::pin(self.send()),
        }
    }

    fn passes_layers(&self) -> bool {
        let keeps_connection = matches!(
            self.types.kind.method,
            methods::INITIALIZE
                | methods::PING
                | methods::SERVER_DISCOVER
                | methods::SUBSCRIPTIONS_LISTEN
        );
        !self.options.is_inner && !keeps_connection
    }

    /// Sends the call, as often as necessary, until its result is complete. `spent` does not include
    /// the time that it takes to answer questions.
    pub(super) async fn send(mut self) -> Result<Completed, CallError> {
        let client = &self.client;
        let options = &self.options;
        let kind = self.types.kind;
        let state = client.state();
        let mut responses = None;
        let mut attempt = 0;
        let mut rounds = 0;
        let mut listed = false;
        let mut spent = Duration::ZERO;
        loop {
            let timeouts = left(kind.method, options.timeouts, spent)?;
            let begun = Instant::now();
            let connection = reach(client, options.waits, timeouts.shortest()).await?;
            let negotiated = &connection.negotiated;
            let params = self.params.conformed(negotiated.revision);
            let params = params.map_err(CallError::Params)?;
            let may_cache = responses.is_none() && negotiated.revision.has_type("CacheScope");
            let cache = state.cache.as_ref().filter(|_| may_cache);
            let cached = cache.and_then(|cache| cache.place(kind.method, &params));
            let known = cached.as_ref().filter(|_| !options.fresh);
            if let Some(raw) = known.and_then(CachePlace::get) {
                return Ok(Completed::new(raw, Duration::ZERO));
            }
            let answers = responses.as_ref();
            let written = options.write(client, &connection, kind, params, answers, timeouts);
            let raw = match async { connection.channel.send(written?).await }.await {
                Err(error) if attempt < MAX_REPEATS && options.may_repeat(&error, &connection) => {
                    tracing::debug!(method = kind.method, %error, "the call is sent again");
                    attempt += 1;
                    continue;
                }
                Err(CallError::Rpc(error)) if !listed && is_mismatch(kind.method, &error) => {
                    listed = true;
                    list_because_of(error, client, timeouts.shortest()).await?;
                    spent += begun.elapsed();
                    continue;
                }
                Err(error) => return Err(with_time(error, spent)),
                Ok(raw) => raw,
            };
            let left = timeouts.shortest().saturating_sub(begun.elapsed());
            let required = match Outcome::of(kind, &raw, negotiated)? {
                Outcome::InputRequired(required) => *required,
                Outcome::Complete => {
                    self.types.keep(&raw, cached);
                    return Ok(Completed::new(raw, left));
                }
                Outcome::Unknown(_) if options.is_raw => return Ok(Completed::new(raw, left)),
                Outcome::Unknown(name) => {
                    return Box::pin(claim(client, kind, negotiated, raw, name, left)).await;
                }
            };
            rounds = next_round(kind, rounds, state.config.max_rounds)?;
            spent += begun.elapsed();
            let input = &state.config.input;
            let answered = input.respond(kind.method, required, negotiated.revision);
            responses = Some(answered.await?);
        }
    }
}

impl CallOptions {
    /// Serializes one round of a call: its parameters, and the answers that the server requested.
    fn write(
        &self,
        client: &Client,
        connection: &Connection,
        kind: RequestKind,
        params: RawJson,
        responses: Option<&InputResponses>,
        timeouts: Timeouts,
    ) -> Result<Written, CallError> {
        let options = SendOptions {
            progress: self.progress.clone(),
            late: on_late(client, kind, &connection.negotiated),
            ..request_options(kind, timeouts)
        };
        let params = match responses {
            None => params,
            Some(responses) => {
                joined(&params, &RawJson::encode(responses)).map_err(CallError::Params)?
            }
        };
        let state = client.state();
        let meta = state.request_meta(&connection.meta);
        connection.channel.write(kind, &params, meta, options)
    }

    fn may_repeat(&self, error: &CallError, connection: &Connection) -> bool {
        match error {
            CallError::Closed | CallError::Lost(_) => self.repeats,
            error => self.waits && was_not_run(error, connection),
        }
    }
}

/// Returns true if the server did not run a call, because the connection or the session had already
/// ended.
pub(super) fn was_not_run(error: &CallError, connection: &Connection) -> bool {
    match error {
        // The connection was lost before the request was sent.
        CallError::NotSent(_) => connection.channel.is_over(),
        CallError::Unavailable(Unavailable::State { .. }) | CallError::SessionEnded => true,
        _ => false,
    }
}

fn joined(one: &RawJson, other: &RawJson) -> serde_json::Result<RawJson> {
    let head = one.get().strip_suffix('}');
    let tail = other.get().strip_prefix('{');
    let Some((head, tail)) = head.zip(tail) else {
        return Err(serde_json::Error::custom(
            "parameters must be a JSON object",
        ));
    };
    let comma = if head == "{" || tail == "}" { "" } else { "," };
    RawJson::from_text(format!("{head}{comma}{tail}"))
}

/// Returns true if the server refuses a tool call because headers are missing or differ from the
/// body.
pub(super) fn is_mismatch(method: &str, error: &ErrorObject) -> bool {
    method == methods::TOOLS_CALL && error.code == error_codes::HEADER_MISMATCH
}

/// Lists the tools to learn which headers a tool needs, after the server has refused a call with
/// `error` because of its headers (2026-07-28, "Streamable HTTP", section Client Behavior).
///
/// # Errors
///
/// Returns `error` if the tools can't be listed within `limit`.
pub(super) async fn list_because_of(
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

/// Lists the tools, bypassing the cache. The transport reads the headers that the tools need from the
/// answer. Returns false if listing fails or takes longer than `limit`.
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

/// Returns the output schema of a tool. If the tool is not known, lists the tools within `limit`.
/// Returns `None` if the tool has no schema or the tools can't be listed.
pub(super) async fn output_schema(client: &Client, name: &str, limit: Duration) -> Option<RawJson> {
    let known = client.known_tool(name);
    if known.is_none() && !list_within(client, limit).await {
        return None;
    }
    known.or_else(|| client.known_tool(name))?.output_schema
}

/// Counts another round of questions after `rounds`.
///
/// # Errors
///
/// Fails if there are already `most` rounds.
fn next_round(kind: RequestKind, rounds: usize, most: usize) -> Result<usize, CallError> {
    let method = kind.method.to_owned();
    if rounds < most {
        Ok(rounds + 1)
    } else {
        Err(CallError::TooManyRounds { method, rounds })
    }
}

fn with_time(error: CallError, spent: Duration) -> CallError {
    match error {
        CallError::Timeout { method, waited } => CallError::timed_out(&method, spent + waited),
        error => error,
    }
}

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

/// Subtracts the time that was `spent` from the time limits of a call. If progress resets the idle
/// limit, a round that was answered resets it as well.
///
/// # Errors
///
/// Fails if no time is left.
fn left(method: &str, timeouts: Timeouts, spent: Duration) -> Result<Timeouts, CallError> {
    let mut left = timeouts;
    left.total = left.total.saturating_sub(spent);
    if !left.reset_on_progress {
        left.idle = left.idle.saturating_sub(spent);
    }
    if left.shortest().is_zero() {
        Err(CallError::timed_out(method, spent))
    } else {
        Ok(left)
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
        let left = |timeouts, spent| left(methods::PING, timeouts, spent);
        let rest = left(timeouts(false), 7 * SECOND).unwrap();
        assert_eq!((rest.idle, rest.total), (3 * SECOND, 18 * SECOND));
        let rest = left(timeouts(true), 17 * SECOND).unwrap();
        assert_eq!((rest.idle, rest.total), (10 * SECOND, 8 * SECOND));
        assert!(left(timeouts(false), 11 * SECOND).is_err());
    }
}
