//! The state that all requests to one server share, and its limits for each caller and for all
//! callers together: calls that wait for their handlers, subscriptions, and bytes of request
//! bodies.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once};

use http::request::Parts;
use mcp_types::jsonrpc::ErrorObject;
use tokio::sync::{oneshot, watch};

use super::options::HttpOptions;
use super::unread::{Budget, Unread};
use crate::connection::BoxFuture;
use crate::error::{Rejection, RequestError};
use crate::limits::{BODY_SHARES, FOREVER};
use crate::log::OnceAMinute;
use crate::protocol::{LastNegotiated, NamedRevision, ServerLifecycle};
use crate::server::{Answer, Principal, Server, Session};
use crate::sync::lock;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::session::{HttpSession, Replicas, SessionId, Sessions};

#[derive(Clone)]
pub(crate) struct ConnectionInfo {
    /// `None` if another program has accepted the connection.
    pub(crate) peer_addr: Option<SocketAddr>,
    pub(crate) unread: Arc<Unread>,
    /// The outcome of the last stateless request on the connection.
    pub(crate) negotiated: Option<Arc<Mutex<LastNegotiated>>>,
}

/// The address that a request comes from, for policies that limit unknown callers.
///
/// Requests for the [endpoints](crate::transport::http::AccessPolicy::respond) of a policy have it
/// in their extensions, if the server itself has accepted the connection. A program that
/// [mounts](crate::transport::http::http_service) the server may insert it, for example with the
/// address that a trusted proxy reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// A request without its body.
pub(crate) struct Arrival {
    pub(crate) parts: Box<Parts>,
    /// `None` if another program has accepted the connection.
    pub(crate) peer_addr: Option<SocketAddr>,
}

impl Arrival {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get()
    }
}

/// The state that all requests to one server share.
pub(crate) struct HttpState {
    pub(crate) server: Server,
    pub(crate) options: HttpOptions,
    pub(crate) sessions: Arc<Sessions>,
    /// The other replicas of the server, if there is a bus.
    pub(crate) replicas: Option<Arc<Replicas>>,
    /// Limits the warnings about a store that is unavailable.
    pub(crate) outages: OnceAMinute,
    /// Calls that wait for their handlers.
    pub(crate) permits: Arc<Permits>,
    /// Open subscriptions.
    pub(crate) open: Arc<Permits>,
    /// Bytes of request bodies that are being received.
    pub(crate) bodies: Arc<Permits>,
    unread: Arc<Budget>,
    /// The session of all stateless requests. They share nothing except the end of the server.
    pub(crate) stateless: Arc<Session>,
    /// True if no requests are accepted, because the server is ending or has not started.
    pub(crate) ending: watch::Sender<bool>,
    /// True once calls in flight have run out of time.
    pub(crate) terminated: watch::Sender<bool>,
    /// True once no more calls may begin, even for requests that arrived earlier.
    pub(crate) is_over: AtomicBool,
    /// Held while the service starts.
    pub(crate) starting: tokio::sync::Mutex<()>,
    pub(crate) has_started: AtomicBool,
    /// Set once it was logged that the service has not been started.
    unstarted: Once,
}

impl HttpState {
    /// Creates the state. The server accepts requests immediately if it `has_started`.
    pub(crate) fn new(server: Server, options: HttpOptions, has_started: bool) -> Self {
        Self {
            sessions: Arc::new(Sessions::new(
                options.max_sessions,
                options.session_idle,
                Arc::clone(&options.store),
            )),
            replicas: options.bus.clone().map(|bus| Arc::new(Replicas::new(bus))),
            outages: OnceAMinute::default(),
            permits: Permits::new(options.limits.max_in_flight, options.max_calls),
            open: Permits::new(options.max_subscriptions, options.max_subscriptions),
            bodies: Permits::new(
                (options.max_buffered_body_bytes / BODY_SHARES).max(options.max_body_bytes),
                options.max_buffered_body_bytes.max(options.max_body_bytes),
            ),
            unread: Arc::new(Budget::new(options.max_unread_bytes_total)),
            stateless: server.session(),
            server,
            options,
            ending: watch::Sender::new(!has_started),
            terminated: watch::Sender::new(false),
            is_over: AtomicBool::new(false),
            starting: tokio::sync::Mutex::default(),
            has_started: AtomicBool::new(has_started),
            unstarted: Once::new(),
        }
    }

