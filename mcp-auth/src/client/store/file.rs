//! A token store in files, with locks between processes.

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::BoxFuture;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::{StoreLock, TokenStore};
use crate::limits::client::{LOCK_INTERVAL, LOCK_TIMEOUT};
use crate::util::{base64url, hash_text, sha256};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};

/// A [`TokenStore`] in a folder that several processes of one user can share.
///
/// Each secret is a JSON file whose name is a hash of the key, so the cost of a call does not
/// depend on the number of secrets. On Unix, files have the mode 0600 and new folders the mode
/// 0700, so only their owner can read them. Elsewhere they inherit the access rules of the parent
/// folder. The files are not encrypted. A change is written to a new file that then replaces the
/// old one, so after a crash there is either the old secret or the new one. Files whose names end
/// with `.lock` are empty; they serve as locks and are not removed. A secret stays until it is
/// removed, even if its time has passed.
///
/// If another process holds a lock for longer than 60 seconds, locking fails with the kind
/// `TimedOut`. The operating system releases the locks of a process that is killed.
///
/// ```
/// use mcp_auth::client::store::{FileStore, TokenStore};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let folder = tempfile::tempdir()?;
/// let store = FileStore::new(folder.path().join("my-app/tokens"));
/// store.save("key", "secret", None).await?;
/// assert_eq!(store.load("key").await?.as_deref(), Some("secret"));
/// # Ok::<(), std::io::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct FileStore(Arc<Path>);

impl FileStore {
    /// Creates a store in this folder, which may not exist yet and must not be used for anything
    /// else.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into().into())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.join(format!("{}.json", hash_text(key)))
    }
}

impl TokenStore for FileStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        let path = self.path(key);
        let key = key.to_owned();
        on_disk(&path.clone(), move || read(&path, &key))
    }

    fn save(&self, key: &str, secret: &str, _: Option<Duration>) -> BoxFuture<io::Result<()>> {
        let folder = Arc::clone(&self.0);
        let path = self.path(key);
        let contents = serde_json::json!([key, secret]).to_string();
        Box::pin(async move {
            // The lock allows one new file at a time, so a crash leaves at most one behind.
            let lock = take(folder.join("new.lock")).await?;
            on_disk(&path.clone(), move || {
                // The lock is held until the file is written, even if the caller has stopped
                // waiting.
                let _lock = lock;
                write(&folder.join("new"), &path, contents.as_bytes())
            })
            .await
        })
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        let path = self.path(key);
        on_disk(&path.clone(), move || remove(&path))
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        lock(&self.0.join("key"), key)
    }
}

fn read(path: &Path, key: &str) -> io::Result<Option<String>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    // serde's errors would show the contents of the file.
    let contents: Option<[String; 2]> = serde_json::from_slice(&text).ok();
    let secret = contents.and_then(|[of, secret]| (of == key).then_some(secret));
    let reason = "the file is damaged; remove it to log in again";
    let error = || io::Error::new(ErrorKind::InvalidData, reason);
    secret.map(Some).ok_or_else(error)
}

/// Writes a new file and moves it to `path`.
fn write(new: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    // A crash may have left the file behind. Removing it and creating a new one avoids following a
    // link.
    remove(new)?;
    let mut file = private_file().create_new(true).open(new)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(new, path)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Locks a key with a file whose name begins with `prefix`. Each key has its own file, so waiting
/// for one issuer does not block the others.
pub(super) fn lock(prefix: &Path, key: &str) -> BoxFuture<io::Result<StoreLock>> {
    let hash = base64url(&sha256(key)[..9]);
    let mut path = prefix.as_os_str().to_owned();
    path.push(format!(".{hash}.lock"));
    let path = PathBuf::from(path);
    Box::pin(async move { Ok(StoreLock::new(take(path).await?)) })
}

/// Creates and locks a file. The lock is released when the file is closed.
async fn take(path: PathBuf) -> io::Result<File> {
    let opened = path.clone();
    let file = on_disk(&path, move || {
        create_parent(&opened)?;
        private_file().create(true).truncate(false).open(&opened)
    });
    let file = file.await?;
    wait(&path, &file).await?;
    Ok(file)
}

/// Waits for the lock of a file. It polls, because a blocked thread would keep the runtime from
/// shutting down.
async fn wait(path: &Path, file: &File) -> io::Result<()> {
    let end = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < end => sleep(LOCK_INTERVAL).await,
            Err(error) => return Err(named(path, &error.into())),
        }
    }
}

/// Runs a blocking `action`. Its errors name the path.
fn on_disk<T: Send + 'static>(
    path: &Path,
    action: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> BoxFuture<io::Result<T>> {
    let path = path.to_owned();
    Box::pin(async move {
        let done = spawn_blocking(action).await.map_err(io::Error::other)?;
        done.map_err(|error| named(&path, &error))
    })
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    let reason = format!("the token store {}: {error}", path.display());
    let kind = match error.kind() {
        ErrorKind::WouldBlock => ErrorKind::TimedOut,
        kind => kind,
    };
    io::Error::new(kind, reason)
}

fn create_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    parent.map_or(Ok(()), |it| private_folder().recursive(true).create(it))
}

/// Options for files that only their owner may read: mode 0600. Systems without modes use the
/// access rules of the user's folder.
#[cfg(unix)]
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

