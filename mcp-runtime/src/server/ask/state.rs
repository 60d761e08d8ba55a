//! What a call has to know in its next round, on its way through the client.

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_types::{Encode, RawJson, RawJsonRef};

/// What a state belongs to: presented with anything else, it is worth nothing.
#[derive(Clone, Debug)]
pub(super) struct Binding(String);

impl Binding {
    /// A call of `method` on `target` with `arguments`, by `principal`.
    ///
    /// Arguments are compared as values, so that a client need not write them twice in the same
    /// way.
    pub(super) fn new(
        method: &str,
        target: &str,
        arguments: Option<RawJsonRef<'_>>,
        principal: Option<&str>,
    ) -> Self {
        let arguments = arguments.map(|raw| raw.read::<serde_json::Value>().unwrap_or_default());
        let parts: [&dyn Encode; 4] = [&method, &target, &arguments, &principal];
        Self(RawJson::encode(&&parts[..]).get().to_owned())
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
