//! What a call has to know in its next round, on its way through the client.

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_types::{RawJson, RawJsonRef};

use crate::error::RequestError;
use crate::protocol::StrictJson;

/// What a state belongs to: presented with anything else, it is worth nothing.
#[derive(Clone, Debug)]
pub(super) struct Binding(String);

impl Binding {
    /// A call of `method` on `target` with `arguments`, by `principal`.
    ///
    /// Arguments are compared as values, whose members may stand in another order; numbers are
    /// compared by their text, as no type of number holds all of them.
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

/// Why a state is not accepted. To the client all cases look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    /// It was changed, belongs to another call or caller, or was never given out here.
    #[error("not given out by this server for this call")]
    Foreign,
    /// Too much time has passed.
    #[error("expired")]
    Expired,
}

/// Seconds since 1970, by the clock of the system: other processes must agree.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
