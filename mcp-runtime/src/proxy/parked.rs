//! Calls of stateless clients whose questions have not been answered yet.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{OrderedMap, RawJson, RawJsonRef};
use serde_json::Value;
use tokio::time::sleep;

use crate::limits::{MAX_PARKED_CALLS, PARKED_CALL};
use crate::server::Context;
use crate::sync::lock;

/// Calls that wait for the answers of their clients. Each has a ticket, which is good once.
pub(super) struct Parked<T> {
    calls: Mutex<Tickets<T>>,
    secret: RandomState,
    second_secret: RandomState,
}

struct Tickets<T> {
    last: u64,
    /// The oldest first.
    calls: VecDeque<(String, u64, T)>,
}

impl<T> Default for Parked<T> {
    fn default() -> Self {
        let calls = VecDeque::new();
        Self {
            calls: Mutex::new(Tickets { last: 0, calls }),
            secret: RandomState::new(),
            second_secret: RandomState::new(),
        }
    }
}

impl<T: Send + 'static> Parked<T> {
    /// Hashes everything that a ticket is bound to: the server, the method, the parameters without the
    /// answers, and the caller.
    pub(super) fn binding(
        &self,
        server: usize,
        method: &str,
        params: RawJsonRef<'_>,
        context: &Context,
    ) -> u64 {
        let mut members: BTreeMap<String, RawJson> = params.parse().unwrap_or_default();
        members.retain(|name, _| !matches!(&**name, "_meta" | "inputResponses" | "requestState"));
        let values = members.values().map(|value| {
            // A retry may write the same value in another way. A number that is too large for a
            // `Value` keeps its text.
            let Ok(mut parsed) = value.parse::<Value>() else {
                return value.to_string();
            };
            parsed.sort_all_objects();
            parsed.to_string()
        });
        let values: Vec<_> = values.collect();
        let names: Vec<_> = members.keys().collect();
        let principal = context.principal();
        self.secret
            .hash_one((server, method, names, values, principal))
    }

    /// Keeps a call, and returns its ticket. If too many calls wait, the oldest is cancelled.
    pub(super) fn park(self: &Arc<Self>, binding: u64, call: T) -> String {
        let mut tickets = lock(&self.calls);
        tickets.last += 1;
        let number = tickets.last;
        let ticket = format!(
            "{:016x}{:016x}",
            self.secret.hash_one(number),
            self.second_secret.hash_one(number)
        );
        tickets.calls.push_back((ticket.clone(), binding, call));
        let oldest = (tickets.calls.len() > MAX_PARKED_CALLS).then(|| tickets.calls.pop_front());
        drop(tickets);
        drop(oldest);
        tokio::spawn(expire(Arc::downgrade(self), ticket.clone()));
        ticket
    }

    /// Takes the call with this ticket, if it is bound to `binding`.
    pub(super) fn take(&self, ticket: &str, binding: u64) -> Option<T> {
        let mut tickets = lock(&self.calls);
        let is_it = |(it, bound, _): &(String, u64, _)| it == ticket && *bound == binding;
        let place = tickets.calls.iter().position(is_it)?;
        tickets.calls.remove(place).map(|(_, _, call)| call)
    }

    fn remove(&self, ticket: &str) {
        let mut tickets = lock(&self.calls);
        let place = tickets.calls.iter().position(|it| it.0 == ticket);
        let expired = place.and_then(|place| tickets.calls.remove(place));
        drop(tickets);
        drop(expired);
    }

    pub(super) fn clear(&self) {
        let calls = std::mem::take(&mut lock(&self.calls).calls);
        drop(calls);
    }
}

async fn expire<T: Send + 'static>(parked: Weak<Parked<T>>, ticket: String) {
    sleep(PARKED_CALL).await;
    if let Some(parked) = parked.upgrade() {
        parked.remove(&ticket);
    }
}

/// The answers of a caller, by the keys of the questions.
pub(super) fn responses(params: RawJsonRef<'_>) -> OrderedMap<RawJson> {
    let responses = params.member("inputResponses");
    responses
        .and_then(|responses| responses.parse().ok())
        .unwrap_or_default()
}
