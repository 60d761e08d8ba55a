//! Stands in for generated items that are about to arrive.

use mcp_types::Revision;

pub(crate) trait Conform {
    fn conform(&mut self, _revision: Revision) {}
}

impl<T> Conform for T {}
