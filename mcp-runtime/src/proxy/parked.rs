//! Calls of stateless clients whose questions have not been answered yet.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_types::{RawJson, RawJsonRef};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::asking::Asking;
use crate::limits::{MAX_PARKED_CALLS, PARKED_CALL};
use crate::server::Context;
use crate::sync::lock;

/// Calls that wait for the answers of their clients. Each has a ticket, which can be used once.
#[derive(Default)]
pub(super) struct Parked {
    /// The oldest first.
    calls: Mutex<VecDeque<ParkedCall>>,
    last: AtomicU64,
    secret: RandomState,
}

struct ParkedCall {
    ticket: String,
    binding: u64,
    call: Asking,
    /// Ends the wait. Aborted when the call is taken.
    _expiry: JoinSet<()>,
}

impl Parked {
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
        let members: Vec<_> = members.keys().zip(values).collect();
        let caller = context.principal();
        self.secret.hash_one((server, method, members, caller))
    }

    /// Keeps a call, and returns its ticket. If too many calls wait, the oldest is cancelled.
    pub(super) fn park(self: &Arc<Self>, binding: u64, call: Asking) -> String {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let half = |half: u8| self.secret.hash_one((number, half));
        let ticket = format!("{:016x}{:016x}", half(0), half(1));
        let parked = Arc::downgrade(self);
        let expired = ticket.clone();
        let mut expiry = JoinSet::new();
        expiry.spawn(async move {
            sleep(PARKED_CALL).await;
            if let Some(parked) = parked.upgrade() {
                parked.remove(|it| it.ticket == expired);
            }
        });
        let mut calls = lock(&self.calls);
        calls.push_back(ParkedCall {
            ticket: ticket.clone(),
            binding,
            call,
            _expiry: expiry,
        });
        let oldest = (calls.len() > MAX_PARKED_CALLS).then(|| calls.pop_front());
        drop(calls);
        drop(oldest);
        ticket
    }

    /// Takes the call with this ticket, if it is bound to `binding`.
    pub(super) fn take(&self, ticket: &str, binding: u64) -> Option<Asking> {
        self.remove(|it| it.ticket == ticket && it.binding == binding)
    }

    fn remove(&self, is_it: impl Fn(&ParkedCall) -> bool) -> Option<Asking> {
        let mut calls = lock(&self.calls);
        let place = calls.iter().position(is_it)?;
        calls.remove(place).map(|parked| parked.call)
    }

    pub(super) fn clear(&self) {
        let calls = std::mem::take(&mut *lock(&self.calls));
        drop(calls);
    }
}
