//! Stores of tokens and of credentials that a client was registered with.

mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod memory;
#[cfg(test)]
mod testing;

pub use file::{FileStore, user_folder};
#[cfg(feature = "keyring")]
pub use keyring::KeyringStore;
pub use memory::MemoryStore;

use std::any::Any;
use std::sync::Arc;
use std::{fmt, io};

use mcp_runtime::BoxFuture;

/// A store of secret texts, each with a key: tokens by issuer, resource and
/// [`person`](crate::OAuth::person), credentials of the client by issuer, and the URLs of the servers by
/// person. Keys are not secret; they have URLs in them, and the identifiers of persons.
///
/// Without a `person`, whoever has the store acts at a server as the one who has logged in there.
///
/// There are [`MemoryStore`] and [`FileStore`], with the feature
/// `keyring` also the operating system's. A store of one's own must not put secrets into its errors.
pub trait TokenStore: Send + Sync + 'static {
    /// Returns the text that was saved last with this key, by this or by another process.
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>>;

    /// Saves a text, in the place of an earlier one with the same key. If it fails, the earlier one
    /// stays.
    fn save(&self, key: &str, secret: &str) -> BoxFuture<io::Result<()>>;

    /// Removes the text with this key, if there is one.
    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>>;

    /// Takes the lock of this key, and waits until it is free. The lock is held while a refresh token is
    /// redeemed, because a refresh token is good for one use. Who has waited loads the tokens again. The
    /// other methods work while the lock is held.
    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>>;
}

impl<S: TokenStore + ?Sized> TokenStore for Arc<S> {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        (**self).load(key)
    }

    fn save(&self, key: &str, secret: &str) -> BoxFuture<io::Result<()>> {
        (**self).save(key, secret)
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        (**self).remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        (**self).lock(key)
    }
}

/// The lock of a key in a [`TokenStore`]; released when it is dropped.
pub struct StoreLock(#[expect(dead_code, reason = "held until it is dropped")] Box<dyn Any + Send>);

impl StoreLock {
    /// A lock that is released when `guard` is dropped.
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