    /// Returns a session for a single request to a server without sessions.
    pub(crate) fn passing_session(&self, named: NamedRevision) -> Arc<HttpSession> {
        let lifecycle = ServerLifecycle::without_handshake(named, self.server.rules().clone());
        let id = SessionId::new(0);
        let standalone = Stream::new(0, None);
        let role = (&self.server, lifecycle);
        let limits = self.options.limits;
        Arc::new(HttpSession::new(id, None, role, limits, standalone, None))
    }

    pub(crate) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    pub(crate) fn refusal(&self) -> Rejection {
        if self.has_started.load(Ordering::Relaxed) {
            return Rejection::Ending;
        }
        if self.starting.try_lock().is_ok() {
            self.unstarted.call_once(|| {
                crate::log::error!(
                    "requests are refused because the service was not started: await `start()` of the \
                     `HttpService` before the program serves (this is logged once)"
                );
            });
        }
        Rejection::NotStarted
    }

    /// Waits until no call is in flight, no subscription is open, and no WebSocket is connected.
    pub(crate) async fn idle(&self) {
        self.permits.idle().await;
        self.open.idle().await;
        self.ending.closed().await;
    }

    /// Runs `handler`, but ends it with an error once calls in flight have run out of time.
    pub(crate) fn unless_terminated(
        &self,
        handler: BoxFuture<Result<Answer, ErrorObject>>,
    ) -> BoxFuture<Result<Answer, ErrorObject>> {
        let mut terminated = self.terminated.subscribe();
        Box::pin(async move {
            tokio::select! {
                biased;
                outcome = handler => outcome,
                _ = terminated.wait_for(|terminated| *terminated) => {
                    Err(RequestError::ShuttingDown.to_error())
                }
            }
        })
    }

    /// Returns a counter of unread bytes with its own limit, which also respects the limit for all
    /// clients.
    pub(crate) fn unread(&self, limit: usize) -> Arc<Unread> {
        Unread::new(limit, Arc::clone(&self.unread))
    }

    /// Waits until a client's unread bytes leave room for another answer.
    ///
    /// # Errors
    ///
    /// When that takes longer than twice the write timeout, or the server ends.
    pub(crate) async fn room(&self, unread: &Unread) -> Result<(), Rejection> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Rejection::Ending);
        }
        if unread.has_room() {
            return Ok(());
        }
        let mut ending = self.ending.subscribe();
        // Connections whose client does not read are closed earlier.
        let at_most = self.options.limits.write.saturating_mul(2).min(FOREVER);
        tokio::select! {
            () = unread.room() => Ok(()),
            () = tokio::time::sleep(at_most) => Err(Rejection::Unread),
            _ = ending.wait_for(|ending| *ending) => Err(Rejection::Ending),
        }
    }
}

/// Limits the use of a resource by each caller and by all callers together.
#[derive(Debug)]
pub(crate) struct Permits {
    /// The limit for each caller.
    limit: usize,
    /// The limit for all callers together.
    total: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    by_caller: HashMap<PermitOwner, usize>,
    total: usize,
    /// Dropped when the resource is no longer used.
    idle: Option<oneshot::Sender<()>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PermitOwner {
    Principal(Principal),
    /// An unknown caller at the other end of a connection.
    Connection(SocketAddr),
}

/// The use of a resource by one call or request, which ends when this is dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    /// `None` for a caller without identity and address.
    caller: Option<PermitOwner>,
    amount: usize,
}

