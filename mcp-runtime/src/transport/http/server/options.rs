//! Options of an HTTP server: allowed callers, limits, timeouts, and stores.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::policy::{AccessPolicy, Policy};
use crate::connection::Limits;
use crate::error::ServeError;
use crate::limits::{
    AUTH_TIMEOUT, BODY_TIMEOUT, MAX_BODY_BYTES, MAX_BUFFERED_BODY_BYTES, MAX_CALLS,
    MAX_HTTP_SUBSCRIPTIONS, MAX_SESSIONS, MAX_UNREAD_BYTES, MAX_UNREAD_BYTES_TOTAL, SESSION_IDLE,
    STREAM_KEEP_ALIVE,
};
use crate::log::Once;
use crate::store::{Bus, KeyValue, MemoryKeyValue};
use crate::transport::http::exchange::events::{EventStore, MemoryEventStore};
use crate::transport::http::headers::{is_host, is_origin};

/// Options of an HTTP server. The defaults are safe for a server on the user's own machine.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::transport::http::HttpOptions;
///
/// let options = HttpOptions::default()
///     .allowed_hosts(["mcp.example.com"])
///     .allowed_origins(["https://app.example.com"])
///     .session_idle(Duration::from_secs(600));
/// # drop(options);
/// ```
#[derive(Clone)]
#[must_use]
pub struct HttpOptions {
    /// The limits of one session, and the write timeout.
    pub(crate) limits: Limits,
    pub(crate) hosts: Option<HashSet<String>>,
    pub(crate) origins: HashSet<String>,
    pub(crate) policy: Policy,
    pub(crate) refusals: Arc<RefusalLog>,
    pub(crate) auth_timeout: Duration,
    pub(crate) max_body_bytes: usize,
    pub(crate) max_buffered_body_bytes: usize,
    pub(crate) max_unread_bytes: usize,
    pub(crate) max_unread_bytes_total: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) keep_alive: Duration,
    pub(crate) max_calls: usize,
    pub(crate) max_subscriptions: usize,
    pub(crate) sessions: bool,
    pub(crate) max_sessions: usize,
    pub(crate) session_idle: Duration,
    pub(crate) store: Arc<dyn KeyValue>,
    pub(crate) events: Arc<dyn EventStore>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
}

/// The kinds of refusals that have been logged.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    pub(crate) host: Once,
    pub(crate) origin: Once,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            limits: Limits {
                max_batch_bytes: MAX_UNREAD_BYTES,
                ..Limits::default()
            },
            hosts: Some(HashSet::new()),
            origins: HashSet::new(),
            policy: Policy::default(),
            refusals: Arc::default(),
            auth_timeout: AUTH_TIMEOUT,
            max_body_bytes: MAX_BODY_BYTES,
            max_buffered_body_bytes: MAX_BUFFERED_BODY_BYTES,
            max_unread_bytes: MAX_UNREAD_BYTES,
            max_unread_bytes_total: MAX_UNREAD_BYTES_TOTAL,
            body_timeout: BODY_TIMEOUT,
            keep_alive: STREAM_KEEP_ALIVE,
            max_calls: MAX_CALLS,
            max_subscriptions: MAX_HTTP_SUBSCRIPTIONS,
            sessions: true,
            max_sessions: MAX_SESSIONS,
            session_idle: SESSION_IDLE,
            store: Arc::new(MemoryKeyValue::new()),
            events: Arc::new(MemoryEventStore::new()),
            bus: None,
        }
    }
}

