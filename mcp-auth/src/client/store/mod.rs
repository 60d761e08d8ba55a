//! Stores of tokens and of credentials that a client was registered with.

mod file;
mod file_lock;
#[cfg(feature = "keyring")]
mod keyring;
mod memory;
mod private_file;
#[cfg(test)]
mod testing;
mod token_store;
mod user_folder;

pub use file::FileStore;
#[cfg(feature = "keyring")]
pub use keyring::KeyringStore;
pub use memory::MemoryStore;
pub use token_store::{StoreLock, TokenStore};
pub use user_folder::user_folder;
