//! Tokens in a file.

use std::sync::Arc;

use mcp_auth::client::store::{FileStore, TokenStore};

use super::folder::folder;
use crate::failure::Failure;

/// The store of this user, a file of mode 0600.
///
/// # Errors
///
/// If the environment names no folder for it.
pub(crate) fn store() -> Result<Arc<dyn TokenStore>, Failure> {
    Ok(Arc::new(FileStore::new(folder()?.join("tokens.json"))))
}