impl Permits {
    pub(crate) fn new(limit: usize, total: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total,
            used: Mutex::default(),
        })
    }

    /// Waits until the resource is not used. Only the most recent waiter is notified.
    async fn idle(&self) {
        let (idle, waits) = oneshot::channel();
        {
            let mut used = self.lock();
            used.idle = (used.total > 0).then_some(idle);
        }
        // The sender is never used, only dropped.
        let _ = waits.await;
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns a permit for one more use, unless a limit is reached. Callers without identity and
    /// address are only limited together.
    pub(crate) fn take(self: &Arc<Self>, arrival: &Arrival) -> Option<Permit> {
        let mut permit = self.none(arrival);
        permit.grow(1).then_some(permit)
    }

    /// Returns a permit for nothing yet, which can grow.
    pub(crate) fn none(self: &Arc<Self>, arrival: &Arrival) -> Permit {
        self.unused(arrival.principal(), arrival.peer_addr)
    }

    /// Returns a permit for nothing yet, for a caller with this principal and address.
    pub(crate) fn unused(
        self: &Arc<Self>,
        principal: Option<&Principal>,
        peer_addr: Option<SocketAddr>,
    ) -> Permit {
        let principal = principal.cloned().map(PermitOwner::Principal);
        Permit {
            permits: Arc::clone(self),
            caller: principal.or_else(|| peer_addr.map(PermitOwner::Connection)),
            amount: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        lock(&self.used)
    }
}

impl Permit {
    /// Adds `more` to the permit. Returns false, and changes nothing, if that would exceed a limit.
    pub(crate) fn grow(&mut self, more: usize) -> bool {
        let permits = &self.permits;
        let mut used = permits.lock();
        let total = used.total.saturating_add(more);
        if total > permits.total {
            return false;
        }
        if let Some(caller) = &self.caller {
            let own = used.by_caller.get(caller).copied().unwrap_or(0);
            let own = own.saturating_add(more);
            if own > permits.limit {
                return false;
            }
            used.by_caller.insert(caller.clone(), own);
        }
        used.total = total;
        self.amount += more;
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let used = &mut *self.permits.lock();
        used.total -= self.amount;
        if used.total == 0 {
            used.idle = None;
        }
        if let Some(caller) = &self.caller
            && let Some(own) = used.by_caller.get_mut(caller)
        {
            *own -= self.amount;
            if *own == 0 {
                used.by_caller.remove(caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(principal: Option<&str>, port: Option<u16>) -> Arrival {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        if let Some(name) = principal {
            parts.extensions.insert(Principal::new(name));
        }
        let peer_addr = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        Arrival {
            parts: Box::new(parts),
            peer_addr,
        }
    }

    fn is_unused(permits: &Permits) -> bool {
        let used = permits.lock();
        used.total == 0 && used.by_caller.is_empty()
    }

    #[test]
    fn places_are_counted_for_each_caller() {
        let permits = Permits::new(1, 100);
        for (one, other) in [
            (arrival(Some("ann"), Some(1)), arrival(Some("bob"), Some(1))),
            (arrival(None, Some(1)), arrival(None, Some(2))),
        ] {
            let held = permits.take(&one);
            assert!(held.is_some());
            assert!(permits.take(&one).is_none());
            assert!(permits.take(&other).is_some());
            drop(held);
            assert!(is_unused(&permits));
            assert!(permits.take(&one).is_some());
        }
    }

    #[test]
    fn a_permit_grows_within_the_limits() {
        let permits = Permits::new(10, 15);
        let mut ann = permits.none(&arrival(Some("ann"), None));
        assert!(ann.grow(4) && ann.grow(6));
        assert!(!ann.grow(1), "a caller may use ten");
        let mut bob = permits.none(&arrival(Some("bob"), None));
        assert!(!bob.grow(6), "all callers together may use fifteen");
        assert!(bob.grow(5));
        drop(ann);
        assert!(bob.grow(5));
        drop(bob);
        assert!(is_unused(&permits));
    }

    #[test]
    fn all_places_together_are_limited() {
        let permits = Permits::new(1, 2);
        let unknown = arrival(None, None);
        let held = (permits.take(&unknown), permits.take(&unknown));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(permits.take(&arrival(Some("ann"), None)).is_none());
        drop(held);
        assert!(is_unused(&permits));
    }
}
