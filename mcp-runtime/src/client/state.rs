//! State of a client that outlives its connections.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{LoggingLevel, Tool, meta_keys};

use super::cache::ClientCache;
use super::config::Config;
use super::notifications::Dispatcher;
use super::status::StatusSender;

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
