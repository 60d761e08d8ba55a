//! What a builder takes: routes, and functions that have become types which make one. Each has a
//! name of its own: what is hidden by another would never be found.

use super::ServerBuilder;
use super::prompts::PromptRoute;
use super::resources::ResourceRoute;
use super::tools::ToolRoute;

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
        self.inventory.tools.declare("tool", tool);
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
        self.inventory.prompts.declare("prompt", prompt);
        self
    }

    /// Adds a resource or template.
    ///
    /// # Panics
    ///
    /// When there is one under its URI.
    #[track_caller]
    pub fn resource_route(&mut self, resource: ResourceRoute) -> &mut Self {
        self.inventory.resources.declare("resource", resource);
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
