//! The state of a connection, for both sides.

use std::sync::Arc;

use mcp_types::ClientCapabilities;

use super::{LifecycleState, Negotiated};
use crate::error::RequestError;

/// The lifecycle of a connection. `C` is the type of the peer's capabilities.
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

    /// Enters `state` if the connection is in one of the states `from`. Returns true if it was.
    pub(super) fn step(&mut self, from: &[LifecycleState], state: LifecycleState) -> bool {
        let is_due = from.contains(&self.state);
        if is_due {
            self.state = state;
        }
        is_due
    }

    /// Records that the steps after the handshake are done.
    pub(crate) fn operate(&mut self) {
        self.step(&[LifecycleState::Initialized], LifecycleState::Operating);
    }

    /// Checks that the negotiated revision has batches.
    ///
    /// # Errors
    ///
    /// When the revision does not have batches, or no revision is negotiated.
    pub(crate) fn accepts_batches(&self) -> Result<(), RequestError> {
        let negotiated = self.negotiated.as_ref();
        match negotiated.map(|negotiated| negotiated.revision) {
            Some(revision) if revision.has_batches() => Ok(()),
            Some(revision) => Err(RequestError::NoBatches(format!("revision {revision}"))),
            None => Err(RequestError::BatchBeforeHandshake(self.state)),
        }
    }

    /// Refuses new requests from now on.
    pub(crate) fn shut_down(&mut self) {
        self.state = self.state.max(LifecycleState::ShuttingDown);
        self.negotiated = None;
    }

    pub(crate) fn terminate(&mut self) {
        self.state = LifecycleState::Terminated;
        self.negotiated = None;
    }
}

/// Checks the tables and diagrams of `docs/lifecycle.md` against the code.
#[cfg(test)]
pub(super) mod documented {
    use super::LifecycleState;

    const DOCUMENT: &str = include_str!("../../../docs/lifecycle.md");

    /// Checks that the document has a table with the effect of each event in each state: the
    /// decision, if there is one, and the next state. The document must also have a diagram of the
    /// events that change the state.
    pub(in crate::protocol) fn assert_documented<E: Copy>(
        states: &[LifecycleState],
        events: &[(&str, E)],
        happen: impl Fn(LifecycleState, E) -> (String, LifecycleState),
    ) {
        let row = |name: &str, cells: Vec<String>| format!("| {name} | {} |", cells.join(" | "));
        let head = states.iter().map(ToString::to_string).collect();
        let mut rows = vec![row("event", head), "|---".repeat(states.len() + 1) + "|"];
        let mut arrows = Vec::new();
        for (name, event) in events {
            let cells = states.iter().map(|state| {
                let (decision, after) = happen(*state, *event);
                cell(decision, *state, after)
            });
            rows.push(row(name, cells.collect()));
            arrows.extend(arrows_of(name, states, |state| happen(state, *event).1));
        }
        let diagram = format!(
            "```mermaid\nstateDiagram-v2\n    state \"shutting down\" as shutting_down\n    \
             [*] --> uninitialized\n{}    terminated --> [*]\n```",
            arrows.concat()
        );
        for part in [rows.join("\n"), diagram] {
            assert!(
                DOCUMENT.contains(&part),
                "docs/lifecycle.md should contain:\n{part}"
            );
        }
    }

    /// Draws the arrows of an event. If more than two states lead to the same state, only the last
    /// of them gets an arrow, to keep the diagram readable.
    fn arrows_of(
        event: &str,
        states: &[LifecycleState],
        after: impl Fn(LifecycleState) -> LifecycleState,
    ) -> Vec<String> {
        let moves = states.iter().map(|state| (*state, after(*state)));
        let moves: Vec<_> = moves.filter(|(before, after)| before != after).collect();
        let skipped = if moves.len() > 2 { moves.len() - 1 } else { 0 };
        let id = |state: LifecycleState| state.to_string().replace(' ', "_");
        let arrow = |(before, after)| {
            let event = event.replace('`', "");
            format!("    {} --> {}: {event}\n", id(before), id(after))
        };
        moves.into_iter().skip(skipped).map(arrow).collect()
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
