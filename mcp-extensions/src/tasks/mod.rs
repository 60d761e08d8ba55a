//! Tasks (`io.modelcontextprotocol/tasks`): calls of tools that go on after they were answered.

mod limits;
mod types;

pub use types::{ID, TaskState, TaskStatus};
