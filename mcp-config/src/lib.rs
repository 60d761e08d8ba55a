#![doc = include_str!("../README.md")]

mod decode;
mod edit;
mod entry;
mod error;
mod file;
mod places;
mod servers;
mod source;
mod target;
mod variables;

pub use edit::Change;
pub use entry::Entry;
pub use error::{ConfigError, FileFault};
pub use servers::{Place, Servers};
pub use source::Source;
pub use target::{Program, Remote, Target};
pub use variables::{Input, Variable, Variables, expand};
