//! Tasks (`io.modelcontextprotocol/tasks`): tool calls that continue after they are answered.

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

/// Locks a mutex, even if it is poisoned. No code of this module leaves a half-changed value behind
/// a lock, so the value is still valid after a tool has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
