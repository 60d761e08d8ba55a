//! Tokens in the keyring of the operating system.

use std::io;
use std::sync::Arc;

use mcp_auth::client::store::{KeyringStore, TokenStore, user_folder};

/// The store of this user.
///
/// # Errors
///
/// If there is no keyring, or no folder for its locks.
pub(crate) fn store() -> io::Result<Arc<dyn TokenStore>> {
    let status = keyring::Entry::store_status().as_ref();
    status.map_err(|error| io::Error::other(error.to_string()))?;
    let keyring = keyring_core::get_default_store();
    let keyring = keyring.ok_or_else(|| io::Error::other("this system has no keyring"))?;
    let locks = user_folder("mcp")?;
    Ok(Arc::new(KeyringStore::new(keyring, "mcp", locks)))
}
