//! Warnings about parts of the protocol that the specification deprecates (2026-07-28, "Deprecated
//! Features"). Public functions for them have the attribute `deprecated` with the same text.

use crate::log::Once;

/// A deprecated part of the protocol. Its use is logged once per process.
#[derive(Debug)]
pub(crate) struct Deprecation {
    message: &'static str,
    logged: Once,
}

pub(crate) static ROOTS: Deprecation = Deprecation::new(
    "roots are deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
     use arguments, resource URIs or the configuration of the server",
);

pub(crate) static SAMPLING: Deprecation = Deprecation::new(
    "sampling is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
     call the API of a model provider",
);

#[cfg(feature = "server")]
pub(crate) static LOGGING: Deprecation = Deprecation::new(
    "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from \
     2027-07-28 on: log to standard error, or use OpenTelemetry",
);

#[cfg(feature = "sse")]
pub(crate) static HTTP_SSE: Deprecation = Deprecation::new(
    "HTTP+SSE is deprecated since 2025-03-26 (SEP-2596), and may be removed three months after \
     SEP-2596 is final: use Streamable HTTP",
);

impl Deprecation {
    const fn new(message: &'static str) -> Self {
        Self {
            message,
            logged: Once::new(),
        }
    }

    pub(crate) fn warn(&self) {
        if self.logged.is_first() {
            crate::log::warn!("{}", self.message);
        }
    }
}
