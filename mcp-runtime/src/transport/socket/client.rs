//! Connecting to a server over TCP.

use std::io;

use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::stream::Stream;
use crate::transport::place::at;
use crate::transport::{DEFAULT_MAX_FRAME_BYTES, LineReader, LineWriter, Transport};

/// A server at `address`, a name or number with a port such as `127.0.0.1:7000`. It is connected to
/// when it is used.
///
/// ```
/// let transport = mcp_runtime::transport::socket::tcp_client("127.0.0.1:7000");
/// # drop(transport);
/// ```
#[must_use]
pub fn tcp_client(address: impl ToString) -> TcpClient {
    TcpClient {
        address: address.to_string(),
        max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
    }
}

/// A server to connect to over TCP; made by [`tcp_client`].
#[derive(Clone, Debug)]
pub struct TcpClient {
    address: String,
    max_frame_bytes: usize,
}

impl TcpClient {
    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }
}

impl Transport for TcpClient {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let stream = TcpStream::connect(&self.address).await;
        let stream = stream.map_err(|error| at(&self.address, &error))?;
        stream.halves(self.max_frame_bytes)
    }
}

impl Stream for TcpStream {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    fn halves(self, max_frame_bytes: usize) -> io::Result<(Self::Reader, Self::Writer)> {
        // A message is one write: waiting for more of them would only delay it.
        self.set_nodelay(true)?;
        let (reader, writer) = self.into_split();
        let reader = LineReader::new(reader, max_frame_bytes);
        Ok((reader, LineWriter::new(writer)))
    }
}
