//! What holds for a server as a whole, whatever it offers.

use std::any::Any;
use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::{Implementation, Prompt, Revisions, Tool};

use super::ask::Policy;
use super::caching::Caching;
use super::extensions::Extensions;
use super::hooks::Hooks;
use super::lists::Lists;
use super::visibility::Visibility;
use crate::protocol::{OwnMethods, Requirement};

/// What a builder was told of the server as a whole. Never changes once the server is built.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) info: Implementation,
    pub(super) revisions: Revisions,
    pub(super) caching: Caching,
    /// How many items a page of a list has; all, unless set.
    pub(super) page_size: Option<NonZeroUsize>,
    /// The lists that can change while the server runs.
    pub(super) dynamic: Lists,
    pub(super) tool_visibility: Visibility<Tool>,
    pub(super) prompt_visibility: Visibility<Prompt>,
    /// By URI, or by the text of a template.
    pub(super) resource_visibility: Visibility<str>,
    pub(super) requirement: Requirement,
    pub(super) asking: Policy,
    /// A value that lives as long as the server, such as what stands behind a proxy.
    #[allow(dead_code, reason = "it is only kept")]
    pub(super) keeps: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) extensions: Extensions,
    pub(super) own_methods: OwnMethods,
    pub(super) hooks: Hooks,
    /// Whether handlers log to clients.
    pub(super) logging: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            info: Implementation::new("mcp-server", "0.0.0"),
            revisions: Revisions::ALL,
            caching: Caching::default(),
            page_size: None,
            dynamic: Lists::default(),
            tool_visibility: Visibility::default(),
            prompt_visibility: Visibility::default(),
            resource_visibility: Visibility::default(),
            requirement: Requirement::default(),
            asking: Policy::default(),
            keeps: None,
            extensions: Extensions::default(),
            own_methods: OwnMethods::default(),
            hooks: Hooks::default(),
            logging: false,
        }
    }
}
