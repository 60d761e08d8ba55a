//! Changing what a server offers while it runs.

use super::introduction::Introduction;
use super::mount::Mount;
use super::prompts::PromptRoute;
use super::resources::ResourceRoute;
use super::routes::{CatalogEntry, Named, Step};
use super::tools::ToolRoute;
use super::{Change, List, OfferedPrompt, OfferedResource, OfferedTool, Server};

/// Changes of what a server offers, which happen all at once when they are
/// [applied](Self::apply).
///
/// Calls that are being served go on as they began; the next request meets the new lists. Clients
/// are told which lists have changed, once for each.
///
/// What is added, replaced or removed is the server's own; what a [mounted](crate::ServerBuilder::mount)
/// server has under the same name is hidden meanwhile, and comes back. Names are disabled and
/// enabled whoever has them.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::List;
/// use mcp_runtime::server::tools::{ToolSpec, argument};
///
/// let mut builder = Server::builder();
/// builder.dynamic([List::Tools]);
/// let server = builder.build();
///
/// let double = ToolSpec::new("double").arguments((argument::<i64>("a"),)).call(|(a,), _| a * 2);
/// server.edit().add_tool(double).apply()?;
/// assert_eq!(server.tools()[0].name, "double");
///
/// server.edit().disable_tool("double").apply()?;
/// assert!(server.tools().is_empty());
/// # Ok::<_, mcp_runtime::server::FixedList>(())
/// ```
#[must_use = "nothing changes until the edit is applied"]
#[derive(Debug)]
pub struct Edit<'a> {
    server: &'a Server,
    tools: Vec<Step<ToolRoute>>,
    prompts: Vec<Step<PromptRoute>>,
    resources: Vec<Step<ResourceRoute>>,
}

/// An edit of a list that the server says will not change. Nothing was changed.
///
/// Name the list in [`ServerBuilder::dynamic`](crate::ServerBuilder::dynamic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list of {0} can't change while the server runs: the builder was not told that it may")]
pub struct FixedList(pub List);

/// All that a server has, switched off or not.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    /// What the server says of itself, without its mounts.
    pub(super) introduction: Introduction,
    pub(super) tools: CatalogEntry<ToolRoute>,
    pub(super) prompts: CatalogEntry<PromptRoute>,
    pub(super) resources: CatalogEntry<ResourceRoute>,
    pub(super) mounts: Vec<Mount>,
}

impl Server {
    /// Begins to change what the server offers while it runs.
    pub fn edit(&self) -> Edit<'_> {
        Edit {
            server: self,
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
        }
    }
}

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $step:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(mut self, name: impl Into<String>) -> Self {
            self.$field.push(Step::$step(name.into()));
            self
        }
    )*};
}

impl Edit<'_> {
    /// Adds a tool, or replaces the one of its name, which keeps its place in the list.
    pub fn add_tool(mut self, tool: impl OfferedTool) -> Self {
        self.tools.push(Step::Put(tool.tool_route()));
        self
    }

    /// Adds a prompt, or replaces the one of its name, which keeps its place in the list.
    pub fn add_prompt(mut self, prompt: impl OfferedPrompt) -> Self {
        self.prompts.push(Step::Put(prompt.prompt_route()));
        self
    }

    /// Adds a resource or template, or replaces the one of its URI, which keeps its place in the
    /// list.
    pub fn add_resource(mut self, resource: impl OfferedResource) -> Self {
        self.resources.push(Step::Put(resource.resource_route()));
        self
    }

    steps! {
        /// Removes a tool of the server itself, if there is one of this name.
        remove_tool: tools, Remove;
        /// Hides a tool until it is enabled again. To clients it does not exist meanwhile.
        disable_tool: tools, Disable;
        /// Shows a tool again.
        enable_tool: tools, Enable;
        /// Removes a prompt of the server itself, if there is one of this name.
        remove_prompt: prompts, Remove;
        /// Hides a prompt until it is enabled again. To clients it does not exist meanwhile.
        disable_prompt: prompts, Disable;
        /// Shows a prompt again.
        enable_prompt: prompts, Enable;
        /// Removes a resource or template of the server itself, if there is one of this URI.
        remove_resource: resources, Remove;
        /// Hides a resource or template until it is enabled again. To clients it does not exist
        /// meanwhile.
        disable_resource: resources, Disable;
        /// Shows a resource or template again.
        enable_resource: resources, Enable;
    }

    /// Makes the changes, and tells the clients.
    ///
    /// # Errors
    ///
    /// When a list is among them that can't change; then nothing does.
    pub fn apply(self) -> Result<(), FixedList> {
        let Self {
            server,
            tools,
            prompts,
            resources,
        } = self;
        server.check_dynamic(List::Tools, tools.is_empty())?;
        server.check_dynamic(List::Prompts, prompts.is_empty())?;
        server.check_dynamic(List::Resources, resources.is_empty())?;
        server.live.change(|inventory| {
            let mut changes = Vec::new();
            let mut note = |changed, change| {
                if changed {
                    changes.push(change);
                }
            };
            note(take_all(&mut inventory.tools, tools), Change::Tools);
            note(take_all(&mut inventory.prompts, prompts), Change::Prompts);
            note(
                take_all(&mut inventory.resources, resources),
                Change::Resources,
            );
            changes
        });
        Ok(())
    }
}

/// Takes all steps, and says whether anything is different now.
fn take_all<R: Named>(stock: &mut CatalogEntry<R>, steps: Vec<Step<R>>) -> bool {
    let mut changed = false;
    for step in steps {
        changed |= stock.take(step);
    }
    changed
}
