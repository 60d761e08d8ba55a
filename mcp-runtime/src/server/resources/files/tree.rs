//! The tree as a resource.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use mcp_types::ResourceTemplate;

use super::list::{LastWalk, Selection};
use super::{path, read};
use crate::limits::MAX_FILE_BYTES;
use crate::server::handler::run::blocking;
use crate::server::resources::{Contents, ResourceRoute, UriTemplate};
use crate::server::{OfferedResource, Reply};

/// The files of a directory and of those in it, as resources.
///
/// Clients read them under `file:///` and the path within the directory. No path leads out of the
/// tree: not by `..`, however it is written, not from the root of the file system, and not by a
/// symbolic link. Files and directories whose names begin with a dot do not exist for clients.
///
/// Whoever may write in the tree could exchange a file for a link between the check and the
/// reading; a tree that others may write in is better offered from a process that can read
/// nothing else.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::resources::FileTree;
///
/// # fn main() -> std::io::Result<()> {
/// let docs = FileTree::new("src")?.uri("docs:///").listed(100).max_size(64 * 1024);
///
/// let mut server = Server::builder();
/// server.resource(docs);
/// # drop(server.build());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileTree {
    root: PathBuf,
    template: ResourceTemplate,
    uri: String,
    selection: Selection,
}

impl FileTree {
    /// The files under `root`.
    ///
    /// # Errors
    ///
    /// When there is no such directory.
    pub fn new(root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into().canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            root,
            template: ResourceTemplate::new("files", ""),
            uri: "file:///".to_owned(),
            selection: Selection {
                hidden: false,
                most: 0,
                max_size: MAX_FILE_BYTES,
            },
        })
    }

    /// The name of the template; `files` unless set.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.template.name = name.into();
        self
    }

    /// Says what the files are.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.template.description = Some(text.into());
        self
    }

    /// What stands before the path in each URI; `file:///` unless set. Two trees of one server
    /// need two of these.
    #[must_use]
    pub fn uri(mut self, prefix: impl Into<String>) -> Self {
        self.uri = prefix.into();
        self
    }

    /// Shows the files in `resources/list`, in the order of their URIs, but no more than `most`; none
    /// are shown unless set. Files that can't be read are left out: those over
    /// [`max_size`](Self::max_size), and those with `\` or `:` in their names.
    ///
    /// The tree is walked for each request; where lists have pages, for the first one, and that walk
    /// serves the pages that are asked for within 30 seconds.
    #[must_use]
    pub fn listed(mut self, most: usize) -> Self {
        self.selection.most = most;
        self
    }

    /// The most bytes that a file may have to be read; 1 MiB unless set.
    #[must_use]
    pub fn max_size(mut self, bytes: u64) -> Self {
        self.selection.max_size = bytes;
        self
    }

    /// Also offers what has a name that begins with a dot.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.selection.hidden = true;
        self
    }

    fn read(&self, path: &str, uri: String) -> Result<Contents, crate::ProtocolError> {
        match path::resolve(&self.root, path, self.selection.hidden) {
            Some(file) => read::read(&file, uri, self.selection.max_size),
            None => Ok(Contents::Missing),
        }
    }
}

impl OfferedResource for FileTree {
    /// The route.
    ///
    /// # Panics
    ///
    /// When the URIs' prefix has braces in it.
    fn resource_route(self) -> ResourceRoute {
        let text = format!("{}{{+path}}", self.uri);
        let template = match UriTemplate::parse(&text) {
            Ok(template) => template,
            Err(error) => panic!("`{}` can't begin a URI: {error}", self.uri),
        };
        let tree = Arc::new(self);
        let listing = Arc::clone(&tree);
        let listed = tree.template.clone();
        let mut route = ResourceRoute::template(listed, template, move |call| {
            let path = call.variables.get("path").cloned().unwrap_or_default();
            let (tree, uri) = (Arc::clone(&tree), call.uri.to_owned());
            Reply::Pending(Box::pin(blocking(move || tree.read(&path, uri))))
        });
        if listing.selection.most == 0 {
            return route;
        }
        let last = Arc::new(LastWalk::default());
        route.lister = Some(Arc::new(move |part| {
            let (tree, last) = (Arc::clone(&listing), Arc::clone(&last));
            Box::pin(blocking(move || {
                last.list(&tree.root, &tree.uri, &tree.selection, &part)
            }))
        }));
        route
    }
}
