//! Tokens in the keyring of the operating system.

use std::io;
use std::sync::Arc;

use mcp_auth::client::store::{FileStore, KeyringStore, TokenStore, user_folder};

/// The store of this user: the keyring, or where there is none, as without a desktop session, files of
/// mode 0600.
///
/// # Errors
///
/// If the environment names no folder for the files, or for the locks of the keyring.
pub(crate) fn store() -> io::Result<Arc<dyn TokenStore>> {
    let folder = user_folder("mcp")?;
    let status = keyring::Entry::store_status().as_ref();
    Ok(
        match status.ok().and_then(|()| keyring_core::get_default_store()) {
            Some(keyring) => Arc::new(KeyringStore::new(keyring, "mcp", folder)),
            None => Arc::new(FileStore::new(folder.join("tokens"))),
        },
    )
}
