//! The file of a Unix socket: made, taken over, and removed.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// A socket file of this process, removed when it is dropped.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    /// By which it is known again: somebody else may have put another file in its place.
    identity: (u64, u64),
}

impl SocketFile {
    /// Listens at `path`, with the permissions `mode`.
    ///
    /// The socket is made under another name and moved into place, so that nobody can connect
    /// before its permissions are set, and one that was left behind is replaced in one step.
    ///
    /// # Errors
    ///
    /// When another process listens there, when something else than a socket is there, or when the
    /// directory can't be written to.
    pub(super) fn listen(path: PathBuf, mode: u32) -> io::Result<(Self, UnixListener)> {
        refuse_to_replace(&path)?;
        let made = beside(&path);
        let listener = UnixListener::bind(&made)?;
        let moved = fs::set_permissions(&made, Permissions::from_mode(mode))
            .and_then(|()| fs::symlink_metadata(&made))
            .and_then(|metadata| fs::rename(&made, &path).map(|()| metadata));
        match moved {
            Ok(metadata) => {
                let identity = identity(&metadata);
                Ok((Self { path, identity }, listener))
            }
            Err(error) => {
                // What counts is why it could not be moved.
                let _ = fs::remove_file(&made);
                Err(error)
            }
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|metadata| identity(&metadata) == self.identity);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "a socket file could not be removed");
        }
    }
}

/// Refuses a path where something is that is not a socket without a listener.
fn refuse_to_replace(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let refuse = |reason| Err(io::Error::new(io::ErrorKind::AddrInUse, reason));
    if !metadata.file_type().is_socket() {
        return refuse("there is a file that is no socket");
    }
    match StdStream::connect(path) {
        // Nobody listens: the process that made it has died.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) => refuse("another process listens there"),
    }
}

/// A name in the same directory that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);

    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{:x}-{count:x}", std::process::id()))
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
