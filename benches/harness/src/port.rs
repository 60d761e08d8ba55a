//! Ports for servers that get the port to listen on.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// Reserves a port of this machine for one server until it is dropped.
///
/// The port is bound but not listened on. Linux lets a server that names the port listen there, but
/// does not give it to programs that ask for any port. A free port that is not reserved may be
/// given away before its server has started, which takes a second under valgrind. Two servers that
/// are measured at the same time would then get each other's requests, and a reset when the other
/// one ends.
#[derive(Debug)]
pub(crate) struct Port {
    address: SocketAddr,
    _held: Socket,
}

impl Port {
    /// Reserves a free port.
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
