//! State of a client that outlives its connections.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{LoggingLevel, Tool, meta_keys};
use tokio::sync::watch;

use super::cache::ClientCache;
use super::config::Config;
use super::notifications::Dispatcher;
use crate::protocol::LifecycleState;

/// Everything that the connections of a client share.
pub(super) struct ClientState {
    pub(super) config: Config,
    pub(super) status: StatusSender,
    pub(super) dispatcher: Dispatcher,
    pub(super) cache: Option<Arc<ClientCache>>,
    pub(super) session: Mutex<SessionState>,
}

/// Settings that a server is given again after a reconnection, and the tools that it last listed.
#[derive(Default)]
pub(super) struct SessionState {
    pub(super) log_level: Option<LoggingLevel>,
    /// Resources that the user has subscribed to one by one.
    pub(super) resources: BTreeSet<String>,
    /// Resources of [`Subscription`](super::Subscription)s, and the number of those.
    held: BTreeMap<String, usize>,
    tools: HashMap<String, Tool>,
}

impl ClientState {
    pub(super) fn session(&self) -> MutexGuard<'_, SessionState> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The members of `_meta` (JSON without braces) for a request over a connection whose requests
    /// all carry `connection`, with `further` ones of the caller.
    pub(super) fn request_meta(&self, connection: &str, further: &str) -> String {
        let level = self.session().log_level.clone();
        let level = level.filter(|_| !connection.is_empty()).map(|level| {
            let (key, level) = (
                meta_keys::LOG_LEVEL,
                serde_json::Value::from(level.as_str()),
            );
            format!(r#""{key}":{level}"#)
        });
        let trace = self.config.current_trace();
        let trace = trace.and_then(|trace| serde_json::to_string(&trace).ok());
        let trace = trace.as_ref().map(|trace| &trace[1..trace.len() - 1]);
        let members = [Some(further), Some(connection), level.as_deref(), trace];
        let members = members.into_iter().flatten();
        let members: Vec<_> = members.filter(|members| !members.is_empty()).collect();
        members.join(",")
    }
}

impl SessionState {
    /// Notes that one more subscription is about `uri`.
    pub(super) fn hold(&mut self, uri: &str) {
        *self.held.entry(uri.to_owned()).or_default() += 1;
    }

    /// Notes that one subscription less is about `uri`; `true` if there is none left.
    pub(super) fn release(&mut self, uri: &str) -> bool {
        let Some(count) = self.held.get_mut(uri) else {
            return false;
        };
        *count -= 1;
        if *count > 0 {
            return false;
        }
        self.held.remove(uri);
        !self.resources.contains(uri)
    }

    /// All resources that are subscribed to.
    pub(super) fn subscribed(&self) -> BTreeSet<String> {
        let held = self.held.keys().cloned();
        self.resources.iter().cloned().chain(held).collect()
    }

    /// Adds tools that the server has listed.
    pub(super) fn add_tools(&mut self, tools: impl IntoIterator<Item = Tool>) {
        let tools = tools.into_iter().map(|tool| (tool.name.clone(), tool));
        self.tools.extend(tools);
    }

    /// Forgets the tools; `true` if there were any.
    pub(super) fn clear_tools(&mut self) -> bool {
        !std::mem::take(&mut self.tools).is_empty()
    }

    /// A tool as it was last listed.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }
}

/// State of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportState {
    /// Not opened yet, or closed.
    Disconnected,
    /// Being opened.
    Connecting,
    /// Open.
    Connected,
    /// Lost, and going to be opened again.
    Reconnecting,
    /// Lost for good; opened again only for another call, where that is possible at all.
    /// [`Client::lost_because`](crate::Client::lost_because) has the reason.
    Lost,
}

impl fmt::Display for TransportState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disconnected => "disconnected",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Reconnecting => "reconnecting",
            Self::Lost => "lost",
        })
    }
}

/// The state of a client: of its transport, and of the protocol that runs over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// State of the transport.
    pub transport: TransportState,
    /// State of the protocol.
    pub lifecycle: LifecycleState,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.transport, self.lifecycle)
    }
}

/// Follows the status of a client.
///
/// Changes in quick succession may be seen as one; [`on_status`] sees each of them.
///
/// [`on_status`]: crate::ClientBuilder::on_status
#[derive(Clone, Debug)]
pub struct StatusWatch(watch::Receiver<Status>);

impl StatusWatch {
    /// The status as it is now.
    #[must_use]
    pub fn current(&self) -> Status {
        *self.0.borrow()
    }

    /// Waits for a change. `None` once there can't be any, because the client is gone.
    pub async fn changed(&mut self) -> Option<Status> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

/// An observer of the status.
pub(super) type OnStatus = Box<dyn Fn(Status) + Send + Sync>;

/// The current status. A change is logged, then passed to the observer and to watchers.
pub(super) struct StatusSender {
    status: watch::Sender<Status>,
    observer: Option<OnStatus>,
}

impl StatusSender {
    pub(super) fn new(observer: Option<OnStatus>) -> Self {
        Self {
            status: watch::Sender::new(Status {
                transport: TransportState::Disconnected,
                lifecycle: LifecycleState::Uninitialized,
            }),
            observer,
        }
    }

    pub(super) fn current(&self) -> Status {
        *self.status.borrow()
    }

    pub(super) fn watch(&self) -> StatusWatch {
        StatusWatch(self.status.subscribe())
    }

    pub(super) fn set_transport(&self, transport: TransportState) {
        self.change(|status| status.transport = transport);
    }

    pub(super) fn set_lifecycle(&self, lifecycle: LifecycleState) {
        self.change(|status| status.lifecycle = lifecycle);
    }

    fn change(&self, change: impl FnOnce(&mut Status)) {
        let mut changed = None;
        self.status.send_if_modified(|status| {
            let before = *status;
            change(status);
            changed = (before != *status).then_some(*status);
            changed.is_some()
        });
        if let Some(now) = changed {
            tracing::info!(transport = %now.transport, lifecycle = %now.lifecycle, "connection");
            if let Some(observer) = &self.observer {
                observer(now);
            }
        }
    }
}
