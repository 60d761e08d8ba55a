//! Resources: what clients read by URI, and templates of such URIs.
//!
//! A [`ResourceRoute`] is the entry of either in the catalogue. [`ResourceSpec`] builds one;
//! [`UriTemplate`] matches URIs (RFC 6570); [`IntoContents`] makes the answer of what the function
//! returned. [`FileTree`] offers the files of a directory.

pub(crate) mod contents;
mod file_tree;
mod find;
mod route;
pub(crate) mod spec;
mod uri;
mod uri_template;

pub use crate::server::handler::text::{
    FromText, TextArgument, TextArguments, argument as variable, optional,
};
pub use contents::{Contents, IntoContents, NotFound};
pub use file_tree::FileTree;
pub(super) use route::Lister;
pub use route::{ResourceCall, ResourceRoute};
pub use spec::{ResourceClosure, ResourceSpec};
pub use uri_template::{TemplateError, UriTemplate};
