//! Servers over Unix sockets.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr as StdSocketAddr, UnixStream as StdStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Context;

use http::Extensions;
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};

use crate::connection::frame_limit;
use crate::error::ServeError;
use crate::limits::MAX_CONNECTIONS;
use crate::server::serve::listen::{listen, serve_connection};
use crate::server::{Connected, Endpoint, Running};
use crate::transport::address::error_at;
use crate::transport::{ByteStream, MAX_FRAME_BYTES};

/// Serves clients over a Unix socket at the file `path`, each on its own connection.
///
/// Only the user who runs the server has access, unless [`mode`](Unix::mode) is set; the directory
/// must also let clients reach the file. The file of a server that has died is replaced. Serving
/// fails if a server is listening there, or if the path is anything other than a socket. The file
/// is removed when the server ends. The operating system limits the path to about 100 bytes.
/// Handlers get the caller with `cx.identity::<PeerCredentials>()`.
///
/// ```no_run
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::unix;
///
/// # struct Library;
/// # #[mcp_server] impl Library {}
/// #[mcp_runtime::main]
/// async fn main() -> Result<(), ServeError> {
///     Library.serve(unix("/run/library.sock")).await
/// }
/// ```
#[must_use]
pub fn unix(path: impl Into<PathBuf>) -> Unix {
    Unix {
        path: path.into(),
        mode: 0o600,
        max_frame_bytes: MAX_FRAME_BYTES,
        max_connections: MAX_CONNECTIONS,
    }
}

/// A socket file at which clients are served; made by [`unix`].
#[derive(Clone, Debug)]
pub struct Unix {
    path: PathBuf,
    mode: u32,
    max_frame_bytes: usize,
    max_connections: usize,
}

frame_limit!(Unix, max_frame_bytes);

/// The process at the other end of a Unix socket, as the operating system reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerCredentials {
    /// The user ID.
    pub user: u32,
    /// The group ID.
    pub group: u32,
    /// The process ID, if the system reports it.
    pub process: Option<i32>,
}

impl Unix {
    /// Sets the permissions of the file, `0o600` by default. Users with write permission may
    /// connect: `0o660` admits the members of the file's group, `0o666` all users.
    #[must_use]
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the maximum number of connected clients; 10,000 by default. Other clients wait to be
    /// accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl Endpoint for Unix {
    fn prepare(&mut self) -> Result<(), ServeError> {
        ServeError::check([
            ("max_frame_bytes", self.max_frame_bytes == 0),
            ("max_connections", self.max_connections == 0),
            ("mode", self.mode == 0),
        ])
    }

    async fn run(self, running: Running) -> Result<(), ServeError> {
        let place = format!("unix:{}", self.path.display());
        let socket = SocketFile::listen(self.path.clone(), self.mode);
        let socket = socket.map_err(|error| {
            ServeError::Open(error_at(&format_args!("{:?}", self.path), &error))
        })?;
        let serve = move |(stream, _): (UnixStream, SocketAddr), mut running: Running, ending| {
            if let Ok(credentials) = stream.peer_cred() {
                let mut extensions = Extensions::new();
                extensions.insert(PeerCredentials {
                    user: credentials.uid(),
                    group: credentials.gid(),
                    process: credentials.pid(),
                });
                running.peer = running.peer.identified(Arc::new(extensions));
            }
            let (reader, writer) = stream.into_split();
            let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
            serve_connection(lines, running, ending)
        };
        let poll_accept = move |cx: &mut Context<'_>| socket.listener.poll_accept(cx);
        listen(running, &place, self.max_connections, poll_accept, serve).await;
        Ok(())
    }
}

impl Connected for Unix {}

/// A socket file of this process, removed when it is dropped.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    /// The device and inode, to tell whether another file has taken the path.
    identity: (u64, u64),
    listener: UnixListener,
}

impl SocketFile {
    /// Listens at `path`. The socket file gets the permissions `mode`.
    ///
    /// The socket is created under another name and then renamed. Clients can therefore connect
    /// only once the permissions are set, and a stale socket is replaced atomically.
    ///
    /// # Errors
    ///
    /// When another process listens at `path`, when `path` is not a socket, or when the directory
    /// can't be written to.
    fn listen(path: PathBuf, mode: u32) -> io::Result<Self> {
        check_free(&path)?;
        let made = temporary(&path);
        let listener = UnixListener::bind(&made)?;
        let moved = fs::set_permissions(&made, Permissions::from_mode(mode))
            .and_then(|()| fs::symlink_metadata(&made))
            .and_then(|metadata| fs::rename(&made, &path).map(|()| metadata));
        match moved {
            Ok(metadata) => Ok(Self {
                identity: identity(&metadata),
                path,
                listener,
            }),
            Err(error) => {
                // The first error is the one to report.
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

/// Checks that `path` is a valid path for a socket, and that it is unused or a stale socket.
fn check_free(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() {
        let text = "this is not the path of a file: write one such as `/run/library.sock`";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    // Binding the shorter temporary name would not report that `path` is too long.
    StdSocketAddr::from_pathname(path)?;
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let refuse = |reason| Err(io::Error::new(io::ErrorKind::AddrInUse, reason));
    if !metadata.file_type().is_socket() {
        return refuse("the path is a file that is not a socket");
    }
    match StdStream::connect(path) {
        // The process that listened has died.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) => refuse("another process listens there"),
    }
}

/// Returns an unused name in the same directory.
fn temporary(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);

    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{:x}-{count:x}", std::process::id()))
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
