//! Tasks in a client.

mod extension;
mod follower;
mod handle;

pub use extension::TasksClient;
pub use handle::{CallTask, ResumeTask, TaskHandle, TaskTicket};
