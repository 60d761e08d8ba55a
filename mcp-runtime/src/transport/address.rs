//! Where a server listens for TCP connections.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};

use tokio::net::TcpListener;

use super::place::at;

/// Where to listen: an address such as `127.0.0.1:8080`, or a listener that is open already.
#[derive(Debug)]
pub struct TcpAddress(Kind);

#[derive(Debug)]
enum Kind {
    Name(String),
    Known(SocketAddr),
    Open(StdListener),
}

impl TcpAddress {
    /// Listens.
    pub(super) async fn bind(self) -> io::Result<TcpListener> {
        match self.0 {
            Kind::Name(name) => {
                let bound = TcpListener::bind(&name).await;
                bound.map_err(|error| at(&name, &error))
            }
            Kind::Known(addr) => {
                let bound = TcpListener::bind(addr).await;
                bound.map_err(|error| at(&addr, &error))
            }
            Kind::Open(listener) => {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)
            }
        }
    }

    /// The address of a listener that is open already.
    ///
    /// # Errors
    ///
    /// `NotConnected` where the server opens the listener itself, and what the operating system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.0 {
            Kind::Open(listener) => listener.local_addr(),
            Kind::Name(_) | Kind::Known(_) => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl From<&str> for TcpAddress {
    fn from(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }
}

impl From<String> for TcpAddress {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl From<SocketAddr> for TcpAddress {
    fn from(addr: SocketAddr) -> Self {
        Self(Kind::Known(addr))
    }
}

impl From<StdListener> for TcpAddress {
    fn from(listener: StdListener) -> Self {
        Self(Kind::Open(listener))
    }
}
