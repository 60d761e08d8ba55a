//! The catalog of a server: its tools, prompts, resources and resource templates.
//!
//! Each of these is a [`CatalogEntry`]. `Entries` has all entries of one kind, including disabled
//! and hidden ones, and can be edited. A [`Catalog`] is an immutable snapshot of the offered
//! entries, which requests read: it finds entries by name, filters them by caller, and lists them
//! in pages. `builder` adds entries before the server starts, `edit` changes them afterwards, and
//! `mount` adds the entries of other servers.

mod builder;
mod edit;
mod entries;
mod lists;
mod mount;
mod snapshot;

pub use builder::{IntoPrompt, IntoResource, IntoTool};
pub use edit::{Edit, FixedListError};
pub(super) use entries::{CatalogEntry, Visibility};
pub use lists::List;
pub(super) use lists::{Caching, ListResult, Place};
pub use mount::mount_prefix;
pub(super) use mount::{Mount, Registry, Relay};
pub(super) use snapshot::Catalog;
