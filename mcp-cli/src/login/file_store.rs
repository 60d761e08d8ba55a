//! Tokens in files.

use std::io;
use std::sync::Arc;

use mcp_auth::client::store::{FileStore, TokenStore, user_folder};

/// The store of this user, files of mode 0600.
///
/// # Errors
///
/// If the environment names no folder for them.
pub(crate) fn store() -> io::Result<Arc<dyn TokenStore>> {
    let folder = user_folder("mcp")?.join("tokens");
    Ok(Arc::new(FileStore::new(folder)))
}
