//! Tokens in a file.

use std::io;
use std::sync::Arc;

use mcp_auth::client::store::{FileStore, TokenStore, user_folder};

/// The store of this user, a file of mode 0600.
///
/// # Errors
///
/// If the environment names no folder for it.
pub(crate) fn store() -> io::Result<Arc<dyn TokenStore>> {
    let path = user_folder("mcp")?.join("tokens.json");
    Ok(Arc::new(FileStore::new(path)))
}
