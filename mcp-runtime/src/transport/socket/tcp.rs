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

/// Serves clients over TCP at an address, each on its own connection.
///
/// Clients are not authenticated, so listen only on the loopback interface (see the
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
    /// Sets the maximum number of connected clients; 10,000 by default. Other clients wait to be
    /// accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Opens the listener, so that [`local_addr`](Self::local_addr) is known. Clients can connect
    /// from then on, and are served as soon as the server runs.
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
    /// When the address does not belong to this machine, or is in use.
    pub async fn bind(self) -> io::Result<Self> {
        let listener = self.address.bind().await?;
        Ok(Self {
            address: listener.into_std()?.into(),
            ..self
        })
    }

    /// Returns the address that clients connect to.
    ///
    /// # Errors
    ///
    /// When [`bind`](Self::bind) has not been called, unless the address was given as an open
    /// listener.
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
            // Each message is one write, which Nagle's algorithm would delay. This fails if the
            // client has left, which reading will report.
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
