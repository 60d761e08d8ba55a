//! The settings of a server as a whole.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Implementation, JsonObject, OrderedMap, Revisions};

use super::catalog::Caching;
use super::extensions::ServerExtensions;
use super::input::RetryStates;
use super::layers::Stack;
use super::serve::hooks::Hooks;
use super::{List, RawServer, Scopes};
use crate::error::ServeError;
use crate::limits::ANSWER_TIMEOUT;
use crate::protocol::{OwnMethod, Requirement, ServerRules, TASKS};

/// The settings of a server as a whole. They never change after the server is built.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) info: Implementation,
    pub(super) rules: ServerRules,
    pub(super) caching: Caching,
    /// The number of items on a page of a list; `None` for a single page.
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) scopes: Scopes,
    /// If true, lists only show the entries whose scopes the caller has.
    pub(super) filter_by_scopes: bool,
    pub(super) list_changed: BTreeSet<List>,
    /// How long users have to answer questions.
    pub(super) input_timeout: Duration,
    pub(super) retry_states: RetryStates,
    pub(super) extensions: ServerExtensions,
    pub(super) hooks: Hooks,
    pub(super) layers: Option<Stack>,
    pub(super) logging: bool,
    /// Serves all requests in place of the router.
    pub(super) raw: Option<Arc<dyn RawServer>>,
}

impl Settings {
    /// Lets `server` serve all requests, including requests with unknown methods.
    pub(crate) fn serve_raw(&mut self, server: Arc<dyn RawServer>) {
        let own = |method| OwnMethod {
            method,
            extension: None,
            revisions: Revisions::ALL.iter().collect(),
        };
        self.rules.passes_unknown = true;
        self.rules.own_methods = TASKS.map(own).into();
        self.raw = Some(server);
    }

    /// Checks the settings that their setters do not check.
    ///
    /// # Errors
    ///
    /// [`ServeError::Setting`] for the first setting that can never work.
    pub(super) fn check(&self) -> Result<(), ServeError> {
        ServeError::check([
            ("input_timeout", self.input_timeout.is_zero()),
            ("revisions", self.rules.supported.is_empty()),
        ])
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            info: Implementation::new("mcp-server", "0.0.0"),
            rules: ServerRules {
                supported: Revisions::ALL,
                requirement: Requirement::default(),
                own_methods: Arc::default(),
                passes_unknown: false,
            },
            caching: Caching::default(),
            page_size: None,
            scopes: Scopes::default(),
            filter_by_scopes: false,
            list_changed: BTreeSet::new(),
            input_timeout: ANSWER_TIMEOUT,
            retry_states: RetryStates::default(),
            extensions: ServerExtensions::default(),
            hooks: Hooks::default(),
            layers: None,
            logging: false,
            raw: None,
        }
    }
}

/// The instructions and experimental capabilities of a server and of the servers that it mounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Introduction {
    /// Pairs of a prefix and the instructions for the names that begin with it. Instructions with an
    /// empty prefix apply to everything and come first.
    sections: Vec<(String, String)>,
    pub(super) experimental: Option<OrderedMap<JsonObject>>,
}

impl Introduction {
    pub(super) fn instruct(&mut self, text: String) {
        self.sections = vec![(String::new(), text)];
    }

    /// Adds the introduction of a mounted server. `name` prepends the prefix of the mount to a
    /// prefix.
    pub(super) fn add(&mut self, inner: &Self, name: impl Fn(&str) -> String) {
        for (prefix, text) in &inner.sections {
            self.sections.push((name(prefix), text.clone()));
        }
        self.sections.sort_by_key(|(prefix, _)| !prefix.is_empty());
        for (extension, settings) in inner.experimental.iter().flatten() {
            let experimental = self.experimental.get_or_insert_default();
            let settings = || settings.clone();
            experimental
                .entry(extension.clone())
                .or_insert_with(settings);
        }
    }

    pub(super) fn instructions(&self) -> Option<String> {
        join_instructions(&self.sections)
    }
}

/// Joins instructions for clients. `sections` are pairs of a prefix and the instructions for the
/// names that begin with it. Instructions without a prefix get no heading.
pub(crate) fn join_instructions(sections: &[(String, String)]) -> Option<String> {
    let mut all = String::new();
    let mut heading = "";
    for (prefix, text) in sections {
        if !all.is_empty() {
            all.push_str("\n\n");
        }
        if prefix != heading {
            all.push_str(&format!("About everything that begins with `{prefix}`:\n"));
            heading = prefix;
        }
        all.push_str(text);
    }
    (!sections.is_empty()).then_some(all)
}
