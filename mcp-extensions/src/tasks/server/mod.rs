//! Tasks on a server.

mod defer;
mod elsewhere;
mod extension;
mod lease;
mod maintenance;
mod process;
mod records;
mod running;
mod tasks;
mod tool;

pub use defer::Defer;
pub use elsewhere::{CreatedTask, OpenTask};
pub use tasks::Tasks;
pub use tool::{Task, TaskDuration};
