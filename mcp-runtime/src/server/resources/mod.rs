//! Resources: what clients read by URI, and templates of such URIs.
//!
//! A [`ResourceRoute`] is what the router keeps of either. `spec` builds one; [`UriTemplate`]
//! matches URIs (RFC 6570); [`IntoContents`] makes the answer of what the function returned.
//! [`FileTree`] is a ready one, for the files of a directory.

mod canonical;
mod closure;
pub(crate) mod contents;
mod files;
mod lists;
mod matching;
mod mounted;
mod route;
pub(crate) mod spec;
mod table;
pub(crate) mod template;

pub use crate::server::handler::text::{FromText, TextArgument, argument as variable, optional};
pub use crate::server::handler::tuple::TextArguments;
pub use closure::ResourceClosure;
pub use contents::{Contents, IntoContents, NotFound};
pub use files::FileTree;
pub(super) use lists::{Listing, Viewer};
pub use route::{ResourceCall, ResourceRoute};
pub use spec::ResourceSpec;
pub(super) use table::Resources;
pub use template::{TemplateError, UriTemplate};
