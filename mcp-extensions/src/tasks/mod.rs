//! Tasks (`io.modelcontextprotocol/tasks`): calls of tools that go on after they were answered.

mod client;
mod limits;
mod server;
pub mod store;
mod types;

pub use client::{CallTask, ResumeTask, TaskHandle, TaskTicket, TasksClient};
pub use limits::TaskLimits;
pub use server::{CreatedTask, Defer, OpenTask, Task, TaskDuration, Tasks};
#[cfg(feature = "sqlite")]
pub use store::SqliteTaskStore;
pub use types::{ID, TASK_SUPPORT, TaskState, TaskStatus};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, which stays usable after a panic: no code of this module leaves a half-changed value behind a
/// lock, so one that is poisoned by the panic of a tool is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
