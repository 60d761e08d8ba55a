//! Tasks in a client.

mod extension;
mod follower;
mod handle;
mod ticket;

pub use extension::TasksClient;
pub use handle::{CallTask, TaskHandle};
pub use ticket::{ResumeTask, TaskTicket};
