//! Tasks on a server.

mod defer;
mod elsewhere;
mod extension;
mod process;
mod records;
mod running;
mod tool;

pub use defer::Defer;
pub use elsewhere::{CreatedTask, OpenTask};
pub use extension::Tasks;
pub use tool::{Task, TaskDuration};
