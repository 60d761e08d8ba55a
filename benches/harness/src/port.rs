//! Ports for servers that are told where to listen.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A port of this machine for one server, kept for it while this lives.
///
/// It is bound, but not listened at: Linux lets a server that names it listen there, and gives it to
/// nobody who asks for any port. A port that is only looked up and let go may be given away before
/// the server, which under valgrind takes a second to start, has it; two servers that are measured
/// at once then get each other's requests, and a reset when the other one ends.
#[derive(Debug)]
pub(crate) struct Port {
    address: SocketAddr,
    _held: Socket,
}

impl Port {
    /// A port that is free.
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
