//! A connection to a server behind a proxy.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{Era, ErrorObject, OrderedMap, RawJson, Revision, methods};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::names::Names;
use super::routes::{CallInFlight, Routes};
use super::to_error;
use crate::client::{Client, Reconnect, RelayConfig};
use crate::limits::PROXY_RECONNECT_PAUSE;
use crate::protocol::Change;
use crate::proxy::Upstream;
use crate::sync::lock;

/// A connection to a server. Dropping it closes the connection.
pub(super) struct ServerLink {
    pub(super) client: Client,
    pub(super) routes: Arc<Routes>,
    /// The hashes of the lists that callers have seen.
    lists: Mutex<BTreeMap<&'static str, u64>>,
    /// The tools whose output schemas are wrapped for clients with a handshake.
    pub(super) wrapped: Mutex<BTreeSet<String>>,
    /// The log level that was set last for a stateless caller.
    level: Mutex<Option<String>>,
    /// The permit for the connection, and the sign that it is open.
    held: Option<(OwnedSemaphorePermit, Open)>,
}

/// A sign that a connection is open: the channel ends when all connections are closed.
pub(super) type Open = mpsc::Sender<Infallible>;

const LISTS: [(&str, Change); 4] = [
    (methods::TOOLS_LIST, Change::Tools),
    (methods::PROMPTS_LIST, Change::Prompts),
    (methods::RESOURCES_LIST, Change::Resources),
    (methods::RESOURCES_TEMPLATES_LIST, Change::Resources),
];

impl ServerLink {
    /// Connects to a server for a caller with this introduction. `first` is the era to try first.
    ///
    /// # Errors
    ///
    /// The text of the error of the function that connects.
    pub(super) async fn open(
        upstream: &Upstream,
        names: Names,
        introduction: OrderedMap<RawJson>,
        first: Option<Era>,
        held: (OwnedSemaphorePermit, Open),
    ) -> Result<Arc<Self>, String> {
        let routes = Arc::new(Routes::new(names));
        let asked = Arc::clone(&routes);
        let notified = Arc::clone(&routes);
        let relay = RelayConfig {
            introduction,
            on_request: Box::new(move |method, params| asked.ask(method, params)),
            on_notification: Box::new(move |method, params| notified.notify(method, params)),
            opened: Mutex::default(),
        };
        let builder = Client::builder("mcp-proxy", env!("CARGO_PKG_VERSION"))
            // A server that works for minutes may not answer pings.
            .without_keep_alive()
            .reconnect(Reconnect {
                first_pause: PROXY_RECONNECT_PAUSE,
                ..Reconnect::default()
            })
            .relay(relay, first);
        let client = (upstream.connect)(builder).await;
        let link = Arc::new(Self {
            client: client.map_err(|error| error.to_string())?,
            routes,
            lists: Mutex::default(),
            wrapped: Mutex::default(),
            level: Mutex::default(),
            held: Some(held),
        });
        tokio::spawn(compare_lists(Arc::downgrade(&link)));
        Ok(link)
    }

    pub(super) fn revision(&self) -> Revision {
        self.client.revision()
    }

    pub(super) fn era(&self) -> Era {
        self.revision().era()
    }

    /// The result of `initialize` or `server/discover`.
    pub(super) fn opened(&self) -> RawJson {
        self.client.opened().unwrap_or_else(RawJson::empty_object)
    }

    /// Sends the request of a call as it is, and remembers the list that is its result.
    ///
    /// # Errors
    ///
    /// The error of the server, or the reason why there is no answer.
    pub(super) async fn send(
        &self,
        call: &CallInFlight,
        method: &str,
        params: &RawJson,
        meta: Option<&str>,
    ) -> Result<RawJson, ErrorObject> {
        let wants_progress = call.context().progress_token().is_some();
        let on_sent = |id| call.sent_as(id);
        let client = &self.client;
        let sending = client.relay(method, params, meta, wants_progress, on_sent);
        let result = sending.await.map_err(to_error)?;
        if let Some((list, _)) = LISTS.iter().find(|(list, _)| *list == method)
            && params.as_raw().member("cursor").is_none()
        {
            lock(&self.lists).insert(list, hash(&result));
        }
        Ok(result)
    }

    /// Sets the level of log messages, if the server has logging.
    pub(super) async fn set_level(&self, level: &str) {
        let has_logging = self.client.server_capabilities().logging.is_some();
        if !has_logging || lock(&self.level).as_deref() == Some(level) {
            return;
        }
        let params = RawJson::from(json!({"level": level}));
        let method = methods::LOGGING_SET_LEVEL;
        match self
            .client
            .relay(method, &params, None, false, |_| {})
            .await
        {
            Ok(_) => *lock(&self.level) = Some(level.to_owned()),
            Err(error) => tracing::debug!(%error, "the server does not set its log level"),
        }
    }
}

impl Drop for ServerLink {
    fn drop(&mut self) {
        let client = self.client.clone();
        let held = self.held.take();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                client.close().await;
                drop(held);
            });
        }
    }
}

/// After each reconnection, compares the lists that callers have seen with those of the server, and
/// announces changes.
async fn compare_lists(link: Weak<ServerLink>) {
    let Some(mut connections) = link.upgrade().map(|link| link.client.connections()) else {
        return;
    };
    while connections.next().await {
        let Some(link) = link.upgrade() else { return };
        let seen = lock(&link.lists).clone();
        for (list, before) in seen {
            let params = RawJson::empty_object();
            let listed = link.client.relay(list, &params, None, false, |_| {}).await;
            let Ok(result) = listed else { continue };
            let now = hash(&result);
            lock(&link.lists).insert(list, now);
            if now != before {
                let changed = LISTS.iter().find(|it| it.0 == list);
                for caller in link.routes.callers() {
                    changed.inspect(|(_, change)| caller.announce(change.clone()));
                }
            }
        }
    }
}

fn hash(list: &RawJson) -> u64 {
    let mut hasher = DefaultHasher::new();
    list.get().hash(&mut hasher);
    hasher.finish()
}