impl HttpOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds names under which the server may be reached, without port. The names of the local
    /// machine and the hosts that the [policy](Self::auth) allows ([`AccessPolicy::allows_host`])
    /// are always allowed. Requests for any other host are refused, so that a web page can't reach
    /// a local server by rebinding its own name.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let hosts = hosts.into_iter();
        let hosts = hosts.map(|host| host.into().to_ascii_lowercase());
        self.hosts.get_or_insert_default().extend(hosts);
        self
    }

    /// Serves requests for any host. Use this behind a proxy that has checked the host.
    pub fn any_host(mut self) -> Self {
        self.hosts = None;
        self
    }

    /// Adds origins whose pages may call the server, such as `https://app.example.com`. Origins of
    /// the local machine are always allowed. Pages of the added origins may also read the answers
    /// with all headers (CORS).
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let origins = origins.into_iter();
        let origins = origins.map(|origin| origin.into().to_ascii_lowercase());
        self.origins.extend(origins);
        self
    }

    /// Sets who may call; by default everyone whose host and origin are allowed. A later policy
    /// replaces an earlier one.
    pub fn auth(mut self, policy: impl AccessPolicy) -> Self {
        self.policy = Policy::new(policy);
        self
    }

    /// Checks all settings before requests arrive. `path` is the path of MCP, if it is known.
    ///
    /// # Errors
    ///
    /// [`ServeError::Setting`], for the first setting that can never work.
    pub(crate) fn check(&self, path: Option<&str>) -> Result<(), ServeError> {
        self.limits.check()?;
        ServeError::check([
            ("auth_timeout", self.auth_timeout.is_zero()),
            ("max_body_bytes", self.max_body_bytes == 0),
            ("max_unread_bytes", self.max_unread_bytes == 0),
            ("max_unread_bytes_total", self.max_unread_bytes_total == 0),
            ("body_timeout", self.body_timeout.is_zero()),
            ("keep_alive", self.keep_alive.is_zero()),
            ("max_calls", self.max_calls == 0),
            ("session_idle", self.session_idle.is_zero()),
            ("max_sessions", self.sessions && self.max_sessions == 0),
        ])?;
        let mut hosts = self.hosts.iter().flatten();
        let host = hosts.find(|host| !is_host(host));
        let origin = self.origins.iter().find(|origin| !is_origin(origin));
        let host = host.map(|host| ("allowed_hosts", host, "mcp.example.com"));
        let origin = origin.map(|it| ("allowed_origins", it, "https://app.example.com"));
        if let Some((name, value, example)) = host.or(origin) {
            let reason = format!("no request can have {value:?}: write it like `{example}`");
            return Err(ServeError::setting(name, reason));
        }
        self.policy.start(path)
    }

    /// Sets how long the [policy](Self::auth) may take to decide about a request; 10 seconds by
    /// default. Then the request is refused with 503 and `Retry-After`.
    pub fn auth_timeout(mut self, timeout: Duration) -> Self {
        self.auth_timeout = timeout;
        self
    }

    /// Sets the length of the longest accepted message in bytes; 4 MiB by default. A longer message
    /// is refused with 413, immediately if its `Content-Length` reveals the length, and the
    /// connection is closed.
    pub fn max_body_bytes(mut self, limit: usize) -> Self {
        self.max_body_bytes = limit;
        self
    }

    /// Sets how many bytes of request bodies may be in memory while they are received; 64 MiB by
    /// default, and never less than one body of [`max_body_bytes`](Self::max_body_bytes). Only
    /// received bytes count, and the first 16 KiB of each body are free. A principal, or a
    /// connection without a known principal, may use an eighth of the limit, but at least one body.
    /// A request beyond the limit is refused with 503 and `Retry-After`.
    pub fn max_buffered_body_bytes(mut self, limit: usize) -> Self {
        self.max_buffered_body_bytes = limit;
        self
    }

    /// Sets how many bytes of answers one connection may leave unread; 24 MiB by default. Above the
    /// limit, new calls on the connection wait, at most for twice the
    /// [`write_timeout`](Self::write_timeout), and are then refused with 503. Calls that have begun
    /// are answered unless their answer exceeds twice the limit while other answers are unread;
    /// such an answer becomes the error -32603. A [mounted](crate::transport::http::http_service)
    /// service can't tell connections apart, so only the limit for
    /// [all](Self::max_unread_bytes_total) connections applies.
    pub fn max_unread_bytes(mut self, limit: usize) -> Self {
        self.max_unread_bytes = limit;
        self.limits.max_batch_bytes = limit;
        self
    }

    /// Sets how many bytes of answers all connections together may leave unread; 256 MiB by
    /// default. Above the limit calls wait, and above twice the limit answers become errors, as for
    /// the [limit of a connection](Self::max_unread_bytes).
    pub fn max_unread_bytes_total(mut self, limit: usize) -> Self {
        self.max_unread_bytes_total = limit;
        self
    }

    /// Sets how deeply the JSON of a message may nest; 128 levels by default.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.limits.max_depth = levels;
        self
    }

    /// Sets how long the body of a request may take to arrive; 30 seconds by default.
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.body_timeout = timeout;
        self
    }

    /// Sets how long a stream may be silent before a comment is sent to keep proxies from closing
    /// it; 15 seconds by default.
    pub fn keep_alive(mut self, period: Duration) -> Self {
        self.keep_alive = period;
        self
    }

    /// Sets how long clients may leave messages unread once the network accepts no more; 60 seconds
    /// by default. After that time, or up to a quarter of it later, a stream ends as if its
    /// connection had been closed; its call is cancelled if the client could not fetch the answer
    /// later. A server with its own listener closes a connection whose oldest answer has not moved
    /// for that long, over HTTP/2 even if other answers do. For a
    /// [mounted](crate::transport::http::http_service) service, closing connections is up to the
    /// program.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.limits.write = timeout;
        self
    }

    /// Sets how long the calls in flight may continue once a
    /// [mounted](crate::transport::http::http_service) service shuts down, or one of its WebSockets
    /// ends; 10 seconds by default. For a server with its own listener,
    /// [`Serve::drain_timeout`](crate::server::Serve::drain_timeout) sets it.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.limits.drain = timeout;
        self
    }

    /// Sets how many calls of one session and of one principal may wait for their handlers at the
    /// same time; 256 by default. Another call is refused immediately, with 429. Unknown callers
    /// are counted by connection, if the server has its own listener.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.limits.max_in_flight = calls;
        self.limits.max_open = calls;
        self
    }

    /// Sets how many calls of all callers together may wait for their handlers; 10,000 by default.
    /// Another call is refused immediately, with 429.
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets how many subscriptions of all callers together may be open at the same time; 10,000 by
    /// default. Another subscription is refused immediately; 0 refuses all of them. Subscriptions
    /// are not counted as calls.
    pub fn max_subscriptions(mut self, subscriptions: usize) -> Self {
        self.max_subscriptions = subscriptions;
        self
    }

    /// Serves handshake-era clients without sessions, so that any process can serve any request.
    /// Requests are then independent of each other, the server can't ask the client anything, and
    /// streams can't be resumed.
    pub fn without_sessions(mut self) -> Self {
        self.sessions = false;
        self
    }

    /// Sets how many sessions this process may have open; 10,000 by default. Another session is
    /// refused with 503.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.max_sessions = sessions;
        self
    }

    /// Sets the time after which a session without requests and open streams ends; 30 minutes by
    /// default.
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.session_idle = idle;
        self
    }

    /// Sets the store of sessions; in memory by default. If several processes share a store, each
    /// can serve the requests of one session, and sessions outlive a process.
    ///
    /// The record of a session has its owner, its `initialize`, its log level and its subscriptions.
    /// Calls in flight, and questions to the client, stay in the process where they began. A shared
    /// [bus](Self::bus) carries the client's answers to it.
    ///
    /// While the store fails, requests of sessions are answered with 503 and `Retry-After`, and no
    /// session ends.
    pub fn store(mut self, store: impl KeyValue) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the bus over which the replicas of the server reach each other; none by default. All
    /// replicas also need the same [store](Self::store) and the same
    /// [`state_keys`](crate::ServerBuilder::state_keys).
    ///
    /// A change that one replica announces reaches the clients of all. Answers, cancellations and
    /// progress of a client reach the call that they concern, and the end of a session ends its
    /// calls and streams, in whichever replica they are. After messages may have been lost, clients
    /// get a notification of everything that they have subscribed to.
    pub fn bus(mut self, bus: impl Bus) -> Self {
        self.bus = Some(Arc::new(bus));
        self
    }

    /// Sets the store of events, from which clients resume streams after a lost connection. The
    /// default store is in memory and keeps at most 128 MiB for all sessions
    /// ([`MemoryEventStore::with_max_bytes`](crate::transport::http::MemoryEventStore::with_max_bytes)
    /// sets another limit).
    pub fn event_store(mut self, store: impl EventStore) -> Self {
        self.events = Arc::new(store);
        self
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("auth", &self.policy.is_set())
            .field("max_body_bytes", &self.max_body_bytes)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}
