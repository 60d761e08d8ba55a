//! Clients over TCP.

use std::io;

use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use crate::connection::frame_limit;
use crate::transport::address::error_at;
use crate::transport::{ByteStream, LineReader, LineWriter, MAX_FRAME_BYTES, Transport};

/// A server at `address`, a host with a port such as `127.0.0.1:7000`. Opening the transport
/// connects to it.
///
/// ```
/// let transport = mcp_runtime::transport::socket::tcp_client("127.0.0.1:7000");
/// # drop(transport);
/// ```
#[must_use]
pub fn tcp_client(address: impl ToString) -> TcpClient {
    TcpClient {
        address: address.to_string(),
        max_frame_bytes: MAX_FRAME_BYTES,
    }
}

/// A server to connect to over TCP; made by [`tcp_client`].
#[derive(Clone, Debug)]
pub struct TcpClient {
    address: String,
    max_frame_bytes: usize,
}

frame_limit!(TcpClient, max_frame_bytes);

impl Transport for TcpClient {
    type Reader = LineReader<OwnedReadHalf>;
    type Writer = LineWriter<OwnedWriteHalf>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let stream = TcpStream::connect(&self.address).await;
        let stream = stream.map_err(|error| error_at(&self.address, &error))?;
        // A message is one write, which must not wait for another.
        stream.set_nodelay(true)?;
        let (reader, writer) = stream.into_split();
        let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
        lines.open().await
    }
}
