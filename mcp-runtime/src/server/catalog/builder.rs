//! Adds tools, prompts and resources to a server's builder. Each of them is an entry, or a function
//! with a macro, which turns the function into a type that makes an entry.

use std::mem;

use mcp_types::{Prompt, Tool};

use super::Visibility;
use crate::server::prompts::PromptEntry;
use crate::server::resources::ResourceEntry;
use crate::server::tools::ToolEntry;
use crate::server::{Context, ServerBuilder};

/// A tool: a [`ToolEntry`], or a function with `#[tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "neither a function under `#[tool]` nor a `ToolEntry`",
    note = "put `#[tool]` on the function",
    note = "finish a `ToolBuilder` with `.call(…)` or `.call_async(…)`, which take the function to call"
)]
pub trait IntoTool {
    /// Returns the entry.
    fn into_tool(self) -> ToolEntry;
}

/// A prompt: a [`PromptEntry`], or a function with `#[prompt]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "neither a function under `#[prompt]` nor a `PromptEntry`",
    note = "put `#[prompt]` on the function"
)]
pub trait IntoPrompt {
    /// Returns the entry.
    fn into_prompt(self) -> PromptEntry;
}

/// A resource: a [`ResourceEntry`], or a function with `#[resource]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "neither a function under `#[resource]` nor a `ResourceEntry`",
    note = "put `#[resource(\"…\")]` on the function",
    note = "a `Result` needs a `?` first: `FileTree::new(\"…\")?`"
)]
pub trait IntoResource {
    /// Returns the entry.
    fn into_resource(self) -> ResourceEntry;
}

impl ServerBuilder {
    /// Adds a tool: a function with `#[tool]`, or a [`ToolEntry`]. Also adds the resources of its
    /// [extensions](crate::server::ToolExtension::resources).
    ///
    /// # Panics
    ///
    /// When the server already has a tool with this name, or another resource with the URI of such a
    /// resource.
    #[track_caller]
    pub fn tool(&mut self, tool: impl IntoTool) -> &mut Self {
        let mut tool = tool.into_tool();
        for resource in mem::take(&mut tool.resources) {
            if !self.registry.resources.contains(&resource) {
                self.resource(resource);
            }
        }
        self.registry.tools.declare("tool", tool);
        self
    }

    /// Adds a prompt: a function with `#[prompt]`, or a [`PromptEntry`].
    ///
    /// # Panics
    ///
    /// When the server already has a prompt with this name.
    #[track_caller]
    pub fn prompt(&mut self, prompt: impl IntoPrompt) -> &mut Self {
        self.registry
            .prompts
            .declare("prompt", prompt.into_prompt());
        self
    }

    /// Adds a resource: a function with `#[resource]`, or a [`ResourceEntry`].
    ///
    /// # Panics
    ///
    /// When the server already has a resource with this URI.
    #[track_caller]
    pub fn resource(&mut self, resource: impl IntoResource) -> &mut Self {
        self.registry
            .resources
            .declare("resource", resource.into_resource());
        self
    }

    /// Shows each caller only the tools for which `shows` returns `true`.
    ///
    /// For this caller, other tools are neither listed nor found when called.
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
        let shows = move |entry: &ToolEntry, _: &str, cx: &Context| shows(&entry.tool, cx);
        self.registry.tools.visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the prompts for which `shows` returns `true`.
    ///
    /// For this caller, other prompts are neither listed nor found when requested or completed.
    pub fn filter_prompts(
        &mut self,
        shows: impl Fn(&Prompt, &Context) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        let shows = move |entry: &PromptEntry, _: &str, cx: &Context| shows(&entry.prompt, cx);
        self.registry.prompts.visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the resources and templates for which `shows` returns `true`. For
    /// this caller, the others don't exist.
    ///
    /// `shows` is called with the canonical URI of each resource that is listed, read or subscribed
    /// to, and with the text of each template that is listed or completed. The canonical URI is the
    /// registered URI, or the expansion of the template with the values of its variables (RFC
    /// 6570). It does not depend on how the client escapes the URI: `file:///%70rivate%2Fs.txt`
    /// becomes `file:///private/s.txt`. The case of the host is kept.
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
        let shows = move |_: &ResourceEntry, uri: &str, cx: &Context| shows(uri, cx);
        self.registry.resources.visibility = Visibility::limited(shows);
        self
    }
}

impl IntoTool for ToolEntry {
    fn into_tool(self) -> Self {
        self
    }
}

impl IntoPrompt for PromptEntry {
    fn into_prompt(self) -> Self {
        self
    }
}

impl IntoResource for ResourceEntry {
    fn into_resource(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::Server;
    use crate::server::resources::{ResourceBuilder, UriTemplate};
    use crate::server::tools::{ToolBuilder, ToolEntry};

    fn find() -> ToolEntry {
        ToolBuilder::new("find").arguments(()).call(|(), _| "found")
    }

    #[test]
    #[should_panic(expected = "the server has a tool `find` already: rename one of them")]
    fn a_second_tool_of_one_name_is_refused() {
        Server::builder().tool(find()).tool(find());
    }

    #[test]
    #[should_panic(expected = "the server has a resource `test://a` already: rename one of them")]
    fn a_second_resource_under_one_uri_is_refused() {
        let read = || {
            let uri = UriTemplate::parse("test://a").unwrap();
            ResourceBuilder::new("one", uri)
                .variables(())
                .call(|(), _| "text")
        };
        Server::builder().resource(read()).resource(read());
    }
}
