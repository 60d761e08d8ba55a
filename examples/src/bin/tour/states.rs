//! The lifecycle states that a client passes through.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_runtime::LifecycleState;
use mcp_runtime::client::Status;

/// The states since the last call of `take`, in the order in which the client reached them.
#[derive(Default)]
pub(crate) struct States(Arc<Mutex<Vec<LifecycleState>>>);

impl States {
    /// Returns a callback that records each new status.
    pub(crate) fn observer(&self) -> impl Fn(Status) + Send + Sync + 'static {
        let states = Arc::clone(&self.0);
        move |status| {
            let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
            if states.last() != Some(&status.lifecycle) {
                states.push(status.lifecycle);
            }
        }
    }

    pub(crate) fn take(&self) -> Vec<LifecycleState> {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = states.clone();
        // Keep the last state, because the next status may repeat it.
        let last = states.len().saturating_sub(1);
        states.drain(..last);
        taken
    }
}

pub(crate) fn path(states: &[LifecycleState]) -> String {
    let names: Vec<_> = states.iter().map(ToString::to_string).collect();
    names.join(" → ")
}
