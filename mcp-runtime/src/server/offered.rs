//! What a builder takes: routes, and functions that have become types which make one.

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
