//! Decides which addresses an authenticator's requests may reach. The URLs of these requests come
//! from servers, which must not use them to reach the client's machine, its network, or the
//! metadata service of its cloud.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Mutex;

use http::Uri;

use crate::sync::lock;

/// The parts of the address space that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressKind {
    Public,
    /// This machine.
    Loopback,
    /// The network of this machine, or of its provider.
    Private,
    LinkLocal,
    /// The metadata services of clouds, which hand out credentials.
    Metadata,
    /// Addresses that do not belong to a host: multicast, broadcast, documentation, reserved.
    Special,
}

const METADATA: [IpAddr; 6] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    // Amazon ECS tasks, Alibaba Cloud, Azure.
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    // Amazon EC2 and Google Cloud.
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// Refuses addresses that are not public, except for hosts that the user has named and for
/// addresses of the same kind as the MCP server's. Metadata services are refused even if the server
/// has that kind of address.
#[derive(Debug)]
pub(super) struct AddressRule {
    private_hosts: Vec<String>,
    server: Mutex<AddressKind>,
}

impl AddressRule {
    /// Creates the rule for a client of the MCP server at `server`. `private_hosts` may have any
    /// address.
    pub(super) fn new(server: &Uri, private_hosts: Vec<String>) -> Self {
        let host = server.host().unwrap_or_default();
        let kind = match literal(host) {
            Some(address) => AddressKind::of(address),
            None if host.eq_ignore_ascii_case("localhost") => AddressKind::Loopback,
            // This holds until the address is known.
            None => AddressKind::Public,
        };
        Self {
            private_hosts,
            server: Mutex::new(kind),
        }
    }

    /// Records the address from which the MCP server has answered.
    pub(super) fn server_is_at(&self, address: IpAddr) {
        let mut server = lock(&self.server);
        *server = AddressKind::of(address);
    }

    /// Checks a URL's host if it is an IP address, which is never resolved.
    ///
    /// # Errors
    ///
    /// If the address is refused.
    pub(super) fn check_host(&self, host: &str) -> io::Result<()> {
        match literal(host) {
            Some(address) => self.keep_allowed(host, vec![(address, 0).into()]).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the addresses of `host` that are allowed.
    ///
    /// # Errors
    ///
    /// If there are addresses and all of them are refused.
    pub(super) fn keep_allowed(
        &self,
        host: &str,
        mut found: Vec<SocketAddr>,
    ) -> io::Result<Vec<SocketAddr>> {
        let first = found.first().copied();
        if !self.is_named(host) {
            found.retain(|address| self.allows(address.ip()));
        }
        let Some(refused) = first.filter(|_| found.is_empty()) else {
            return Ok(found);
        };
        let address = refused.ip();
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!(
                "its address {address} is not public; if you trust the host, allow it with \
                 `allow_private_host`"
            ),
        ))
    }

    fn is_named(&self, host: &str) -> bool {
        let mut named = self.private_hosts.iter();
        named.any(|named| named.eq_ignore_ascii_case(host))
    }

    fn allows(&self, address: IpAddr) -> bool {
        let server = *lock(&self.server);
        match AddressKind::of(address) {
            AddressKind::Public => true,
            AddressKind::Metadata | AddressKind::Special => false,
            kind => kind == server,
        }
    }
}

/// Parses a URL's host as an IP address; `None` if the host is a name.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

