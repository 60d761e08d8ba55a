//! A token store in the operating system's keyring.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use keyring_core::{CredentialStore, Entry, Error};
use mcp_runtime::BoxFuture;
use tokio::task::spawn_blocking;

use super::{StoreLock, TokenStore, file};

/// A [`TokenStore`] in the operating system's keyring, based on the crate `keyring-core`.
///
/// The application chooses the keyring with another crate: `apple-native-keyring-store`,
/// `windows-native-keyring-store`, `zbus-secret-service-keyring-store` on Linux (which needs no
/// system library), or any other store for `keyring-core`. Windows limits a secret to 2560 bytes,
/// which is too little for some tokens. A secret stays until it is removed, even if its time has
/// passed.
///
/// ```
/// use mcp_auth::OAuth;
/// use mcp_auth::client::store::KeyringStore;
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// // Replace the mock, for example with `zbus_secret_service_keyring_store::Store::new()?`.
/// let keyring = keyring_core::mock::Store::new()?;
/// let store = KeyringStore::new(keyring, "my-app", "/home/ada/.local/state/my-app");
/// let oauth = OAuth::new("my-app").store(store);
/// # drop(oauth);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct KeyringStore {
    keyring: Arc<CredentialStore>,
    service: Arc<str>,
    locks: Arc<Path>,
}

impl KeyringStore {
    /// Creates a store in `keyring`. Its entries have `service` as their service name and the key
    /// as their user.
    ///
    /// Keyrings have no locks, so processes exclude each other with empty files in the folder
    /// `locks`, which is created if needed. If another process holds a lock for longer than 60
    /// seconds, locking fails with the kind `TimedOut`.
    #[must_use]
    pub fn new(
        keyring: Arc<CredentialStore>,
        service: impl Into<String>,
        locks: impl Into<PathBuf>,
    ) -> Self {
        Self {
            keyring,
            service: service.into().into(),
            locks: locks.into().join("tokens").into(),
        }
    }

    fn entry<T: Send + 'static>(
        &self,
        key: &str,
        action: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> BoxFuture<io::Result<Option<T>>> {
        let store = self.clone();
        let key = key.to_owned();
        let work = move || {
            let entry = store.keyring.build(&store.service, &key, None)?;
            action(&entry)
        };
        Box::pin(async move {
            match spawn_blocking(work).await.map_err(io::Error::other)? {
                Ok(found) => Ok(Some(found)),
                Err(Error::NoEntry) => Ok(None),
                Err(error) => Err(failed(&error)),
            }
        })
    }
}

impl TokenStore for KeyringStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.entry(key, Entry::get_password)
    }

    fn save(&self, key: &str, secret: &str, _: Option<Duration>) -> BoxFuture<io::Result<()>> {
        let secret = secret.to_owned();
        let saved = self.entry(key, move |entry| entry.set_password(&secret));
        let lost = || io::Error::other("the keyring: the entry was removed while it was saved");
        Box::pin(async move { saved.await?.ok_or_else(lost) })
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        let removed = self.entry(key, Entry::delete_credential);
        Box::pin(async { removed.await.map(drop) })
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        file::lock(&self.locks, key)
    }
}

/// Converts an error. The entries of an ambiguous name are left out, because they may show secrets.
fn failed(error: &Error) -> io::Error {
    let reason = match error {
        Error::Ambiguous(_) => "several entries have the same name".to_owned(),
        error => error.to_string(),
    };
    io::Error::other(format!("the keyring: {reason}"))
}

impl fmt::Debug for KeyringStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyringStore")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::super::tests as contract;
    use super::*;

    #[tokio::test]
    async fn it_is_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = mock::Store::new().unwrap();
        let store = || KeyringStore::new(keyring.clone(), "app", folder.path().join("locks"));
        contract::texts_are_kept(&store(), &store()).await;
        contract::locks_exclude(&store(), &store()).await;
    }

    #[tokio::test]
    async fn an_error_of_the_keyring_is_named_and_shows_no_secret() {
        let keyring = mock::Store::new().unwrap();
        let store = KeyringStore::new(keyring.clone(), "app", "locks");
        store.save("a", "secret", None).await.unwrap();
        let entry = store.keyring.build("app", "a", None).unwrap();
        let credential: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        let other = store.keyring.build("app", "a", None).unwrap();
        credential.set_error(Error::Ambiguous(vec![other]));
        let error = store.load("a").await.unwrap_err().to_string();
        assert!(error.starts_with("the keyring: "), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
