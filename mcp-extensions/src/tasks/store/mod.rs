//! Stores for tasks.

mod memory;
mod record;
#[cfg(feature = "sqlite")]
mod sqlite;
mod task_store;

pub use memory::MemoryTaskStore;
pub use record::{SavedCall, TaskInputs, TaskRecord};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteTaskStore;
pub use task_store::{Renewal, TaskStore, TaskStoreError, TaskStoreFuture};
