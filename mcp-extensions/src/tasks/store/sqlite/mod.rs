//! Tasks in a SQLite database, which several processes of a machine may share.

mod connections;
#[cfg_attr(unix, path = "private_file_unix.rs")]
#[cfg_attr(not(unix), path = "private_file.rs")]
mod private_file;
mod schema;
mod store;
#[cfg(test)]
mod tests;

pub use store::SqliteTaskStore;
