#![doc = include_str!("../README.md")]
// Compiles the programs of this document.
#![cfg_attr(
    all(doctest, feature = "apps", feature = "testing"),
    doc = include_str!("../../docs/apps.md")
)]
#![cfg_attr(all(doctest, feature = "sqlite"), doc = include_str!("../../docs/tasks.md"))]
#![cfg_attr(all(doctest, feature = "skills"), doc = include_str!("../../docs/skills.md"))]

#[cfg(any(feature = "skills", feature = "tasks"))]
#[macro_use]
mod requests;
#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "tasks")]
pub mod tasks;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "apps")]
pub use apps::{App, Apps};
#[cfg(feature = "sqlite")]
pub use tasks::SqliteTaskStore;
#[cfg(feature = "tasks")]
pub use tasks::{Task, Tasks};