/// A builder for folders that only their owner may use: mode 0700.
#[cfg(unix)]
fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Returns the folder for a program in the user's data folder: `$XDG_DATA_HOME` or else
/// `~/.local/share`, `~/Library/Application Support` on macOS, `%APPDATA%` on Windows. The folder
/// may not exist yet.
///
/// ```no_run
/// use mcp_auth::client::store::{FileStore, user_folder};
///
/// let store = FileStore::new(user_folder("my-app")?.join("tokens"));
/// # drop(store);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// [`NotFound`](io::ErrorKind::NotFound) if the environment does not name a data folder.
pub fn user_folder(program: &str) -> io::Result<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from);
    let variable = |name| variable(name).filter(|it| it.is_absolute());
    let folder = variable("XDG_DATA_HOME").or_else(|| match env::consts::OS {
        "windows" => variable("APPDATA"),
        "macos" => Some(env::home_dir()?.join("Library/Application Support")),
        _ => Some(env::home_dir()?.join(".local/share")),
    });
    let missing = || {
        let text = "there is no folder for the user's data: set HOME, or on Windows APPDATA";
        io::Error::new(io::ErrorKind::NotFound, text)
    };
    Ok(folder.ok_or_else(missing)?.join(program))
}

#[cfg(test)]
mod tests {
    use super::super::tests as contract;
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
        contract::texts_are_kept(&store, &other).await;
        contract::locks_exclude(&store, &other).await;
    }

    #[tokio::test]
    async fn changes_at_the_same_time_are_all_kept() {
        let (_folder, store) = store();
        let saving = (0..20).map(|n| store.save(&n.to_string(), "a", None));
        let saving: Vec<_> = saving.map(tokio::spawn).collect();
        for saved in saving {
            saved.await.unwrap().unwrap();
        }
        for n in 0..20 {
            let kept = store.load(&n.to_string()).await.unwrap();
            assert_eq!(kept.as_deref(), Some("a"), "{n}");
        }
    }

    /// The cost of one secret does not depend on the others, because only its own file is read and
    /// written.
    #[tokio::test]
    async fn each_secret_is_a_file_of_its_own() {
        let (_folder, store) = store();
        for n in 0..50 {
            store.save(&n.to_string(), "secret", None).await.unwrap();
        }
        let files = || {
            let files = fs::read_dir(&store.0).unwrap();
            let paths = files.map(|file| file.unwrap().path());
            let mut paths: Vec<_> = paths
                .filter(|it| it.extension() == Some("json".as_ref()))
                .collect();
            paths.sort();
            paths
        };
        let all = files();
        assert_eq!(all.len(), 50);
        assert!(
            all.iter()
                .all(|file| fs::metadata(file).unwrap().len() < 64)
        );
        // The contents of the other files don't matter, even if they are unreadable.
        for file in all.iter().filter(|file| **file != store.path("7")) {
            fs::write(file, "damaged").unwrap();
        }
        assert_eq!(store.load("7").await.unwrap().as_deref(), Some("secret"));
        store.save("7", "other", None).await.unwrap();
        assert_eq!(store.load("7").await.unwrap().as_deref(), Some("other"));
        store.load("8").await.unwrap_err();
        store.remove("8").await.unwrap();
        assert_eq!(store.load("8").await.unwrap(), None);
        assert_eq!(files().len(), 49);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_is_never_released_is_an_error() {
        let (_folder, store) = store();
        let _held = store.lock("a").await.unwrap();
        let error = store.lock("a").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        // Another process stopped while it was writing.
        store.save("a", "1", None).await.unwrap();
        let held = take(store.0.join("new.lock")).await.unwrap();
        let failed = store.save("a", "2", None).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::TimedOut);
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("1"));
        drop(held);
        store.save("a", "3", None).await.unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("3"));
    }

    #[tokio::test]
    async fn damaged_files_are_neither_shown_nor_used() {
        let (_folder, store) = store();
        store.save("a", "secret", None).await.unwrap();
        let of_another = r#"["b","secret"]"#;
        for contents in ["", "{\"key\":", "\"secret\"", "{\"a\":1}", of_another] {
            fs::write(store.path("a"), contents).unwrap();
            let error = store.load("a").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            let text = error.to_string();
            assert!(
                text.contains("tokens") && !text.contains("secret"),
                "{text}"
            );
            assert_eq!(fs::read_to_string(store.path("a")).unwrap(), contents);
        }
        // A login replaces the damaged file.
        store.save("a", "1", None).await.unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("1"));
    }

    #[tokio::test]
    async fn a_file_in_the_place_of_the_folder_is_an_error() {
        let (folder, store) = store();
        fs::create_dir(folder.path().join("app")).unwrap();
        fs::write(&store.0, "{}").unwrap();
        for error in [
            store.load("a").await.unwrap_err(),
            store.save("a", "b", None).await.unwrap_err(),
        ] {
            assert!(error.to_string().contains("tokens"), "{error}");
        }
        assert_eq!(fs::read_to_string(&store.0).unwrap(), "{}");
    }

    #[tokio::test]
    async fn what_a_crash_left_is_replaced() {
        let (_folder, store) = store();
        store.save("a", "1", None).await.unwrap();
        fs::write(store.0.join("new"), "{\"key\":").unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("1"));
        store.save("a", "2", None).await.unwrap();
        assert_eq!(store.load("a").await.unwrap().as_deref(), Some("2"));
        assert!(!store.0.join("new").exists());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_can_read_it() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (folder, store) = store();
        store.save("a", "1", None).await.unwrap();
        let file = store.path("a");
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(&store.0), 0o700);
        assert_eq!(mode(&folder.path().join("app")), 0o700);
        // The mode is also fixed if the file was more open before, and a planted link is not
        // followed.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        symlink(&elsewhere, store.0.join("new")).unwrap();
        store.save("a", "2", None).await.unwrap();
        assert_eq!(mode(&file), 0o600);
        assert!(!elsewhere.exists());
    }
}
