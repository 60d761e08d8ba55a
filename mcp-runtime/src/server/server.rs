//! The server handle, and the state that all handles share.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use mcp_types::{RawJson, Side, Tool};

use super::catalog::{Registry, Relay};
use super::context::call_detached;
use super::dispatch::Router;
use super::subscriptions::{Changes, ChangesForReplicas};
use super::{DetachedCall, DetachedRequest, Initialized, Session, Settings};
use crate::ProtocolError;
use crate::advice::Warnings;
use crate::connection::{Peer, Recorder, Recording};
use crate::protocol::{Change, Negotiated, ServerLifecycle, ServerRules};
use crate::sync::{lock, read, write};

/// A server that is ready to serve connections. Clones are cheap and share all state.
///
/// ```
/// use mcp_runtime::Server;
///
/// let mut server = Server::builder();
/// server.name("empty").version("1.0.0").instructions("There is nothing here.");
/// let server = server.build();
/// # drop(server);
/// ```
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) state: Arc<ServerState>,
    /// The router that this handle has cached. It is current while `generation` is.
    seen: Arc<Router>,
    generation: u64,
    recording: Option<Recording>,
}

impl Server {
    /// Returns the tools of the server, in the order in which they are listed.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let router = self.router();
        let tools = router.tools.entries.iter();
        tools.map(|(_, entry)| Tool::clone(&entry.tool)).collect()
    }

    /// Notifies the clients that have subscribed to `change`, in a session or with
    /// `subscriptions/listen`. Never waits for a client. Frequent changes are merged.
    ///
    /// Only changes that clients can subscribe to have an effect: changes of the lists that were
    /// passed to [`ServerBuilder::list_changed`](crate::ServerBuilder::list_changed), and of
    /// subscribable resources. Other changes are logged as a warning, once for each list and for each
    /// of the first 100 URIs. [`edit`](Self::edit) notifies clients automatically.
    ///
    /// The URI of a resource may have any spelling that leads to the resource.
    ///
    /// If the server is one of several replicas with a common
    /// [bus](crate::transport::http::HttpOptions::bus), the clients of all replicas are notified.
    pub fn notify_changed(&self, change: Change) {
        self.warn_if_unheard(&change);
        self.state.publish(change);
    }

    fn warn_if_unheard(&self, change: &Change) {
        let reason = match change {
            Change::Resource(uri) => match self.router().resources.is_subscribable(uri) {
                Some(true) => return,
                Some(false) => "declare the resource with `subscribe`, or as `subscribable()`",
                None => "no resource has this URI",
            },
            list => {
                let mut lists = self.settings().list_changed.iter();
                // A server that mounts this one may have declared the list.
                if lists.any(|it| Change::from(*it) == *list) || !self.state.relays().is_empty() {
                    return;
                }
                "name the list in `list_changed`"
            }
        };
        self.state.warnings.change(change, reason);
    }

    /// Notifies the clients that have subscribed to the resource `uri`, like
    /// [`notify_changed`](Self::notify_changed).
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// Returns a handle that records each message of the connections that are served with it, over
    /// all transports.
    ///
    /// ```no_run
    /// use mcp_runtime::Recording;
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::transport::stdio;
    ///
    /// # struct Library;
    /// # #[mcp_server] impl Library {}
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::to_file("library.jsonl")?;
    /// Library.into_server().record(&recording).serve(stdio()).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn record(mut self, recording: &Recording) -> Self {
        self.recording = Some(recording.clone());
        self
    }

    /// Returns a recorder for a new connection.
    pub(crate) fn recorder(&self) -> Recorder {
        Recorder::new(self.recording.as_ref(), Side::Server)
    }

    /// Runs a detached call again, through the layers of the server.
    ///
    /// The questions and progress of the handler go to `call`, which also provides the answers and
    /// values of the earlier run. Scopes are not checked again. Dropping the future drops the
    /// handler.
    ///
    /// # Errors
    ///
    /// Returns the error of the call. If a tool reports an error, the call returns a result.
    pub async fn call_detached(
        &self,
        request: DetachedRequest,
        call: Arc<dyn DetachedCall>,
    ) -> Result<RawJson, ProtocolError> {
        call_detached(self, request, call).await
    }

    #[track_caller]
    pub(super) fn with_registry(settings: Settings, registry: Registry) -> Self {
        let settings = Arc::new(settings);
        let mounts = registry.mounts.clone();
        let router = Arc::new(registry.router(&settings));
        assert!(
            settings.raw.is_none() || router.has_no_entries(),
            "a proxy can't have tools, prompts or resources of its own: add them to another server, \
             and make it an upstream of `Proxy::several`"
        );
        let state = Arc::new(ServerState {
            settings,
            registry: Mutex::new(registry),
            router: RwLock::new(Arc::clone(&router)),
            generation: AtomicU64::new(0),
            changes: Changes::default(),
            for_replicas: ChangesForReplicas::default(),
            relays: Mutex::default(),
            warnings: Arc::default(),
        });
        for (index, mount) in mounts.iter().enumerate() {
            mount.relay(&state, index);
        }
        Self {
            state,
            seen: router,
            generation: 0,
            recording: None,
        }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Returns true for proxies. The connections of their sessions can't move to another process.
    pub(crate) fn is_raw(&self) -> bool {
        self.settings().raw.is_some()
    }

    pub(crate) fn rules(&self) -> &ServerRules {
        &self.settings().rules
    }

    pub(crate) fn lifecycle(&self) -> ServerLifecycle {
        ServerLifecycle::new(self.rules().clone())
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        let settings = self.settings();
        let changes = self.state.changes.clone();
        Arc::new(Session::new(
            settings.logging,
            settings.input_timeout,
            changes,
        ))
    }

    pub(crate) fn initialized(&self, negotiated: Arc<Negotiated>, peer: Peer) {
        let client = Initialized { negotiated, peer };
        self.settings().hooks.initialized(&client);
    }

    /// Returns the router for a new request. Takes a lock only if the server was edited after this
    /// handle was last [refreshed](Self::refresh).
    pub(super) fn router(&self) -> Cow<'_, Arc<Router>> {
        if self.state.edits() == self.generation {
            Cow::Borrowed(&self.seen)
        } else {
            Cow::Owned(self.state.current())
        }
    }

    pub(super) fn refresh(&mut self) {
        let generation = self.state.edits();
        if generation != self.generation {
            self.seen = self.state.current();
            self.generation = generation;
        }
    }
}

