//! Clients over Unix sockets.

use std::io;
use std::path::PathBuf;

use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::connection::frame_limit;
use crate::transport::address::error_at;
use crate::transport::{ByteStream, LineReader, LineWriter, MAX_FRAME_BYTES, Transport};

/// A server that listens at the socket file `path`. Opening the transport connects to it.
///
/// ```
/// let transport = mcp_runtime::transport::socket::unix_client("/run/library.sock");
/// # drop(transport);
/// ```
#[must_use]
pub fn unix_client(path: impl Into<PathBuf>) -> UnixClient {
    UnixClient {
        path: path.into(),
        max_frame_bytes: MAX_FRAME_BYTES,
    }
}

/// A server to connect to over a Unix socket; made by [`unix_client`].
#[derive(Clone, Debug)]
pub struct UnixClient {
    path: PathBuf,
    max_frame_bytes: usize,
}

frame_limit!(UnixClient, max_frame_bytes);

impl Transport for UnixClient {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let stream = UnixStream::connect(&self.path).await;
        let stream = stream.map_err(|error| error_at(&self.path.display(), &error))?;
        let (reader, writer) = stream.into_split();
        let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
        lines.open().await
    }
}
