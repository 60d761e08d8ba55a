//! Where to listen.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};

use tokio::net::TcpListener;

/// Where to listen: an address such as `127.0.0.1:8080`, or a listener that is open already.
#[derive(Debug)]
pub struct HttpAddress(Kind);

#[derive(Debug)]
enum Kind {
    Name(String),
    Known(SocketAddr),
    Open(StdListener),
}

impl HttpAddress {
    pub(in crate::transport) async fn bind(self) -> io::Result<TcpListener> {
        match self.0 {
            Kind::Name(name) => TcpListener::bind(name).await,
            Kind::Known(addr) => TcpListener::bind(addr).await,
            Kind::Open(listener) => {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)
            }
        }
    }
}

impl From<&str> for HttpAddress {
    fn from(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }
}

impl From<String> for HttpAddress {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl From<SocketAddr> for HttpAddress {
    fn from(addr: SocketAddr) -> Self {
        Self(Kind::Known(addr))
    }
}

impl From<StdListener> for HttpAddress {
    fn from(listener: StdListener) -> Self {
        Self(Kind::Open(listener))
    }
}
