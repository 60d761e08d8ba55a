//! States of a connection.

use std::fmt;

use mcp_types::Revision;

use crate::error::RequestError;

/// State of a connection in its lifecycle.
///
/// A handshake-era connection passes through all of them in order; a stateless one is served
/// without leaving [`Uninitialized`](Self::Uninitialized) until it shuts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LifecycleState {
    /// Nothing was agreed on. The handshake era allows only `initialize` and `ping`; a stateless
    /// request brings its own version and capabilities and is served.
    Uninitialized,
    /// `initialize` was sent or answered; only `ping`, and log messages from the server, may pass.
    Initializing,
    /// The `notifications/initialized` notification has passed.
    Initialized,
    /// Everything that was negotiated is allowed.
    Operating,
    /// No new calls; those in flight finish or are cancelled.
    ShuttingDown,
    /// Everything is released.
    Terminated,
}

impl fmt::Display for LifecycleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uninitialized => "uninitialized",
            Self::Initializing => "initializing",
            Self::Initialized => "initialized",
            Self::Operating => "operating",
            Self::ShuttingDown => "shutting down",
            Self::Terminated => "terminated",
        })
    }
}

/// Checks that a connection in `state`, which has negotiated `revision`, has batches.
pub(super) fn check_batches(
    revision: Option<Revision>,
    state: LifecycleState,
) -> Result<(), RequestError> {
    match revision {
        Some(revision) if revision.has_batches() => Ok(()),
        Some(revision) => Err(RequestError::NoBatches(revision)),
        None => Err(RequestError::BatchBeforeHandshake(state)),
    }
}

/// The tables of `docs/lifecycle.md`, as they follow from the code.
#[cfg(all(test, any(feature = "client", feature = "server")))]
pub(super) mod documented {
    use super::LifecycleState;

    const DOCUMENT: &str = include_str!("../../../docs/lifecycle.md");

    /// Checks that the document has the table of what comes of each event in each state: what is
    /// decided, in a word if there is anything to decide, and the state that follows.
    pub(in crate::protocol) fn assert_documented<E: Copy>(
        states: &[LifecycleState],
        events: &[(&str, E)],
        happen: impl Fn(LifecycleState, E) -> (String, LifecycleState),
    ) {
        let row = |name: &str, cells: Vec<String>| format!("| {name} | {} |", cells.join(" | "));
        let head = states.iter().map(ToString::to_string).collect();
        let mut rows = vec![row("event", head), "|---".repeat(states.len() + 1) + "|"];
        for (name, event) in events {
            let cells = states.iter().map(|state| {
                let (decision, after) = happen(*state, *event);
                cell(decision, *state, after)
            });
            rows.push(row(name, cells.collect()));
        }
        let table = rows.join("\n");
        assert!(
            DOCUMENT.contains(&table),
            "docs/lifecycle.md should contain:\n{table}"
        );
    }

    fn cell(decision: String, before: LifecycleState, after: LifecycleState) -> String {
        match (decision.as_str(), before == after) {
            ("", true) => "ignored".to_owned(),
            ("", false) => format!("→ {after}"),
            (_, true) => decision,
            (_, false) => format!("{decision}, → {after}"),
        }
    }
}
