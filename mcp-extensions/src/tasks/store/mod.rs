//! Where tasks are kept.

mod memory;
mod record;
mod shared_text;
#[cfg(feature = "sqlite")]
mod sqlite;
mod task_store;
mod usage;

pub use memory::MemoryTaskStore;
pub use record::{SavedCall, TaskInputs, TaskRecord};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteTaskStore;
pub use task_store::{StoreFuture, TaskStore, TaskStoreError};
