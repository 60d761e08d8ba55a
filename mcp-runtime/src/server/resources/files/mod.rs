//! A directory whose files are resources.
//!
//! `tree` is what a server offers; `path` decides which file a URI may name; `read` reads one, and
//! `list` finds them, page by page; `media` guesses what is in a file.

mod list;
mod media;
mod path;
mod read;
mod tree;

pub use tree::FileTree;
