//! Where tokens are kept between commands.

use std::io;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "keyring")]
use mcp_auth::client::store::KeyringStore;
use mcp_auth::client::store::{FileStore, TokenStore, user_folder};

/// The store of this user: the keyring of the operating system, or where there is none, as without a
/// desktop session, files of mode 0600.
///
/// # Errors
///
/// If the environment names no folder for the files, or for the locks of the keyring.
pub(super) fn store() -> io::Result<Arc<dyn TokenStore>> {
    let folder = user_folder("mcp")?;
    let keyring = keyring(&folder);
    Ok(keyring.unwrap_or_else(|| Arc::new(FileStore::new(folder.join("tokens")))))
}

#[cfg(feature = "keyring")]
fn keyring(folder: &Path) -> Option<Arc<dyn TokenStore>> {
    keyring::Entry::store_status().as_ref().ok()?;
    let keyring = keyring_core::get_default_store()?;
    Some(Arc::new(KeyringStore::new(keyring, "mcp", folder)))
}

#[cfg(not(feature = "keyring"))]
fn keyring(_: &Path) -> Option<Arc<dyn TokenStore>> {
    None
}
