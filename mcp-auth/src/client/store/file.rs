//! Store in a file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_runtime::transport::http_client::BoxFuture;

use super::file_lock::{self, on_disk, with_suffix};
use super::private_file;
use super::token_store::{StoreLock, TokenStore};

/// A [`TokenStore`] in a JSON file, which several processes of one user can share.
///
/// On Unix its mode is 0600: only its owner can read it; so are the folders that are created for
/// it, 0700. Elsewhere it has the access rules of its folder. It is not encrypted. A change is written
/// to a new file beside it, which then replaces it: a crash leaves the old contents or the new
/// ones. Files with its name and `.lock` at the end are for locks; they are empty and stay.
///
/// A lock that another process holds for longer than 60 seconds is an error of kind `TimedOut`.
///
/// ```
/// use mcp_auth::client::store::{FileStore, TokenStore};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let folder = tempfile::tempdir()?;
/// let store = FileStore::new(folder.path().join("my-app/tokens.json"));
/// store.save("key", "secret").await?;
/// assert_eq!(store.load("key").await?.as_deref(), Some("secret"));
/// # Ok::<(), std::io::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct FileStore(Arc<Path>);

impl FileStore {
    /// A store in this file, which need not exist.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into().into())
    }

    /// Calls `edit` with the contents and writes them again. Others wait meanwhile.
    fn update(
        &self,
        edit: impl FnOnce(&mut BTreeMap<String, String>) + Send + 'static,
    ) -> BoxFuture<io::Result<()>> {
        let path = Arc::clone(&self.0);
        Box::pin(async move {
            let lock = file_lock::take(with_suffix(&path, ".lock")).await?;
            on_disk(&Arc::clone(&path), move || {
                // Also if nobody waits any more.
                let _lock = lock;
                let mut contents = read(&path)?;
                edit(&mut contents);
                write(&path, &contents)
            })
            .await
        })
    }
}

impl TokenStore for FileStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        let (path, key) = (Arc::clone(&self.0), key.to_owned());
        on_disk(&self.0, move || Ok(read(&path)?.remove(&key)))
    }

    fn save(&self, key: &str, secret: &str) -> BoxFuture<io::Result<()>> {
        let (key, secret) = (key.to_owned(), secret.to_owned());
        self.update(move |contents| drop(contents.insert(key, secret)))
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        let key = key.to_owned();
        self.update(move |contents| drop(contents.remove(&key)))
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        file_lock::lock(&self.0, key)
    }
}

fn read(path: &Path) -> io::Result<BTreeMap<String, String>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        read => read?,
    };
    // serde's errors would show what is in the file.
    let contents = serde_json::from_slice(&text);
    contents.map_err(|_| {
        let reason = "it is no JSON object of texts; remove it to log in anew";
        io::Error::new(ErrorKind::InvalidData, reason)
    })
}

/// Writes all contents to a new file, which takes the place of the old one.
fn write(path: &Path, contents: &BTreeMap<String, String>) -> io::Result<()> {
    let new = with_suffix(path, ".new");
    // What a crash has left. A new file is created in its place: a link is not followed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private_file::create_new(&new)?;
    file.write_all(&serde_json::to_vec_pretty(contents)?)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn store() -> (tempfile::TempDir, FileStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("app/tokens"));
        (folder, store)
    }

    #[tokio::test]
    async fn it_is_a_store() {
        let (_folder, store) = store();
        let other = FileStore::new(&*store.0);
        testing::texts_are_kept(&store, &other).await;
        testing::locks_exclude(&store, &other).await;
    }

    #[tokio::test]
    async fn changes_at_the_same_time_are_all_kept() {
        let (_folder, store) = store();
        let saving = (0..20).map(|n| store.save(&n.to_string(), "a"));
        let saving: Vec<_> = saving.map(tokio::spawn).collect();
        for saved in saving {
            saved.await.unwrap().unwrap();
        }
        assert_eq!(read(&store.0).unwrap().len(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_is_never_released_is_an_error() {
        let (_folder, store) = store();
        let _held = store.lock("a").await.unwrap();
        let error = store.lock("a").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        // Another process writes, and has stopped.
        store.save("a", "1").await.unwrap();
        let held = file_lock::take(with_suffix(&store.0, ".lock"))
            .await
            .unwrap();
        for failed in [store.save("a", "2").await, store.remove("a").await] {
            assert_eq!(failed.unwrap_err().kind(), ErrorKind::TimedOut);
        }
        drop(held);
        store.save("a", "3").await.unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("3"));
    }

    #[tokio::test]
    async fn other_contents_are_neither_shown_nor_overwritten() {
        let (folder, store) = store();
        fs::create_dir(folder.path().join("app")).unwrap();
        for contents in ["", "{\"a\":", "\"secret\"", "{\"a\":1}"] {
            fs::write(&store.0, contents).unwrap();
            let load = store.load("a").await.unwrap_err();
            let save = store.save("a", "b").await.unwrap_err();
            for error in [load, save] {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                let text = error.to_string();
                assert!(
                    text.contains("tokens") && !text.contains("secret"),
                    "{text}"
                );
            }
            assert_eq!(fs::read_to_string(&store.0).unwrap(), contents);
        }
    }

    #[tokio::test]
    async fn what_a_crash_left_is_replaced() {
        let (folder, store) = store();
        store.save("a", "1").await.unwrap();
        fs::write(folder.path().join("app/tokens.new"), "{\"a\":").unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("1"));
        store.save("a", "2").await.unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("2"));
        assert!(!folder.path().join("app/tokens.new").exists());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_can_read_it() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (folder, store) = store();
        store.save("a", "1").await.unwrap();
        assert_eq!(mode(&store.0), 0o600);
        assert_eq!(mode(&folder.path().join("app")), 0o700);
        // Also if it was more open before, and if someone has put a link in the way.
        fs::set_permissions(&store.0, fs::Permissions::from_mode(0o644)).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        symlink(&elsewhere, folder.path().join("app/tokens.new")).unwrap();
        store.save("a", "2").await.unwrap();
        assert_eq!(mode(&store.0), 0o600);
        assert!(!elsewhere.exists());
    }
}
