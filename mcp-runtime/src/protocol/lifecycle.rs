//! State of a connection, for both sides.

use std::sync::Arc;

use mcp_types::ClientCapabilities;

use super::{LifecycleState, Negotiated};
use crate::error::RequestError;

/// A connection in its lifecycle. `C` is the peer's type of capabilities.
#[derive(Debug)]
pub(crate) struct Lifecycle<C = ClientCapabilities> {
    pub(crate) state: LifecycleState,
    /// The outcome of the negotiation, until the connection shuts down.
    pub(crate) negotiated: Option<Arc<Negotiated<C>>>,
}

impl<C> Lifecycle<C> {
    pub(crate) fn new() -> Self {
        Self {
            state: LifecycleState::Uninitialized,
            negotiated: None,
        }
    }

    /// Enters `state`, if the connection is in one of `from`. Returns whether it was.
    pub(super) fn step(&mut self, from: &[LifecycleState], state: LifecycleState) -> bool {
        let is_due = from.contains(&self.state);
        if is_due {
            self.state = state;
        }
        is_due
    }

    /// Notes that all that follows the handshake is done.
    pub(crate) fn operate(&mut self) {
        self.step(&[LifecycleState::Initialized], LifecycleState::Operating);
    }

    /// Checks that the negotiated revision has batches.
    ///
    /// # Errors
    ///
    /// When it has none, or no revision is negotiated.
    pub(crate) fn accepts_batches(&self) -> Result<(), RequestError> {
        let negotiated = self.negotiated.as_ref();
        match negotiated.map(|negotiated| negotiated.revision) {
            Some(revision) if revision.has_batches() => Ok(()),
            Some(revision) => Err(RequestError::NoBatches(format!("revision {revision}"))),
            None => Err(RequestError::BatchBeforeHandshake(self.state)),
        }
    }

    /// Refuses new requests from here on.
    pub(crate) fn shut_down(&mut self) {
        self.state = self.state.max(LifecycleState::ShuttingDown);
        self.negotiated = None;
    }

    /// Notes that the connection is over.
    pub(crate) fn terminate(&mut self) {
        self.state = LifecycleState::Terminated;
        self.negotiated = None;
    }
}

/// The tables of `docs/lifecycle.md`, as they follow from the code.
#[cfg(test)]
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