impl AddressKind {
    fn of(address: IpAddr) -> Self {
        if METADATA.contains(&address) {
            return Self::Metadata;
        }
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => match embedded(address) {
                Some(address) => Self::of(IpAddr::V4(address)),
                None => Self::of_v6(address),
            },
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        match address.octets() {
            // Connections to 0.0.0.0 reach this machine.
            [0 | 127, ..] => Self::Loopback,
            // Private networks (RFC 1918) and carrier-grade NAT (RFC 6598).
            [10, ..] | [192, 168, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => Self::Private,
            [169, 254, ..] => Self::LinkLocal,
            // IETF protocols, documentation, benchmarking, multicast, reserved (RFC 6890).
            [192, 0, 0 | 2, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
            | [224..=255, ..] => Self::Special,
            _ => Self::Public,
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Loopback,
            // Unique local addresses (RFC 4193), and the site-local addresses that they replaced.
            [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => Self::Private,
            [0xfe80..=0xfebf, ..] => Self::LinkLocal,
            // Only 2000::/3 is in use, except for documentation (RFC 3849, RFC 9637).
            [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Self::Special,
            [0x2000..=0x3fff, ..] => Self::Public,
            _ => Self::Special,
        }
    }
}

/// Returns the IPv4 address that an IPv6 address contains: mapped or compatible (RFC 4291, section
/// 2.5.5), translated (RFC 6052), or tunneled (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(server: &str) -> AddressRule {
        AddressRule::new(&server.parse().unwrap(), vec!["login.internal".to_owned()])
    }

    fn allows(rule: &AddressRule, address: &str) -> bool {
        let host = if address.contains(':') {
            format!("[{address}]")
        } else {
            address.to_owned()
        };
        let by_host = rule.check_host(&host).is_ok();
        let found = vec![SocketAddr::new(address.parse().unwrap(), 443)];
        let by_name = rule.keep_allowed("login.example.com", found).is_ok();
        assert_eq!(by_host, by_name, "{address}");
        by_host
    }

    #[test]
    fn public_addresses_alone_are_allowed() {
        let rule = rule("https://mcp.example.com/mcp");
        for address in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
        ] {
            assert!(allows(&rule, address), "{address}");
        }
        for address in [
            "127.0.0.1",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "169.254.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "100::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::1",
        ] {
            assert!(!allows(&rule, address), "{address}");
        }
    }

    #[test]
    fn the_kind_of_address_that_the_server_has_is_allowed() {
        let kinds = ["127.0.0.1", "10.1.2.3", "169.254.1.1"];
        for (server, allowed) in [
            ("http://localhost:3000/mcp", [true, false, false]),
            ("http://127.0.0.1/mcp", [true, false, false]),
            ("http://[::1]/mcp", [true, false, false]),
            ("http://192.168.0.7/mcp", [false, true, false]),
            ("http://169.254.7.7/mcp", [false, false, true]),
            ("http://169.254.169.254/mcp", [false, false, false]),
        ] {
            let rule = rule(server);
            assert_eq!(
                kinds.map(|address| allows(&rule, address)),
                allowed,
                "{server}"
            );
            assert!(!allows(&rule, "169.254.169.254"), "{server}");
        }
    }

    #[test]
    fn the_address_of_an_answer_counts_more_than_the_name() {
        let rule = rule("https://mcp.internal/mcp");
        assert!(!allows(&rule, "10.1.2.3"));
        rule.server_is_at("10.0.0.1".parse().unwrap());
        assert!(allows(&rule, "10.1.2.3"));
        assert!(!allows(&rule, "127.0.0.1"));
    }

    #[test]
    fn of_several_addresses_the_allowed_ones_are_left() {
        let rule = rule("https://mcp.example.com/mcp");
        let found = ["10.0.0.1:1", "1.1.1.1:1"].map(|address| address.parse().unwrap());
        let kept = rule.keep_allowed("evil.example.com", found.to_vec());
        assert_eq!(kept.unwrap(), [found[1]]);
        let error = rule.keep_allowed("evil.example.com", found[..1].to_vec());
        let text = error.unwrap_err().to_string();
        assert!(
            text.contains("10.0.0.1") && text.contains("allow_private_host"),
            "{text}"
        );
        assert!(rule.keep_allowed("nobody.example.com", Vec::new()).is_ok());
    }

    #[test]
    fn a_named_host_may_have_any_address() {
        let rule = rule("https://mcp.example.com/mcp");
        let found = vec!["10.0.0.1:1".parse().unwrap()];
        assert!(rule.keep_allowed("Login.internal", found).is_ok());
    }
}
