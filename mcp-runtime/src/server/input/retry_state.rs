//! State of a call between its rounds, while the client collects answers (2026-07-28, "Multi
//! Round-Trip Requests").

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_types::{OrderedMap, RawJson, RawJsonRef};
use serde::{Deserialize, Serialize};

use crate::error::RequestError;
use crate::protocol::StrictJson;

/// State of a call from its earlier rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RetryState {
    /// The number of rounds.
    #[serde(rename = "r")]
    pub(super) rounds: u32,
    /// The answers that the handler used, by the names of the questions.
    #[serde(rename = "a", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) answers: OrderedMap<RawJson>,
    /// The values of [`Context::once`](crate::Context::once), by their keys.
    #[serde(rename = "o", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) done: OrderedMap<RawJson>,
    /// The note of a handler that asks by hand.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// The milliseconds that the handler has worked, if it has a time limit.
    #[serde(rename = "t", skip_serializing_if = "is_zero")]
    pub(super) worked: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The call that a state belongs to; with any other it is refused.
#[derive(Clone, Debug)]
pub(super) struct Binding(String);

impl Binding {
    /// A call of `method` on `target` with `arguments`, by `principal`.
    ///
    /// Arguments are compared as values, whose members may be in another order; numbers by their
    /// text, as no type of number holds all of them.
    ///
    /// # Errors
    ///
    /// With the path of what can't be read in the arguments.
    pub(super) fn new(
        method: &str,
        target: &str,
        arguments: Option<RawJsonRef<'_>>,
        principal: Option<&str>,
    ) -> Result<Self, RequestError> {
        let canonical =
            |raw: RawJsonRef<'_>| Ok(StrictJson::read(raw.get(), "params.arguments")?.canonical());
        let arguments = arguments.map(canonical).transpose()?;
        let parts = (method, target, arguments, principal);
        Ok(Self(RawJson::encode(&parts).get().to_owned()))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Why a state is not accepted. Clients can't tell the cases of `Foreign` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    /// It was changed, belongs to another call or caller, or was never issued here.
    #[error("not given out by this server for this call")]
    Foreign,
    #[error("expired")]
    Expired,
}

/// Seconds since 1970 by the system's clock, on which other processes agree.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
