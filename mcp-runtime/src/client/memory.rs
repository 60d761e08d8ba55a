//! What a server was told, to be told again after a reconnection.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_types::{
    ListToolsRequest, ListToolsResult, LoggingLevel, PaginatedRequestParams, RawJson, Request,
    SetLevelRequest, SetLevelRequestParams, SubscribeRequest, SubscribeRequestParams, Tool,
    meta_keys,
};

use super::config::Config;
use super::link::Options;
use super::slot::Connection;

/// What a client keeps in mind across connections.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    log_level: Option<LoggingLevel>,
    subscriptions: BTreeSet<String>,
    /// Resources that [`Subscription`](super::Subscription)s are about, and how many of them.
    held: BTreeMap<String, usize>,
    tools: HashMap<String, Tool>,
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_log_level(&self, level: LoggingLevel) {
        self.state().log_level = Some(level);
    }

    pub(super) fn subscribed(&self, uri: String) {
        self.state().subscriptions.insert(uri);
    }

    pub(super) fn unsubscribed(&self, uri: &str) {
        self.state().subscriptions.remove(uri);
    }

    /// One more subscription is about `uri`.
    pub(super) fn hold(&self, uri: &str) {
        *self.state().held.entry(uri.to_owned()).or_default() += 1;
    }

    /// One subscription less is about `uri`. `true` if nobody else wants to know of it.
    pub(super) fn release(&self, uri: &str) -> bool {
        let mut state = self.state();
        let Some(count) = state.held.get_mut(uri) else {
            return false;
        };
        *count -= 1;
        if *count > 0 {
            return false;
        }
        state.held.remove(uri);
        !state.subscriptions.contains(uri)
    }

    /// Replaces what is known of the server's tools.
    pub(super) fn learn(&self, tools: &[Tool]) {
        let tools = tools.iter().map(|tool| (tool.name.clone(), tool.clone()));
        self.state().tools = tools.collect();
    }

    /// What is known of the server's tools does not hold any more.
    pub(super) fn forget_tools(&self) {
        self.state().tools.clear();
    }

    /// What the server last said of a tool.
    pub(super) fn tool(&self, name: &str) -> Option<Tool> {
        self.state().tools.get(name).cloned()
    }

    /// Whether a tool says that calling it twice does no more than calling it once.
    pub(super) fn is_repeatable(&self, tool: &str) -> bool {
        let state = self.state();
        let annotations = state
            .tools
            .get(tool)
            .and_then(|tool| tool.annotations.as_ref());
        annotations.is_some_and(|says| {
            says.read_only_hint == Some(true) || says.idempotent_hint == Some(true)
        })
    }

    /// The members of `_meta` for a request: those that were agreed on, and the log level.
    pub(super) fn meta<'a>(&self, agreed: &'a str) -> Cow<'a, str> {
        match &self.state().log_level {
            Some(level) if !agreed.is_empty() => {
                let key = meta_keys::LOG_LEVEL;
                let level = serde_json::Value::from(level.as_str());
                Cow::Owned(format!(r#"{agreed},"{key}":{level}"#))
            }
            _ => Cow::Borrowed(agreed),
        }
    }

    /// Tells a server again what the one before it was told. What it refuses is logged: the
    /// connection is of use without it.
    pub(super) async fn repeat(&self, connection: &Connection, config: &Config) {
        let (level, subscriptions, listed) = {
            let mut state = self.state();
            let listed = !state.tools.is_empty();
            state.tools.clear();
            let mut subscriptions = state.subscriptions.clone();
            subscriptions.extend(state.held.keys().cloned());
            (state.log_level.clone(), subscriptions, listed)
        };
        // Where requests carry the level themselves, there is nobody to tell.
        if let Some(level) = level.filter(|_| connection.agreed.meta.is_empty()) {
            let params = SetLevelRequestParams::new(level);
            tell::<SetLevelRequest>(connection, config, &params).await;
        }
        // Where each subscription is a request of its own, it is made again by whoever holds it.
        let subscriptions = subscriptions.into_iter();
        for uri in subscriptions.filter(|_| connection.agreed.meta.is_empty()) {
            let params = SubscribeRequestParams::new(uri);
            tell::<SubscribeRequest>(connection, config, &params).await;
        }
        if listed {
            self.learn_again(connection, config).await;
        }
    }

    /// Lists the tools that a server offers after a reconnection: what was known of them may no
    /// longer hold.
    async fn learn_again(&self, connection: &Connection, config: &Config) {
        let mut params = PaginatedRequestParams::new();
        for _ in 0..config.max_pages {
            let page = tell::<ListToolsRequest>(connection, config, &params).await;
            let Some(Ok(page)) = page.map(|page| page.parse::<ListToolsResult>()) else {
                return;
            };
            self.learn(&page.tools);
            match page.next_cursor {
                Some(cursor) => params = PaginatedRequestParams::new().with_cursor(cursor),
                None => return,
            }
        }
    }
}

async fn tell<R: Request>(
    connection: &Connection,
    config: &Config,
    params: &R::Params,
) -> Option<RawJson>
where
    R::Params: Sync,
{
    let agreed = &connection.agreed;
    let options = Options::new(config.timeouts);
    let told = connection
        .link
        .request::<R>(params, &agreed.meta, options)
        .await;
    told.inspect_err(|error| {
        tracing::warn!(method = R::METHOD, %error, "the server could not be told again");
    })
    .ok()
}
