//! What holds for a server as a whole, whatever it offers.

use std::any::Any;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::{Implementation, Revisions};

use super::ask::Policy;
use super::catalog::{Caching, List};
use super::extensions::Extensions;
use super::hooks::Hooks;
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
    pub(super) dynamic: BTreeSet<List>,
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
            dynamic: BTreeSet::new(),
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
