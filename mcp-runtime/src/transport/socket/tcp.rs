//! Servers over TCP.

use std::io;
use std::net::SocketAddr;
use std::task::Context;

use tokio::net::TcpStream;

use crate::connection::frame_limit;
use crate::error::ServeError;
use crate::limits::MAX_CONNECTIONS;
use crate::server::serve::listen::{listen, serve_connection};
use crate::server::{Connected, Endpoint, Running};
use crate::transport::{ByteStream, MAX_FRAME_BYTES, TcpAddress};

/// An address at which clients are served over TCP, each on a connection of its own.
///
/// Clients are not authenticated: listen on the loopback interface only (see the
/// [module](super#security)).
///
/// ```no_run
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::tcp;
///
/// # struct Library;
/// # #[mcp_server] impl Library {}
/// #[mcp_runtime::main]
/// async fn main() -> Result<(), ServeError> {
///     Library.serve(tcp("127.0.0.1:7000")).await
/// }
/// ```
#[must_use]
pub fn tcp(address: impl Into<TcpAddress>) -> Tcp {
    Tcp {
        address: address.into(),
        max_frame_bytes: MAX_FRAME_BYTES,
        max_connections: MAX_CONNECTIONS,
    }
}

/// An address at which clients are served over TCP; made by [`tcp`].
#[derive(Debug)]
pub struct Tcp {
    address: TcpAddress,
    max_frame_bytes: usize,
    max_connections: usize,
}

frame_limit!(Tcp, max_frame_bytes);

impl Tcp {
    /// The largest number of connected clients; 10,000 by default. Others wait to be accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Opens the listener, so that [`local_addr`](Self::local_addr) is known. Clients that connect
    /// are served once the server is.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let endpoint = mcp_runtime::transport::tcp("127.0.0.1:0").bind().await?;
    /// assert_ne!(endpoint.local_addr()?.port(), 0);
    /// # std::io::Result::Ok(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When the address is not of this machine, or in use.
    pub async fn bind(self) -> io::Result<Self> {
        let listener = self.address.bind().await?;
        Ok(Self {
            address: listener.into_std()?.into(),
            ..self
        })
    }

    /// The address that clients connect to.
    ///
    /// # Errors
    ///
    /// Before [`bind`](Self::bind), unless the address is that of an open listener.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.address.local_addr()
    }
}

impl Endpoint for Tcp {
    fn prepare(&mut self) -> Result<(), ServeError> {
        ServeError::check([
            ("max_frame_bytes", self.max_frame_bytes == 0),
            ("max_connections", self.max_connections == 0),
        ])
    }

    async fn run(self, running: Running) -> Result<(), ServeError> {
        let listener = self.address.bind().await.map_err(ServeError::Open)?;
        let address = listener.local_addr().map_err(ServeError::Open)?;
        let serve = move |(stream, _): (TcpStream, SocketAddr), running, ending| {
            // A message is one write, which must not wait for another. Fails if the client has left,
            // which reading shows as well.
            let _ = stream.set_nodelay(true);
            let (reader, writer) = stream.into_split();
            let lines = ByteStream::new(reader, writer).max_frame_bytes(self.max_frame_bytes);
            serve_connection(lines, running, ending)
        };
        let poll_accept = move |cx: &mut Context<'_>| listener.poll_accept(cx);
        listen(
            running,
            &format!("tcp://{address}"),
            self.max_connections,
            poll_accept,
            serve,
        )
        .await;
        Ok(())
    }
}

impl Connected for Tcp {}
