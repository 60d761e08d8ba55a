//! Tools, prompts and resources as builders take them: routes, and functions under a macro, which
//! have become types that make a route.

use mcp_types::{Prompt, Tool};

use super::entries::Visibility;
use crate::server::prompts::PromptRoute;
use crate::server::resources::ResourceRoute;
use crate::server::tools::ToolRoute;
use crate::server::{Context, ServerBuilder};

/// A tool: a [`ToolRoute`], or a function under `#[tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    label = "neither a function under `#[tool]` nor a `ToolRoute`",
    note = "put `#[tool]` on the function"
)]
pub trait OfferedTool {
    /// The route.
    fn tool_route(self) -> ToolRoute;
}

/// A prompt: a [`PromptRoute`], or a function under `#[prompt]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt",
    label = "neither a function under `#[prompt]` nor a `PromptRoute`",
    note = "put `#[prompt]` on the function"
)]
pub trait OfferedPrompt {
    /// The route.
    fn prompt_route(self) -> PromptRoute;
}

/// A resource: a [`ResourceRoute`], or a function under `#[resource]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no resource",
    label = "neither a function under `#[resource]` nor a `ResourceRoute`",
    note = "put `#[resource(\"…\")]` on the function"
)]
pub trait OfferedResource {
    /// The route.
    fn resource_route(self) -> ResourceRoute;
}

impl ServerBuilder {
    /// Adds a tool.
    ///
    /// # Panics
    ///
    /// When there is one of its name; a server that runs can replace it
    /// ([`Edit::add_tool`](super::Edit::add_tool)).
    #[track_caller]
    pub fn tool_route(&mut self, tool: ToolRoute) -> &mut Self {
        self.registry.tools.declare("tool", tool);
        self
    }

    /// Adds a tool: a function under `#[tool]`, or a route.
    ///
    /// # Panics
    ///
    /// When there is one of its name.
    #[track_caller]
    pub fn tool(&mut self, tool: impl OfferedTool) -> &mut Self {
        self.tool_route(tool.tool_route())
    }

    /// Adds a prompt: a function under `#[prompt]`, or a route.
    ///
    /// # Panics
    ///
    /// When there is one of its name.
    #[track_caller]
    pub fn prompt(&mut self, prompt: impl OfferedPrompt) -> &mut Self {
        self.prompt_route(prompt.prompt_route())
    }

    /// Adds a resource: a function under `#[resource]`, or a route.
    ///
    /// # Panics
    ///
    /// When there is one under its URI.
    #[track_caller]
    pub fn resource(&mut self, resource: impl OfferedResource) -> &mut Self {
        self.resource_route(resource.resource_route())
    }

    /// Adds a prompt.
    ///
    /// # Panics
    ///
    /// When there is one of its name.
    #[track_caller]
    pub fn prompt_route(&mut self, prompt: PromptRoute) -> &mut Self {
        self.registry.prompts.declare("prompt", prompt);
        self
    }

    /// Adds a resource or template.
    ///
    /// # Panics
    ///
    /// When there is one under its URI.
    #[track_caller]
    pub fn resource_route(&mut self, resource: ResourceRoute) -> &mut Self {
        self.registry.resources.declare("resource", resource);
        self
    }

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
        let shows = move |route: &ToolRoute, _: &str, cx: &Context| shows(&route.tool, cx);
        self.registry.tools.visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the prompts for which `shows` returns `true`; the others don't exist
    /// for that caller in lists, requests and completions.
    pub fn filter_prompts(
        &mut self,
        shows: impl Fn(&Prompt, &Context) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        let shows = move |route: &PromptRoute, _: &str, cx: &Context| shows(&route.prompt, cx);
        self.registry.prompts.visibility = Visibility::limited(shows);
        self
    }

    /// Shows each caller only the resources and templates for which `shows` returns `true`; the
    /// others don't exist for that caller.
    ///
    /// `shows` is called with the canonical URI of each resource that is listed, read or subscribed
    /// to, and with the text of each template that is listed or completed. The canonical URI is the
    /// registered one, or the template expanded with the values of its variables (RFC 6570),
    /// regardless of the client's escapes: `file:///%70rivate%2Fs.txt` becomes
    /// `file:///private/s.txt`. The case of the host part is kept.
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
        let shows = move |_: &ResourceRoute, uri: &str, cx: &Context| shows(uri, cx);
        self.registry.resources.visibility = Visibility::limited(shows);
        self
    }
}

impl OfferedTool for ToolRoute {
    fn tool_route(self) -> Self {
        self
    }
}

impl OfferedPrompt for PromptRoute {
    fn prompt_route(self) -> Self {
        self
    }
}

impl OfferedResource for ResourceRoute {
    fn resource_route(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::Server;
    use crate::server::resources::{ResourceSpec, UriTemplate};
    use crate::server::tools::{ToolRoute, ToolSpec};

    fn find() -> ToolRoute {
        ToolSpec::new("find").arguments(()).call(|(), _| "found")
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
            ResourceSpec::new("one", uri)
                .variables(())
                .call(|(), _| "text")
        };
        Server::builder().resource(read()).resource(read());
    }
}
