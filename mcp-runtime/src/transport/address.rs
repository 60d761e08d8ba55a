//! TCP addresses to listen on, and error messages that name the address.

use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, TcpListener as StdListener};

use tokio::net::TcpListener;

/// An address to listen on, such as `127.0.0.1:8080`, or a listener that is already open.
#[derive(Debug)]
pub struct TcpAddress(Kind);

#[derive(Debug)]
enum Kind {
    Name(String),
    Open(StdListener),
}

impl TcpAddress {
    pub(super) async fn bind(self) -> io::Result<TcpListener> {
        match self.0 {
            Kind::Name(name) => {
                let bound = TcpListener::bind(&name).await;
                bound.map_err(|error| match (advice(&name), error.kind()) {
                    (Some(advice), _) => io::Error::new(
                        error.kind(),
                        format!("{name:?} is not an address: {advice}"),
                    ),
                    (None, io::ErrorKind::AddrInUse) => {
                        let text = "another program already listens there, or this program does";
                        io::Error::new(error.kind(), format!("{name}: {error}: {text}"))
                    }
                    (None, io::ErrorKind::AddrNotAvailable) => {
                        let text = "this machine does not have that address: `0.0.0.0` listens on all of its addresses";
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

    /// Returns the address of a listener that is already open.
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

macro_rules! named {
    ($($name:ty),*) => {$(
        impl From<$name> for TcpAddress {
            fn from(name: $name) -> Self {
                Self(Kind::Name(name.into()))
            }
        }
    )*};
}

named!(&str, String, &String, Cow<'_, str>);

/// A port on `127.0.0.1`, which only programs on this machine reach.
impl From<u16> for TcpAddress {
    fn from(port: u16) -> Self {
        Self::from(("127.0.0.1", port))
    }
}

/// A host with a port.
impl<H: Into<String>> From<(H, u16)> for TcpAddress {
    fn from((host, port): (H, u16)) -> Self {
        let host = host.into();
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

/// Explains why a string is not an address, and suggests an address to write instead.
fn advice(name: &str) -> Option<String> {
    let (scheme, rest) = match name.trim().split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, name.trim()),
    };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, Some(path)),
        None => (rest, None),
    };
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    let (host, port) = match authority.rsplit_once(':') {
        _ if is_port(authority) => ("", Some(authority)),
        _ if authority.parse::<Ipv6Addr>().is_ok() || authority.ends_with(']') => (authority, None),
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let host = match host {
        "" => "127.0.0.1".to_owned(),
        "*" => "0.0.0.0".to_owned(),
        host if host.parse::<Ipv6Addr>().is_ok() => format!("[{host}]"),
        host => host.to_owned(),
    };
    let valid_port = port.filter(|port| is_port(port));
    let address = format!("{host}:{}", valid_port.unwrap_or("8080"));
    if address == name {
        return None;
    }
    let reason = match (scheme, path, port) {
        (Some(_), ..) => {
            "a server listens at an address, not at a URL; over HTTP, MCP is at the path `/mcp`"
                .to_owned()
        }
        (None, Some(path), _) => {
            format!("an address has no path; over HTTP, `.path(\"/{path}\")` sets it")
        }
        (None, None, Some(port)) if !is_port(port) => {
            format!("{port:?} is not a port, which is a number up to 65535")
        }
        _ => "an address has a host and a port; `0.0.0.0` is the host for all clients".to_owned(),
    };
    Some(format!("write `{address}`: {reason}"))
}

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
        assert_eq!(name(("::1".to_owned(), 8080).into()), "[::1]:8080");
    }

    #[test]
    fn a_name_may_be_owned_or_borrowed() {
        let owned = "127.0.0.1:8080".to_owned();
        let addresses: [TcpAddress; 3] = [
            (&owned).into(),
            std::borrow::Cow::Borrowed(&*owned).into(),
            owned.clone().into(),
        ];
        for address in addresses {
            assert!(matches!(address.0, Kind::Name(name) if name == owned));
        }
    }

    #[test]
    fn one_advice_for_what_is_not_an_address_is_enough() {
        for (name, expected) in [
            (
                "",
                Some("`127.0.0.1:8080`: an address has a host and a port"),
            ),
            (
                "8080",
                Some("`127.0.0.1:8080`: an address has a host and a port"),
            ),
            (
                ":8081",
                Some("`127.0.0.1:8081`: an address has a host and a port"),
            ),
            (" 127.0.0.1:8080 ", Some("`127.0.0.1:8080`: ")),
            ("*:8080", Some("`0.0.0.0:8080`: ")),
            (
                "http://",
                Some("`127.0.0.1:8080`: a server listens at an address"),
            ),
            (
                "http://h/mcp",
                Some("`h:8080`: a server listens at an address"),
            ),
            (
                "https://h:1/",
                Some("`h:1`: a server listens at an address"),
            ),
            (
                "http://:80800/mcp",
                Some("`127.0.0.1:8080`: a server listens"),
            ),
            (
                "localhost",
                Some("`localhost:8080`: an address has a host and a port"),
            ),
            (
                "localhost/mcp",
                Some("`localhost:8080`: an address has no path"),
            ),
            (":1/mcp", Some("`127.0.0.1:1`: an address has no path")),
            ("h:1/api", Some("`.path(\"/api\")`")),
            ("h:80800", Some("`h:8080`: \"80800\" is not a port")),
            ("h:http", Some("`h:8080`: \"http\" is not a port")),
            ("h:", Some("`h:8080`: \"\" is not a port")),
            (":", Some("`127.0.0.1:8080`: \"\" is not a port")),
            ("[::1]", Some("`[::1]:8080`: ")),
            ("::1", Some("`[::1]:8080`: ")),
            ("[::1]:x", Some("`[::1]:8080`: \"x\" is not a port")),
            ("127.0.0.1:8080", None),
            ("[::1]:0", None),
        ] {
            let found = advice(name);
            let Some(expected) = expected else {
                assert_eq!(found, None, "{name}");
                continue;
            };
            let found = found.unwrap_or_else(|| panic!("no advice for {name:?}"));
            assert!(found.contains(expected), "{name:?}: {found}");
            // Following the advice gives a valid address.
            let address = found.split('`').nth(1).unwrap();
            assert_eq!(advice(address), None, "{name:?}: {found}");
        }
    }
}
