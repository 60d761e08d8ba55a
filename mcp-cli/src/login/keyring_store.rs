//! Tokens in the keyring of the operating system.

use std::sync::Arc;

use mcp_auth::client::store::{KeyringStore, TokenStore};

use super::folder::folder;
use crate::failure::{Failure, Kind};

/// The store of this user.
///
/// # Errors
///
/// If there is no keyring, or no folder for its locks.
pub(crate) fn store() -> Result<Arc<dyn TokenStore>, Failure> {
    let missing = |cause: String| {
        let message = format!("there is no keyring ({cause}): unlock it, or use `mcp` without it");
        Failure::new(Kind::Unexpected, message)
    };
    if let Err(error) = keyring::Entry::store_status() {
        return Err(missing(error.to_string()));
    }
    let keyring = keyring_core::get_default_store();
    let keyring = keyring.ok_or_else(|| missing("none is known on this system".to_owned()))?;
    Ok(Arc::new(KeyringStore::new(keyring, "mcp", folder()?)))
}
