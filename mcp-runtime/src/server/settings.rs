//! Settings of a server as a whole.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Implementation, Revisions};

use super::catalog::{Caching, List};
use super::extensions::Extensions;
use super::hooks::Hooks;
use super::input::RetryStates;
use crate::limits::ANSWER_TIMEOUT;
use crate::protocol::{OwnMethods, Requirement};

/// Settings of a server as a whole. They never change once it is built.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) info: Implementation,
    pub(super) revisions: Revisions,
    pub(super) caching: Caching,
    /// The number of items on a page of a list; all by default.
    pub(super) page_size: Option<NonZeroUsize>,
    /// The lists that can change while the server runs.
    pub(super) dynamic: BTreeSet<List>,
    pub(super) requirement: Requirement,
    /// The time that users have to answer questions.
    pub(super) answer_timeout: Duration,
    pub(super) retry_states: RetryStates,
    /// A value to drop with the server, such as the connection of a proxy.
    #[allow(dead_code, reason = "it is only kept")]
    pub(super) owned: Option<Arc<dyn fmt::Debug + Send + Sync>>,
    pub(super) extensions: Extensions,
    pub(super) own_methods: OwnMethods,
    pub(super) hooks: Hooks,
    /// Whether logging to clients is declared.
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
            answer_timeout: ANSWER_TIMEOUT,
            retry_states: RetryStates::default(),
            owned: None,
            extensions: Extensions::default(),
            own_methods: OwnMethods::default(),
            hooks: Hooks::default(),
            logging: false,
        }
    }
}
