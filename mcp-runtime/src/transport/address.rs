//! TCP addresses to listen on, and errors that name the address.

use std::fmt::Display;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};

use tokio::net::TcpListener;

/// An address to listen on such as `127.0.0.1:8080`, or a listener that is open already.
#[derive(Debug)]
pub struct TcpAddress(Kind);

#[derive(Debug)]
enum Kind {
    Name(String),
    Open(StdListener),
}

impl TcpAddress {
    /// Opens the listener.
    pub(super) async fn bind(self) -> io::Result<TcpListener> {
        match self.0 {
            Kind::Name(name) => {
                let bound = TcpListener::bind(&name).await;
                bound.map_err(|error| error_at(&name, &error))
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
    /// `NotConnected` if the listener is not open yet, and errors of the operating system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.0 {
            Kind::Open(listener) => listener.local_addr(),
            Kind::Name(_) => Err(io::ErrorKind::NotConnected.into()),
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
        Self(Kind::Name(addr.to_string()))
    }
}

impl From<StdListener> for TcpAddress {
    fn from(listener: StdListener) -> Self {
        Self(Kind::Open(listener))
    }
}

/// The error, with the address or path that it concerns.
pub(super) fn error_at(address: &dyn Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}
