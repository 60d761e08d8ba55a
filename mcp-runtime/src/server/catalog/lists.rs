//! The lists of a server.

use std::fmt;

use mcp_types::{Conform, Revision};
use serde::Serialize;

use super::caching::Cached;
use crate::server::changes::Change;

/// A list that a server shows to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum List {
    /// The tools.
    Tools,
    /// The prompts.
    Prompts,
    /// The resources, and the templates of resources.
    Resources,
}

impl List {
    /// Every list.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        })
    }
}

impl From<List> for Change {
    fn from(list: List) -> Self {
        match list {
            List::Tools => Self::Tools,
            List::Prompts => Self::Prompts,
            List::Resources => Self::Resources,
        }
    }
}

/// The result of one of the four requests for a list.
pub(in crate::server) trait ListResult: Cached + Conform + Serialize {
    type Entry;
    type Item;

    /// The number that its cursors have, to tell them from those of other lists.
    const NUMBER: u8;

    /// `true` for the list of the entries that are templates; the others have all other entries.
    const TEMPLATES: bool = false;

    /// The entry as `revision` lists it; `None` for an entry of another list.
    fn item(entry: &Self::Entry, revision: Revision) -> Option<Self::Item>;

    /// A page with `items`.
    fn page(items: Vec<Self::Item>, next_cursor: Option<String>) -> Self;
}
