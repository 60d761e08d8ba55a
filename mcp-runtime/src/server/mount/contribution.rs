//! What a mounted server adds to what holds for the outer one as a whole.

use super::Mount;
use crate::server::changes::Change;
use crate::server::edit::Catalog;
use crate::server::settings::Settings;
use crate::server::{Server, ServerBuilder};

impl ServerBuilder {
    /// Offers everything that `server` offers as well, under names and URIs that begin with
    /// `prefix`: the tool `search` becomes `gh_search`, the resource `repo://main` becomes
    /// `gh+repo://main`. With an empty prefix, all keep their names. Of those that have one name, the
    /// entry of this server itself is offered, or else that of the server that was mounted first; a
    /// warning of `tracing` tells of the others, which come back when that one is removed.
    ///
    /// What changes in the mounted server changes here, and clients are told. A handler's
    /// [`Context::server`](crate::Context::server) is the server that it belongs to.
    ///
    /// What holds for a server as a whole is joined: its instructions follow those of this one, under
    /// a heading that names the prefix, if there is one; its experimental capabilities are offered;
    /// its extensions are declared and their methods served, its hooks run where it was mounted among
    /// those of this one, clients have to have what either of them
    /// [requires](Self::requires), and are sent what its handlers log. How lists are cut and kept,
    /// the revisions, the name and the keys that seal state are those of this one.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolSpec, argument};
    ///
    /// let mut github = Server::builder();
    /// let search = ToolSpec::new("search").arguments((argument::<String>("text"),));
    /// github.tool(search.call(|(text,), _| format!("nothing about {text}")));
    ///
    /// let mut server = Server::builder();
    /// server.mount("gh", &github.build());
    /// assert_eq!(server.build().tools()[0].name, "gh_search");
    /// ```
    ///
    /// # Panics
    ///
    /// When the prefix is not empty, and no letter that is followed by letters, digits, `-` and `.`.
    pub fn mount(&mut self, prefix: &str, server: &Server) -> &mut Self {
        let mount = Mount::new(prefix, server.clone());
        let known = |mount: &Mount| mount.links().server.is_same(server);
        // Under a second prefix it is still one server, which starts once.
        if !self.inventory.mounts.iter().any(known) {
            self.settings.hooks.mount(server);
        }
        let dynamic = server.settings().dynamic;
        self.settings.dynamic.add_all(dynamic.iter());
        self.inventory.mounts.push(mount);
        self
    }
}

/// Adds to the settings of a server those of its mounts that hold for it as a whole.
///
/// # Panics
///
/// When mounted servers declare one extension with different settings, or both serve one of its
/// methods.
pub(in crate::server) fn join_settings(settings: &mut Settings, mounts: &[Mount]) {
    for (index, mount) in mounts.iter().enumerate() {
        let links = mount.links();
        let theirs = links.server.settings();
        settings.logging |= theirs.logging;
        settings.requirement = settings.requirement.and(&theirs.requirement);
        let known = |mount: &Mount| mount.links().server.is_same(&links.server);
        if !mounts[..index].iter().any(known) {
            settings.extensions.mount(&links.server);
        }
    }
}

/// Adds routes to everything that mounted servers offer.
pub(in crate::server) fn add_routes(inventory: &mut Catalog) {
    for (index, mount) in inventory.mounts.clone().iter().enumerate() {
        for list in [Change::Tools, Change::Prompts, Change::Resources] {
            mount.sync(index, inventory, &list);
        }
    }
}
