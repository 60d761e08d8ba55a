//! Locks between processes, by files.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mcp_runtime::BoxFuture;
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::private_file;
use super::token_store::StoreLock;
use crate::limits::client::{LOCK_INTERVAL, LOCK_TIMEOUT};

/// Takes the lock of a key: of a file whose name begins with `prefix`. One file for each key, so that
/// to wait for one issuer does not hinder the others.
pub(super) fn lock(prefix: &Path, key: &str) -> BoxFuture<io::Result<StoreLock>> {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(&digest(&SHA256, key.as_bytes()).as_ref()[..9]);
    let path = with_suffix(prefix, &format!(".{hash}.lock"));
    Box::pin(async move { Ok(StoreLock::new(take(path).await?)) })
}

/// Takes the lock of a file, which is created; it is released when the file is closed.
pub(super) async fn take(path: PathBuf) -> io::Result<File> {
    let opened = path.clone();
    let file = on_disk(&path, move || {
        create_parent(&opened)?;
        private_file::open(&opened)
    });
    let file = file.await?;
    wait(&path, &file).await?;
    Ok(file)
}

/// Waits for the lock of a file; no thread waits, which would keep the runtime from ending.
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

/// Runs `action` where it may block; its errors name the path.
pub(super) fn on_disk<T: Send + 'static>(
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

pub(super) fn create_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    parent.map_or(Ok(()), private_file::create_folder)
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
