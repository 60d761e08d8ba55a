//! Resources, which clients read by URI, and resource templates.
//!
//! A [`ResourceEntry`] is a resource or template that a server offers, and [`ResourceBuilder`] builds
//! one. A [`UriTemplate`] matches URIs (RFC 6570). [`IntoContents`] converts the return value of a
//! function into the answer. [`FileTree`] offers the files of a directory.

pub(crate) mod builder;
pub(crate) mod contents;
mod entry;
mod file_tree;
mod find;
pub(crate) mod uri;
mod uri_template;

pub use crate::server::handler::{
    FromText, TextArgument, TextArguments, argument as variable, optional,
};
pub use builder::ResourceBuilder;
pub use contents::{Contents, IntoContents, NotFound};
pub(super) use entry::Lister;
pub(in crate::server) use entry::around_resource;
pub use entry::{IntoResources, ListPart, ResourceCall, ResourceEntry};
pub use file_tree::{FileTree, media_type};
pub use uri::ResourceUri;
pub use uri_template::{TemplateError, UriTemplate};
