//! The stores of this crate keep the contract of stores of tasks.
#![allow(clippy::unwrap_used)]

use mcp_extensions::SqliteTaskStore;
use mcp_extensions::tasks::store::MemoryTaskStore;
use mcp_extensions::testing::store_contract;

#[tokio::test]
async fn memory_keeps_the_contract() {
    let store = MemoryTaskStore::new();
    store_contract(store.clone(), store).await;
}

#[tokio::test]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let store = SqliteTaskStore::open(&file).unwrap();
    store_contract(store, SqliteTaskStore::open(&file).unwrap()).await;
}