#[derive(Debug)]
pub(super) struct ServerState {
    settings: Arc<Settings>,
    pub(super) registry: Mutex<Registry>,
    /// Replaced as a whole by each edit.
    router: RwLock<Arc<Router>>,
    /// The number of edits, so that handles can detect a new router without a lock.
    generation: AtomicU64,
    pub(super) changes: Changes,
    pub(super) for_replicas: ChangesForReplicas,
    /// Forward changes to the servers that mount this one.
    pub(super) relays: Mutex<Vec<Relay>>,
    pub(super) warnings: Arc<Warnings>,
}

impl ServerState {
    pub(super) fn current(&self) -> Arc<Router> {
        Arc::clone(&read(&self.router))
    }

    fn edits(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Edits the registry, and publishes the changes that `edit` returns.
    pub(super) fn change(&self, edit: impl FnOnce(&mut Registry) -> BTreeSet<Change>) {
        let mut registry = lock(&self.registry);
        let changed = edit(&mut registry);
        let router = registry.router(&self.settings);
        *write(&self.router) = Arc::new(router);
        self.generation.fetch_add(1, Ordering::Release);
        drop(registry);
        for change in changed {
            self.publish(change);
        }
    }

    /// Publishes a change to clients and to the servers that mount this one. Returns true if any
    /// client has subscribed to the change.
    pub(super) fn publish(&self, change: Change) -> bool {
        let change = match change {
            Change::Resource(uri) => {
                let current = self.current();
                let canonical = current.resources.canonical(&uri).map(Cow::into_owned);
                Change::Resource(canonical.unwrap_or(uri))
            }
            list => list,
        };
        let mut heard = false;
        for relay in self.relays() {
            heard |= relay.publish(&change);
        }
        self.for_replicas.add(&change);
        self.changes.publish(change) || heard
    }

    pub(super) fn relays(&self) -> Vec<Relay> {
        lock(&self.relays).clone()
    }
}
