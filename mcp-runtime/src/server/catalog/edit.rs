//! Changes the tools, prompts and resources of a server while it runs.

use std::collections::BTreeSet;
use std::{fmt, mem};

use super::entries::Entries;
use super::{CatalogEntry, IntoPrompt, IntoResource, IntoTool, List, Registry};
use crate::server::Server;
use crate::server::resources::ResourceEntry;

/// Changes to a server's tools, prompts and resources, which [`apply`](Self::apply) makes
/// atomically.
///
/// Calls in flight finish with the old lists, and the next request sees the new lists. Clients are
/// notified once for each list that has changed.
///
/// Only the server's own entries are added, replaced or removed. While the server has an entry of
/// its own, an entry of a [mounted](crate::ServerBuilder::mount) server with the same name is
/// hidden. Disabling or enabling a name affects both.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::List;
/// use mcp_runtime::server::tools::{ToolBuilder, argument};
///
/// let mut builder = Server::builder();
/// builder.list_changed([List::Tools]);
/// let server = builder.build();
///
/// let double = ToolBuilder::new("double").arguments((argument::<i64>("a"),)).call(|(a,), _| a * 2);
/// server.edit().add_tool(double).apply()?;
/// assert_eq!(server.tools()[0].name, "double");
///
/// server.edit().disable_tool("double").apply()?;
/// assert!(server.tools().is_empty());
/// # Ok::<_, mcp_runtime::server::FixedListError>(())
/// ```
#[must_use = "nothing changes until the edit is applied"]
pub struct Edit<'a> {
    server: &'a Server,
    steps: Vec<(List, EditStep)>,
}

/// Changes one entry, and returns true if the list has changed.
type EditStep = Box<dyn FnOnce(&mut Registry) -> bool + Send + Sync>;

type EntriesOf<R> = fn(&mut Registry) -> &mut Entries<R>;

/// The error for an edit of a list that the server did not declare as changing. The edit changed
/// nothing.
///
/// To allow such edits, name the list in
/// [`ServerBuilder::list_changed`](crate::ServerBuilder::list_changed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the list of {0} can't change while the server runs: name it in `ServerBuilder::list_changed`"
)]
pub struct FixedListError(pub List);

impl Server {
    /// Begins an edit of the server's tools, prompts and resources while it runs.
    pub fn edit(&self) -> Edit<'_> {
        Edit {
            server: self,
            steps: Vec::new(),
        }
    }
}

impl Edit<'_> {
    /// Adds a tool. If there is a tool with the same name, the new tool takes its place in the
    /// list. Also adds the resources of its
    /// [extensions](crate::server::ToolExtension::resources) that the server does not have yet, which
    /// changes the list of resources.
    pub fn add_tool(self, tool: impl IntoTool) -> Self {
        let mut tool = tool.into_tool();
        let router = self.server.state.current();
        let is_new = |resource: &ResourceEntry| {
            let mut known = router.resources.entries.iter();
            known.all(|(_, entry)| entry.listed != resource.listed)
        };
        let resources = mem::take(&mut tool.resources).into_iter().filter(is_new);
        let with_resources = resources.fold(self, Self::add_resource);
        with_resources.add(List::Tools, |it| &mut it.tools, tool)
    }

    /// Adds a prompt. If there is a prompt with the same name, the new prompt takes its place in
    /// the list.
    pub fn add_prompt(self, prompt: impl IntoPrompt) -> Self {
        self.add(List::Prompts, |it| &mut it.prompts, prompt.into_prompt())
    }

    /// Adds a resource or template. If there is one with the same URI, the new one takes its place
    /// in the list.
    pub fn add_resource(self, resource: impl IntoResource) -> Self {
        self.add(
            List::Resources,
            |it| &mut it.resources,
            resource.into_resource(),
        )
    }

    /// Removes the server's own tool with this name, if it exists.
    pub fn remove_tool(self, name: impl Into<String>) -> Self {
        self.remove(List::Tools, |it| &mut it.tools, name)
    }

    /// Hides a tool until it is enabled again. Clients can neither list nor call a hidden tool.
    pub fn disable_tool(self, name: impl Into<String>) -> Self {
        self.enable(List::Tools, |it| &mut it.tools, name, false)
    }

    /// Shows a tool again.
    pub fn enable_tool(self, name: impl Into<String>) -> Self {
        self.enable(List::Tools, |it| &mut it.tools, name, true)
    }

    /// Removes the server's own prompt with this name, if it exists.
    pub fn remove_prompt(self, name: impl Into<String>) -> Self {
        self.remove(List::Prompts, |it| &mut it.prompts, name)
    }

    /// Hides a prompt until it is enabled again. Clients can neither list nor request a hidden
    /// prompt.
    pub fn disable_prompt(self, name: impl Into<String>) -> Self {
        self.enable(List::Prompts, |it| &mut it.prompts, name, false)
    }

    /// Shows a prompt again.
    pub fn enable_prompt(self, name: impl Into<String>) -> Self {
        self.enable(List::Prompts, |it| &mut it.prompts, name, true)
    }

    /// Removes the server's own resource or template with this URI, if it exists.
    pub fn remove_resource(self, name: impl Into<String>) -> Self {
        self.remove(List::Resources, |it| &mut it.resources, name)
    }

    /// Hides a resource or template until it is enabled again. Clients can neither list nor read a
    /// hidden resource.
    pub fn disable_resource(self, name: impl Into<String>) -> Self {
        self.enable(List::Resources, |it| &mut it.resources, name, false)
    }

    /// Shows a resource or template again.
    pub fn enable_resource(self, name: impl Into<String>) -> Self {
        self.enable(List::Resources, |it| &mut it.resources, name, true)
    }

    /// Makes the changes, and notifies the clients.
    ///
    /// # Errors
    ///
    /// When one of the lists can't change. In this case, the edit changes nothing.
    pub fn apply(self) -> Result<(), FixedListError> {
        let Self { server, steps } = self;
        let mut lists = steps.iter().map(|(list, _)| *list);
        if let Some(fixed) = lists.find(|list| !server.settings().list_changed.contains(list)) {
            return Err(FixedListError(fixed));
        }
        server.state.change(|registry| {
            let mut changed = BTreeSet::new();
            for (list, step) in steps {
                if step(registry) {
                    changed.insert(list.into());
                }
            }
            changed
        });
        Ok(())
    }

    fn add<R: CatalogEntry>(self, list: List, entries: EntriesOf<R>, entry: R) -> Self {
        self.step(list, move |registry| {
            entries(registry).put(None, entry);
            true
        })
    }

    fn remove<R: CatalogEntry>(
        self,
        list: List,
        entries: EntriesOf<R>,
        name: impl Into<String>,
    ) -> Self {
        let name = name.into();
        self.step(list, move |registry| entries(registry).remove(&name))
    }

    fn enable<R: CatalogEntry>(
        self,
        list: List,
        entries: EntriesOf<R>,
        name: impl Into<String>,
        enabled: bool,
    ) -> Self {
        let name = name.into();
        self.step(list, move |registry| {
            entries(registry).enable(&name, enabled)
        })
    }

    fn step(
        mut self,
        list: List,
        step: impl FnOnce(&mut Registry) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.steps.push((list, Box::new(step)));
        self
    }
}

impl fmt::Debug for Edit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.steps.iter().map(|(list, _)| list);
        f.debug_list().entries(lists).finish()
    }
}
