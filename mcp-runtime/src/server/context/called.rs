//! The entry that a request calls, as far as extensions need to know it.

use std::sync::{Mutex, MutexGuard, OnceLock};

use super::Context;

use crate::sync::lock;

/// What is known of the entry that a request calls.
#[derive(Debug, Default)]
pub(in crate::server) struct CalledEntry {
    /// The scopes that the request needs, and its caller has.
    scopes: Mutex<Vec<String>>,
    /// The name of the tool, if it has something of an extension.
    tool: OnceLock<Box<str>>,
}

impl CalledEntry {
    fn scopes(&self) -> MutexGuard<'_, Vec<String>> {
        lock(&self.scopes)
    }

    pub(in crate::server) fn add_scopes(&self, scopes: &[String]) {
        self.scopes().extend_from_slice(scopes);
    }

    pub(in crate::server) fn set_tool(&self, name: &str) {
        self.tool.get_or_init(|| name.into());
    }
}

impl Clone for CalledEntry {
    fn clone(&self) -> Self {
        Self {
            scopes: self.scopes().clone().into(),
            tool: self.tool.clone(),
        }
    }
}

impl Context {
    /// The name of the tool as the client has called it, of a server that mounts others as well. `None` for
    /// requests other than `tools/call`, and for tools that need no
    /// [extension](crate::server::Extension).
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.called().tool.get().map(|name| &**name)
    }

    /// The OAuth scopes that the request has needed so far: those of its tool, and of the servers that
    /// mount it.
    #[must_use]
    pub fn needed_scopes(&self) -> Vec<String> {
        self.called().scopes().clone()
    }
}
