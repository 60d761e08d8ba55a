//! Tasks (`io.modelcontextprotocol/tasks`): calls of tools that go on after they were answered.

mod client;
mod limits;
mod server;
pub mod store;
mod sync;
mod types;

pub use client::{CallTask, ResumeTask, TaskHandle, TaskTicket, TasksClient};
pub use limits::TaskLimits;
pub use server::{CreatedTask, Defer, OpenTask, Task, TaskDuration, Tasks};
#[cfg(feature = "sqlite")]
pub use store::SqliteTaskStore;
pub use types::{ID, TASK_SUPPORT, TaskState, TaskStatus};
