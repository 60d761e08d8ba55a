//! The server behind the proxy.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::ServerCapabilities;
use tokio::task::AbortHandle;

use super::callers::Callers;
use super::routes;
use super::watch::Watched;
use crate::client::Client;
use crate::error::CallError;
use crate::server::List;
use crate::server::changes::Change;
use crate::server::live::Live;

/// The server behind a proxy, as long as the proxy stands for it.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) client: Client,
    pub(super) capabilities: ServerCapabilities,
    pub(super) callers: Arc<Callers>,
    /// The resources that somebody here wants to know of.
    pub(super) watched: Watched,
    /// The task that listens to its news.
    news: Mutex<Option<AbortHandle>>,
    /// One list is asked for at a time, so that no older answer replaces a newer one.
    asking: tokio::sync::Mutex<()>,
}

/// What the proxy has of the server behind it comes from this "mount"; there is no other.
const ORIGIN: usize = 0;

impl Remote {
    pub(super) fn new(
        client: Client,
        capabilities: ServerCapabilities,
        callers: Arc<Callers>,
    ) -> Self {
        Self {
            client,
            capabilities,
            callers,
            watched: Watched::default(),
            news: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Ends `news` with this.
    pub(super) fn keep(&self, news: Option<AbortHandle>) {
        *self.news.lock().unwrap_or_else(PoisonError::into_inner) = news;
    }

    /// Asks the server for a list, and offers what it has now.
    ///
    /// # Errors
    ///
    /// When it does not say.
    pub(super) async fn update(
        self: &Arc<Self>,
        live: &Arc<Live>,
        list: List,
    ) -> Result<(), CallError> {
        let _one_at_a_time = self.asking.lock().await;
        match list {
            List::Tools if self.capabilities.tools.is_some() => {
                let tools = self.client.list_tools().await?;
                let routes = tools.into_iter().map(|tool| routes::tool(self, tool));
                let routes = routes.collect();
                live.change(|inventory| {
                    inventory.tools.sync(ORIGIN, routes);
                    vec![Change::Tools]
                });
            }
            List::Prompts if self.capabilities.prompts.is_some() => {
                let prompts = self.client.list_prompts().await?;
                let routes = prompts
                    .into_iter()
                    .map(|prompt| routes::prompt(self, prompt));
                let routes = routes.collect();
                live.change(|inventory| {
                    inventory.shelves().prompts.sync(ORIGIN, routes);
                    vec![Change::Prompts]
                });
            }
            List::Resources if self.capabilities.resources.is_some() => {
                let resources = self.client.list_resources().await?.into_iter();
                let resources = resources.map(|resource| routes::resource(self, live, resource));
                let templates = self.client.list_resource_templates().await?.into_iter();
                let templates =
                    templates.filter_map(|template| routes::template(self, live, template));
                let routes = resources.chain(templates).collect();
                live.change(|inventory| {
                    inventory.shelves().resources.sync(ORIGIN, routes);
                    vec![Change::Resources]
                });
            }
            _ => {}
        }
        Ok(())
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let news = self.news.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(news) = news.take() {
            news.abort();
        }
    }
}
