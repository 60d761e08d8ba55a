//! Stores for tokens and for the credentials of registered clients.

mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod memory;
mod shared;
#[cfg(test)]
mod tests;

pub use file::{FileStore, user_folder};
#[cfg(feature = "keyring")]
pub use keyring::KeyringStore;
pub use memory::MemoryStore;
pub use shared::SharedTokens;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use mcp_runtime::BoxFuture;

/// A store of secret strings by key.
///
/// It holds tokens by issuer, resource and [`person`](crate::OAuth::person), credentials of the
/// client by issuer, and the URLs of the servers by person. Keys are not secret; they contain URLs
/// and the identifiers of people. Without a `person`, everybody who has the store acts at a server
/// as the person who logged in there.
///
/// Provided stores are [`MemoryStore`], [`FileStore`], [`SharedTokens`] and, with the feature
/// `keyring`, `KeyringStore`. A custom store must not put secrets into its errors.
pub trait TokenStore: Send + Sync + 'static {
    /// Returns the string that this or another process last saved with this key.
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>>;

    /// Saves a string and replaces an earlier one with the same key. If saving fails, the earlier
    /// string stays.
    ///
    /// After the time `ttl`, the string is no longer useful, and the store may remove it. If `ttl`
    /// is `None`, the end is not known. Nothing depends on the removal, so a store may keep the
    /// string longer.
    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>>;

    /// Removes the string with this key, if there is one.
    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>>;

    /// Locks this key, waiting until the lock is free.
    ///
    /// A lock is held while a refresh token is redeemed, because a refresh token can be used only
    /// once, and another one while a person logs in, which takes minutes. After waiting for a lock,
    /// the caller loads the tokens again. The other methods must work while a lock is held.
    ///
    /// If the lock is not free in time, the error is of the kind
    /// [`TimedOut`](io::ErrorKind::TimedOut). A login then tries again until its own time limit.
    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>>;
}

impl<S: TokenStore + ?Sized> TokenStore for Arc<S> {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        (**self).load(key)
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        (**self).save(key, secret, ttl)
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        (**self).remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        (**self).lock(key)
    }
}

/// The lock of a key in a [`TokenStore`], which is released when it is dropped.
pub struct StoreLock(#[expect(dead_code, reason = "held until it is dropped")] Box<dyn Any + Send>);

impl StoreLock {
    /// Creates a lock that is released when `guard` is dropped.
    #[must_use]
    pub fn new(guard: impl Send + 'static) -> Self {
        Self(Box::new(guard))
    }
}

impl fmt::Debug for StoreLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreLock").finish_non_exhaustive()
    }
}
