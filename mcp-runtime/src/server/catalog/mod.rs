//! The catalogue: one registry for tools, prompts, resources and resource templates.
//!
//! A [`CatalogEntry`] is one of these. [`Entries`] has all of one kind, disabled and hidden ones
//! included, and is edited; [`Catalog`] is an immutable snapshot of those that are offered, which
//! requests read: found by name, filtered by caller, listed in pages. `builder` adds entries before
//! the server starts, `edit` changes them afterwards, and `mount` adds those of other servers, as
//! `mounted` makes them.

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
pub(super) use mount::{Mount, Namespace, Registry, Relay};
pub(super) use snapshot::Catalog;
