//! What each caller gets to see.

use std::fmt;
use std::sync::Arc;

use mcp_types::{Prompt, Tool};

use super::{Context, ServerBuilder};

/// Whether a caller may see an item.
type Shows<T> = dyn Fn(&T, &Context) -> bool + Send + Sync;

/// Which items of one kind each caller may see; all, unless limited.
pub(super) struct Visibility<T: ?Sized>(Option<Arc<Shows<T>>>);

impl<T: ?Sized> Visibility<T> {
    pub(super) fn limited(shows: impl Fn(&T, &Context) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(shows)))
    }

    pub(super) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn shows(&self, item: &T, context: &Context) -> bool {
        self.0.as_ref().is_none_or(|shows| shows(item, context))
    }
}

impl ServerBuilder {
    /// Shows each caller only the tools for which `shows` returns `true`; the others don't exist
    /// for that caller, whether listed or called.
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let mut server = Server::builder();
    /// server.filter_tools(|tool, cx| {
    ///     tool.name != "sample_me" || cx.client_capabilities().sampling.is_some()
    /// });
    /// # drop(server.build());
    /// ```
    pub fn filter_tools(
        &mut self,
        shows: impl Fn(&Tool, &Context) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.settings.tool_visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the prompts for which `shows` returns `true`; the others don't exist
    /// for that caller, whether listed, asked for or completed.
    pub fn filter_prompts(
        &mut self,
        shows: impl Fn(&Prompt, &Context) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.settings.prompt_visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the resources and templates for which `shows` returns `true`; the
    /// others don't exist for that caller.
    ///
    /// It is asked with the canonical URI of each resource that is listed, read or subscribed to, and
    /// with the text of each template that is listed or completed. The canonical URI is the one that
    /// was registered, or the template expanded with what was found for its variables (RFC 6570),
    /// whatever escapes the client has written: `file:///%70rivate%2Fs.txt` is asked for as
    /// `file:///private/s.txt`. The case of what stands where a host may stand is kept.
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let mut server = Server::builder();
    /// server.filter_resources(|uri, cx| {
    ///     !uri.starts_with("draft://") || cx.client_info().is_some_and(|it| it.name == "editor")
    /// });
    /// # drop(server.build());
    /// ```
    pub fn filter_resources(
        &mut self,
        shows: impl Fn(&str, &Context) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.settings.resource_visibility = Visibility::limited(shows);
        self
    }
}

impl<T: ?Sized> Clone for Visibility<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: ?Sized> Default for Visibility<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: ?Sized> fmt::Debug for Visibility<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Visibility")
            .field(&self.is_limited())
            .finish()
    }
}
