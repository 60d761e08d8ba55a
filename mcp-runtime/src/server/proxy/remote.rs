//! The server behind the proxy.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::{LoggingLevel, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool};
use tokio::task::AbortHandle;

use super::callers::Callers;
use super::routes;
use super::watch::Watched;
use crate::client::Client;
use crate::error::CallError;
use crate::server::List;
use crate::server::changes::Change;
use crate::server::introduction::Introduction;
use crate::server::live::Live;

/// The server behind a proxy, as long as the proxy stands for it.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) client: Client,
    pub(super) callers: Arc<Callers>,
    /// Whether callers are sent what the server logs.
    hears: bool,
    /// The resources that somebody here wants to know of.
    pub(super) watched: Watched,
    /// The task that follows what changes.
    following: Mutex<Option<AbortHandle>>,
    /// What the server has said last. One list is asked for at a time, so that no older answer
    /// replaces a newer one.
    known: tokio::sync::Mutex<Known>,
}

/// The lists of the server behind a proxy, as they are offered.
#[derive(Debug, Default)]
struct Known {
    tools: Vec<Tool>,
    prompts: Prompts,
    resources: Resources,
}

#[derive(Debug, Default, PartialEq)]
struct Prompts {
    prompts: Vec<Prompt>,
    completes: bool,
}

#[derive(Debug, Default, PartialEq)]
struct Resources {
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    completes: bool,
    subscribable: bool,
}

/// What the proxy has of the server behind it comes from this "mount"; there is no other.
const ORIGIN: usize = 0;

impl Remote {
    pub(super) fn new(client: Client, callers: Arc<Callers>, hears: bool) -> Self {
        Self {
            client,
            callers,
            hears,
            watched: Watched::default(),
            following: Mutex::default(),
            known: tokio::sync::Mutex::default(),
        }
    }

    /// Ends the task `following` with this.
    pub(super) fn keep(&self, following: AbortHandle) {
        let mut kept = self
            .following
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(following);
    }

    /// What the server says of itself as a whole, as the client knows it.
    pub(super) fn introduction(&self) -> Introduction {
        let negotiated = self.client.negotiated();
        let mut introduction = Introduction::default();
        if let Some(instructions) = &negotiated.instructions {
            introduction.instruct(instructions.clone());
        }
        let experimental = &negotiated.peer_capabilities.experimental;
        introduction.experimental = experimental.clone();
        introduction
    }

    /// Has the server log to callers, as far as it does.
    pub(super) async fn hear(&self) {
        let capabilities = self.client.server_capabilities();
        if !self.hears || capabilities.logging.is_none() {
            return;
        }
        // What a caller does not want to hear is left out here.
        if let Err(error) = self.client.set_log_level(LoggingLevel::Debug).await {
            tracing::warn!(%error, "the server behind a proxy logs as it likes");
        }
    }

    /// Asks the server what it is and has by now, and offers that: a list, or all of it.
    ///
    /// # Errors
    ///
    /// When it does not say.
    pub(super) async fn update(
        self: &Arc<Self>,
        live: &Arc<Live>,
        list: Option<List>,
    ) -> Result<(), CallError> {
        if let Some(list) = list {
            return self.update_list(live, list).await;
        }
        if let Err(error) = self.client.discover_again().await {
            tracing::warn!(%error, "the server behind a proxy does not say what it offers");
        }
        live.introduce(self.introduction());
        self.hear().await;
        for list in List::ALL {
            self.update_list(live, list).await?;
        }
        Ok(())
    }

    /// Asks the server for a list, and offers what it has now.
    ///
    /// # Errors
    ///
    /// When it does not say.
    pub(super) async fn update_list(
        self: &Arc<Self>,
        live: &Arc<Live>,
        list: List,
    ) -> Result<(), CallError> {
        let mut known = self.known.lock().await;
        let offered = self.client.server_capabilities();
        match list {
            List::Tools => {
                let tools = self.tools(&offered).await?;
                if known.tools != tools {
                    self.offer_tools(live, &tools);
                    known.tools = tools;
                }
            }
            List::Prompts => {
                let prompts = self.prompts(&offered).await?;
                if known.prompts != prompts {
                    self.offer_prompts(live, &prompts);
                    known.prompts = prompts;
                }
            }
            List::Resources => {
                let resources = self.resources(&offered).await?;
                if known.resources != resources {
                    self.offer_resources(live, &resources);
                    known.resources = resources;
                }
            }
        }
        Ok(())
    }

    async fn tools(&self, offered: &ServerCapabilities) -> Result<Vec<Tool>, CallError> {
        match offered.tools {
            Some(_) => self.client.list_tools().await,
            None => Ok(Vec::new()),
        }
    }

    fn offer_tools(self: &Arc<Self>, live: &Live, tools: &[Tool]) {
        let tools = tools.iter();
        let routes = tools.filter_map(|tool| routes::tool(self, tool.clone()));
        let routes = routes.collect();
        live.change(|inventory| {
            inventory.tools.sync(ORIGIN, routes);
            vec![Change::Tools]
        });
    }

    async fn prompts(&self, offered: &ServerCapabilities) -> Result<Prompts, CallError> {
        if offered.prompts.is_none() {
            return Ok(Prompts::default());
        }
        Ok(Prompts {
            prompts: self.client.list_prompts().await?,
            completes: offered.completions.is_some(),
        })
    }

    fn offer_prompts(self: &Arc<Self>, live: &Live, offered: &Prompts) {
        let prompts = offered.prompts.iter();
        let routes = prompts.map(|prompt| routes::prompt(self, prompt.clone(), offered.completes));
        let routes = routes.collect();
        live.change(|inventory| {
            inventory.prompts.sync(ORIGIN, routes);
            vec![Change::Prompts]
        });
    }

    async fn resources(&self, offered: &ServerCapabilities) -> Result<Resources, CallError> {
        let Some(resources) = &offered.resources else {
            return Ok(Resources::default());
        };
        Ok(Resources {
            resources: self.client.list_resources().await?,
            templates: self.client.list_resource_templates().await?,
            completes: offered.completions.is_some(),
            subscribable: resources.subscribe == Some(true),
        })
    }

    fn offer_resources(self: &Arc<Self>, live: &Arc<Live>, offered: &Resources) {
        let watched = offered.subscribable.then_some(live);
        let resources = offered.resources.iter();
        let resources = resources.map(|resource| routes::resource(self, watched, resource.clone()));
        let templates = offered.templates.iter();
        let templates = templates.filter_map(|template| {
            routes::template(self, watched, template.clone(), offered.completes)
        });
        let routes = resources.chain(templates).collect();
        live.change(|inventory| {
            inventory.resources.sync(ORIGIN, routes);
            vec![Change::Resources]
        });
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let following = self.following.get_mut();
        let following = following.unwrap_or_else(PoisonError::into_inner);
        if let Some(following) = following.take() {
            following.abort();
        }
    }
}
