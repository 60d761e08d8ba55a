//! Reads the domains that a page declares. Servers check their own pages with the same function with
//! which hosts read the pages of strangers.

use std::net::Ipv4Addr;

/// Returns a declared domain as a source expression of a Content Security Policy: a scheme, a host that
/// may begin with `*.`, and perhaps a port. The result has no character that ends an expression or a
/// directive.
///
/// # Errors
///
/// Fails with the reason if the domain is anything else.
pub(super) fn source(domain: &str) -> Result<String, &'static str> {
    let domain = domain.to_ascii_lowercase();
    let (scheme, authority) = domain
        .split_once("://")
        .ok_or("it must begin with a scheme, such as `https://`")?;
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let name = host.strip_prefix("*.").unwrap_or(host);
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Err(
            "after the scheme, only a host and a port may follow; the host may have letters, digits, hyphens, single \
             dots, and `*.` at the beginning (write other alphabets as Punycode)",
        );
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Err("its port must be a number from 1 to 65535");
    }
    match scheme {
        "https" | "wss" => Ok(domain),
        "http" | "ws" if is_loopback(name) => Ok(domain),
        "http" | "ws" => Err("`http` and `ws` are only allowed on loopback; use `https` or `wss`"),
        _ => Err("its scheme must be `https` or `wss`"),
    }
}

fn is_label(label: &str) -> bool {
    let is_edge = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    (1..=63).contains(&label.len())
        && label.starts_with(is_edge)
        && label.ends_with(is_edge)
        && label.chars().all(|it| is_edge(it) || it == '-')
}

fn is_port(port: &str) -> bool {
    let begins = port.starts_with(|it: char| matches!(it, '1'..='9'));
    begins && port.parse::<u16>().is_ok()
}

fn is_loopback(name: &str) -> bool {
    let address = name.parse::<Ipv4Addr>();
    name == "localhost"
        || name.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn origins_are_sources() {
        for (domain, expected) in [
            ("https://api.example.com", "https://api.example.com"),
            ("https://*.Example.com:8443", "https://*.example.com:8443"),
            ("wss://xn--bcher-kva.example", "wss://xn--bcher-kva.example"),
            ("https://203.0.113.7", "https://203.0.113.7"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("ws://127.8.0.1", "ws://127.8.0.1"),
            ("http://*.localhost", "http://*.localhost"),
        ] {
            assert_eq!(source(domain).as_deref(), Ok(expected), "{domain}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long_label = format!("https://{}.example", "a".repeat(64));
        let long_host = format!("https://{}example", "a.".repeat(124));
        for domain in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "https://*.",
            "https://*.*.example",
            "https://a*.example",
            "data:",
            "blob:",
            "'self'",
            "'unsafe-eval'",
            "a.example",
            "//a.example",
            "https://a.example; script-src *",
            "https://a.example script-src",
            "https://a.example\nscript-src",
            "https://a.example,https://b.example",
            "https://a.example\"",
            "https://a.example'",
            "https://user@a.example",
            "https://user:password@a.example",
            "https://a.example/",
            "https://a.example/path",
            "https://a.example?query",
            "https://a.example#fragment",
            "https://a.example.",
            "https://.a.example",
            "https://a..example",
            "https://-a.example",
            "https://a-.example",
            "https://a_b.example",
            "https://bücher.example",
            "https://a.example。",
            "https://a%2eexample",
            "https://[::1]",
            "https://a.example:",
            "https://a.example:0",
            "https://a.example:0443",
            "https://a.example:65536",
            "https://a.example:+80",
            "https://a.example:*",
            "https://a.example:80:80",
            "http://a.example",
            "ws://a.example",
            "http://localhost.example",
            "http://128.0.0.1",
            "ftp://a.example",
            "javascript://a.example",
            &long_label,
            &long_host,
        ] {
            assert!(source(domain).is_err(), "{domain}");
        }
    }
}
