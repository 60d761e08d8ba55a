//! Clients over TCP and Unix sockets.

use std::io;
#[cfg(unix)]
use std::path::PathBuf;

use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
#[cfg(unix)]
use tokio::net::{UnixStream, unix};

use crate::connection::frame_limit;
use crate::transport::address::error_at;
use crate::transport::{ByteStream, LineReader, LineWriter, MAX_FRAME_BYTES, Transport};

/// Connects to a server over TCP. `address` is a host with a port, such as `127.0.0.1:7000`. The
/// connection is made when the transport is opened.
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
        // Each message is one write, which Nagle's algorithm would delay.
        stream.set_nodelay(true)?;
        let (reader, writer) = stream.into_split();
        let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
        lines.open().await
    }
}

/// Connects to a server that listens at the socket file `path`. The connection is made when the
/// transport is opened.
///
/// ```
/// let transport = mcp_runtime::transport::socket::unix_client("/run/library.sock");
/// # drop(transport);
/// ```
#[cfg(unix)]
#[must_use]
pub fn unix_client(path: impl Into<PathBuf>) -> UnixClient {
    UnixClient {
        path: path.into(),
        max_frame_bytes: MAX_FRAME_BYTES,
    }
}

/// A server to connect to over a Unix socket; made by [`unix_client`].
#[cfg(unix)]
#[derive(Clone, Debug)]
pub struct UnixClient {
    path: PathBuf,
    max_frame_bytes: usize,
}

#[cfg(unix)]
frame_limit!(UnixClient, max_frame_bytes);

#[cfg(unix)]
impl Transport for UnixClient {
    type Reader = LineReader<unix::OwnedReadHalf>;
    type Writer = LineWriter<unix::OwnedWriteHalf>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let stream = UnixStream::connect(&self.path).await;
        let stream = stream.map_err(|error| error_at(&self.path.display(), &error))?;
        let (reader, writer) = stream.into_split();
        let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
        lines.open().await
    }
}
