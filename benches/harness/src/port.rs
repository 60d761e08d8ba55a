//! Reserves ports for servers that take an address.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A local port that is reserved for one server until this value is dropped.
///
/// The port is bound, but does not listen. Linux lets a server listen on a bound port that it
/// names, but does not hand the port out to programs that ask for any free port. Without the
/// reservation, another program could get the port before the server has started, which takes a
/// second under valgrind. Two servers that are measured at the same time would then receive each
/// other's requests.
#[derive(Debug)]
pub(crate) struct Port {
    address: SocketAddr,
    _held: Socket,
}

impl Port {
    pub(crate) fn free() -> io::Result<Self> {
        let held = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        held.set_reuse_address(true)?;
        held.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let address = held.local_addr()?.as_socket();
        Ok(Self {
            address: address.ok_or(io::ErrorKind::AddrNotAvailable)?,
            _held: held,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn only_who_names_a_port_listens_there() {
        let port = Port::free().unwrap();
        assert!(TcpStream::connect(port.address()).is_err());
        let others: Vec<_> = (0..500).map(|_| Port::free().unwrap()).collect();
        assert!(others.iter().all(|it| it.address() != port.address()));
        let _server = TcpListener::bind(port.address()).unwrap();
        TcpStream::connect(port.address()).unwrap();
    }
}
