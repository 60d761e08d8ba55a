//! Kills a server with tasks in a SQLite database.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod mill;

use mcp_extensions::tasks::Tasks;
use mcp_extensions::tasks::store::SqliteTaskStore;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = |database: &str| {
        let tasks = Tasks::new(SqliteTaskStore::open(database).unwrap());
        std::future::ready(tasks)
    };
    let database = folder.path().join("tasks.db");
    mill::run(tasks, || Some(database.to_str().unwrap().to_owned()));
}
