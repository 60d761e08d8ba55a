//! What a client wants to be told of, beyond single requests.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use mcp_types::LoggingLevel;
use serde::{Deserialize, Serialize};

use super::Session;
use super::changes::Listener;
use super::logging::{LEVELS, Severity, Threshold};

/// What a client of the handshake era has asked for once for all: what has to be known to go on with
/// its session elsewhere.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Wishes {
    #[serde(skip_serializing_if = "Option::is_none")]
    log_level: Option<LoggingLevel>,
    /// The URIs of the resources that it subscribes to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<String>,
}

impl Session {
    /// Whether the client has asked for something else since this was last called.
    pub(crate) fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire) && self.asked.swap(false, Ordering::AcqRel)
    }

    /// What the client has asked for so far.
    pub(crate) fn wishes(&self) -> Wishes {
        let Severity(least) = self.log_level.get();
        Wishes {
            log_level: LEVELS.get(usize::from(least)).cloned(),
            resources: self.subscriptions(),
        }
    }

    /// Goes by what the client has asked for elsewhere, and by nothing else.
    pub(crate) fn go_by(&self, wishes: &Wishes) {
        let level = wishes.log_level.as_ref().and_then(Severity::of);
        let level = level.unwrap_or_else(|| Threshold::default().get());
        self.log_level.set(level);
        for uri in self.subscriptions() {
            if !wishes.resources.contains(&uri) {
                self.forget(&uri);
            }
        }
        let router = self.server().router();
        for uri in &wishes.resources {
            let canonical = router.canonical_uri(uri);
            // The one that was asked has seen to the limit.
            let _ = self.want(canonical.as_deref().unwrap_or(uri), uri);
        }
    }

    fn subscriptions(&self) -> Vec<String> {
        let telling = self.telling.get();
        telling.map_or_else(Vec::new, |telling| telling.listener.resources())
    }
}

impl Listener {
    /// The resources that it wants to know of, in its own spelling.
    fn resources(&self) -> Vec<String> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let uris = wanted.iter().filter_map(|wanted| wanted.uri());
        uris.map(str::to_owned).collect()
    }
}
