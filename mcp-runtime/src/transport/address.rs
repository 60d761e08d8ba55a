//! TCP addresses to listen on, and errors that name the address.

use std::fmt::Display;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, TcpListener as StdListener};

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
                bound.map_err(|error| match (advice(&name), error.kind()) {
                    (Some(advice), _) => {
                        io::Error::new(error.kind(), format!("{name}: {error}; {advice}"))
                    }
                    (None, io::ErrorKind::AddrInUse) => {
                        let text = "another program listens there, or this one twice";
                        io::Error::new(error.kind(), format!("{name}: {error}: {text}"))
                    }
                    (None, io::ErrorKind::AddrNotAvailable) => {
                        let text = "this machine has no such address: `0.0.0.0` is all that it has";
                        io::Error::new(error.kind(), format!("{name}: {error}: {text}"))
                    }
                    (None, _) => error_at(&name, &error),
                })
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

/// The port on this machine alone, `127.0.0.1`.
impl From<u16> for TcpAddress {
    fn from(port: u16) -> Self {
        Self::from(("127.0.0.1", port))
    }
}

/// The host, and the port.
impl From<(&str, u16)> for TcpAddress {
    fn from((host, port): (&str, u16)) -> Self {
        Self(Kind::Name(match host.parse::<Ipv6Addr>() {
            Ok(address) => format!("[{address}]:{port}"),
            Err(_) => format!("{host}:{port}"),
        }))
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

/// What to write instead of a text that is no address.
fn advice(name: &str) -> Option<String> {
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    if let Some((scheme, rest)) = name.split_once("://") {
        let address = rest.split('/').next().unwrap_or_default();
        return Some(format!(
            "a server listens at an address, not at a URL: write `{address}` instead of `{scheme}://…`; \
             clients reach MCP at the path `/mcp`"
        ));
    }
    let port = name.strip_prefix(':').unwrap_or(name);
    if is_port(port) {
        return Some(format!(
            "write `127.0.0.1:{port}`, or `0.0.0.0:{port}` for all"
        ));
    }
    if let Some((address, path)) = name.split_once('/') {
        return Some(format!(
            "write `{address}`: a path has a setting of its own, `.path(\"/{path}\")`"
        ));
    }
    match name.rsplit_once(':') {
        Some((_, port)) if is_port(port) => None,
        Some((_, port)) if !name.ends_with(']') => Some(format!(
            "`{port}` is no port, which is a number of at most 65535"
        )),
        _ => Some(format!("an address has a port: write `{name}:8080`")),
    }
}

/// The error, with the address or path that it concerns.
pub(super) fn error_at(address: &dyn Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{Kind, TcpAddress, advice};

    #[test]
    fn a_port_is_one_of_this_machine_unless_it_has_a_host() {
        let name = |address: TcpAddress| match address.0 {
            Kind::Name(name) => name,
            Kind::Open(_) => unreachable!(),
        };
        assert_eq!(name(8080.into()), "127.0.0.1:8080");
        assert_eq!(name(("0.0.0.0", 8080).into()), "0.0.0.0:8080");
        assert_eq!(name(("::1", 8080).into()), "[::1]:8080");
    }

    #[test]
    fn what_is_no_address_is_told_how_to_be_one() {
        for (name, expected) in [
            ("8080", Some("`127.0.0.1:8080`")),
            (":8080", Some("`127.0.0.1:8080`")),
            ("http://127.0.0.1:8080/mcp", Some("write `127.0.0.1:8080`")),
            ("localhost", Some("`localhost:8080`")),
            ("127.0.0.1:8080/api", Some("`.path(\"/api\")`")),
            ("127.0.0.1:80800", Some("`80800` is no port")),
            ("localhost:http", Some("`http` is no port")),
            ("[::1]", Some("`[::1]:8080`")),
            ("127.0.0.1:8080", None),
            ("[::1]:0", None),
        ] {
            let found = advice(name);
            match expected {
                Some(text) => assert!(found.unwrap().contains(text), "{name}"),
                None => assert_eq!(found, None, "{name}"),
            }
        }
    }
}
