//! Settings of a server as a whole.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Implementation, JsonObject, OrderedMap, Revisions};

use super::catalog::{Caching, List, Registry};
use super::extensions::Extensions;
use super::hooks::Hooks;
use super::input::RetryStates;
use crate::limits::ANSWER_TIMEOUT;
use crate::protocol::Requirement;

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
    pub(super) extensions: Extensions,
    pub(super) own_methods: Arc<[String]>,
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
            extensions: Extensions::default(),
            own_methods: Arc::default(),
            hooks: Hooks::default(),
            logging: false,
        }
    }
}

/// The instructions of a server and its experimental capabilities, with those of the servers that
/// it mounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Introduction {
    /// Those without a prefix come first.
    sections: Vec<Section>,
    pub(super) experimental: Option<OrderedMap<JsonObject>>,
}

/// Instructions about what begins with a prefix; about everything, if that is empty.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    prefix: String,
    text: String,
}

impl Introduction {
    /// Sets the instructions of the server itself.
    pub(super) fn instruct(&mut self, text: String) {
        let prefix = String::new();
        self.sections = vec![Section { prefix, text }];
    }

    /// The introduction of a server, joined with those of the servers that it mounts.
    pub(super) fn joined(registry: &Registry) -> Self {
        let mut joined = registry.introduction.clone();
        for mount in &registry.mounts {
            let inner = mount.server.state.current();
            for section in &inner.introduction.sections {
                joined.sections.push(Section {
                    prefix: mount.namespace.name(&section.prefix),
                    text: section.text.clone(),
                });
            }
            for (name, settings) in inner.introduction.experimental.iter().flatten() {
                let experimental = joined.experimental.get_or_insert_default();
                if experimental.get(name).is_none() {
                    experimental.insert(name.clone(), settings.clone());
                }
            }
        }
        joined
            .sections
            .sort_by_key(|section| !section.prefix.is_empty());
        joined
    }

    /// The instructions, as clients get them. What has no prefix needs no heading.
    pub(super) fn instructions(&self) -> Option<String> {
        let mut all = String::new();
        let mut heading = "";
        for Section { prefix, text } in &self.sections {
            if !all.is_empty() {
                all.push_str("\n\n");
            }
            if prefix != heading {
                all.push_str(&format!("About what begins with `{prefix}`:\n"));
                heading = prefix;
            }
            all.push_str(text);
        }
        (!self.sections.is_empty()).then_some(all)
    }
}
