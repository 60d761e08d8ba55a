//! Connecting to a server over a Unix socket.

use std::io;
use std::path::PathBuf;

use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::transport::place::at;
use crate::transport::socket::stream::Stream;
use crate::transport::{DEFAULT_MAX_FRAME_BYTES, LineReader, LineWriter, Transport};

/// A server that listens at the socket file `path`. It is connected to when it is used.
///
/// ```
/// let transport = mcp_runtime::transport::socket::unix_client("/run/library.sock");
/// # drop(transport);
/// ```
#[must_use]
pub fn unix_client(path: impl Into<PathBuf>) -> UnixClient {
    UnixClient {
        path: path.into(),
        max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
    }
}

/// A server to connect to over a Unix socket; made by [`unix_client`].
#[derive(Clone, Debug)]
pub struct UnixClient {
    path: PathBuf,
    max_frame_bytes: usize,
}

impl UnixClient {
    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }
}

impl Transport for UnixClient {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let stream = UnixStream::connect(&self.path).await;
        let stream = stream.map_err(|error| at(&self.path.display(), &error))?;
        stream.halves(self.max_frame_bytes)
    }
}

impl Stream for UnixStream {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    fn halves(self, max_frame_bytes: usize) -> io::Result<(Self::Reader, Self::Writer)> {
        let (reader, writer) = self.into_split();
        let reader = LineReader::new(reader, max_frame_bytes);
        Ok((reader, LineWriter::new(writer)))
    }
}
