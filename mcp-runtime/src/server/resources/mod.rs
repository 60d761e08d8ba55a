//! Resources: what clients read by URI, and templates of such URIs.
//!
//! A [`ResourceEntry`] is the entry of either in the catalogue. [`ResourceBuilder`] builds one;
//! [`UriTemplate`] matches URIs (RFC 6570); [`IntoContents`] makes the answer of what the function
//! returned. [`FileTree`] offers the files of a directory.

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
pub use file_tree::FileTree;
pub use uri::ResourceUri;
pub use uri_template::{TemplateError, UriTemplate};
