//! Tasks in a SQLite database, which several processes of a machine may share.

mod connections;
mod store;
#[cfg(test)]
mod tests;

pub use store::SqliteTaskStore;
