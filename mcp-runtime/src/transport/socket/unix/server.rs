//! Listening at a Unix socket.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::{UnixListener, UnixStream};

use super::file::SocketFile;
use crate::error::ServeError;
use crate::limits::MAX_CONNECTIONS;
use crate::server::listen::listen;
use crate::server::running::Running;
use crate::server::{Connected, Endpoint};
use crate::transport::DEFAULT_MAX_FRAME_BYTES;
use crate::transport::socket::door::{Door, Entrance};

/// A socket file at which clients are served, each on a connection of its own.
///
/// The file belongs to the user who runs the server and lets nobody else in, unless
/// [`mode`](Unix::mode) says otherwise; the directory must let clients reach it. A file that a server
/// left behind that has died is replaced; while one is alive, or where something else is, serving
/// fails. The file is removed at the end. Its path is limited to about 100 bytes by the operating
/// system. Handlers find out who calls with `cx.identity::<Caller>()`.
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
        max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
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

/// Who is at the other end of a Unix socket, by the word of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The number of the user.
    pub user: u32,
    /// The number of the group.
    pub group: u32,
    /// The number of the process, where the system tells it.
    pub process: Option<i32>,
}

impl Unix {
    /// The permissions of the file, `0o600` unless set: whoever may write to it may connect.
    /// `0o660` lets in the members of its group, `0o666` everybody.
    #[must_use]
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }

    /// How many clients may be connected; 10,000 unless set. Others wait to be accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl Endpoint for Unix {
    async fn run(self, running: Running) -> Result<(), ServeError> {
        let (file, listener) =
            SocketFile::listen(self.path, self.mode).map_err(ServeError::Open)?;
        let door = Door {
            entrance: Listening {
                listener,
                _file: file,
            },
            max_frame_bytes: self.max_frame_bytes,
        };
        listen(door, running, self.max_connections).await;
        Ok(())
    }
}

impl Connected for Unix {}

/// A socket and its file, which is removed when nobody listens any more.
struct Listening {
    listener: UnixListener,
    _file: SocketFile,
}

impl Entrance for Listening {
    type Stream = UnixStream;

    async fn next(&mut self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept().await?;
        Ok(stream)
    }

    fn introduce(stream: &UnixStream, running: &Running) {
        if let Ok(credentials) = stream.peer_cred() {
            running.peer.attach(Arc::new(Caller {
                user: credentials.uid(),
                group: credentials.gid(),
                process: credentials.pid(),
            }));
        }
    }
}
