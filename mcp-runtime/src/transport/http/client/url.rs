//! Where the server is, and how to speak to it.

use std::fmt;
use std::io;
use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use hyper_util::client::proxy::matcher::Matcher;
use tokio::sync::mpsc;

use super::connection;
use super::frames::{HttpReader, HttpWriter};
use super::remote::{DetectedServer, Manner, Remote};
use crate::limits::{HTTP_INBOX, HTTP_RETRIES, MAX_FRAME_BYTES};
use crate::protocol::Timeouts;
use crate::transport::sent_headers::SentHeaders;
use crate::transport::server_url::ServerUrl;
use crate::transport::{Transport, tls};

/// A server at `url`, such as `https://example.com/mcp`. User information in it
/// (`https://user:password@example.com/mcp`) is sent as `Authorization: Basic`, unless that header is
/// set by itself.
///
/// Nothing is sent before the first message. Certificates are checked against the roots of the
/// Mozilla project.
///
/// ```no_run
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::http_client::http_client;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let server = http_client("https://example.com/mcp").header("authorization", "Bearer …");
/// let client = Client::builder("example", "1.0.0")
///     .connect_with(move || server.clone())
///     .await?;
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Which era the server belongs to is found out, unless the client is told: `server/discover` is
/// asked first, then `initialize`; and where neither is understood, HTTP+SSE of 2024-11-05 is tried
/// (with the feature `sse`). Clones remember what the server turned out to be. A session that the
/// server has ended is opened anew.
///
/// Proxies are those of the environment: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, as
/// curl understands them. Redirects are followed within the origin of `url` only.
#[must_use]
pub fn http_client(url: impl Into<String>) -> HttpUrl {
    HttpUrl {
        url: ServerUrl::new(url.into()),
        headers: SentHeaders::default(),
        max_message_bytes: MAX_FRAME_BYTES,
        retries: HTTP_RETRIES,
        proxies: Proxies::Environment,
        roots: Vec::new(),
        timeouts: Timeouts::default(),
        verdict: Arc::default(),
    }
}

/// A server that is spoken to over HTTP; made by [`http_client`].
#[derive(Clone, Debug)]
pub struct HttpUrl {
    url: ServerUrl,
    headers: SentHeaders,
    max_message_bytes: usize,
    retries: u32,
    proxies: Proxies,
    roots: Vec<Vec<u8>>,
    timeouts: Timeouts,
    verdict: Arc<DetectedServer>,
}

/// Which proxies stand in between.
#[derive(Clone)]
enum Proxies {
    Environment,
    One(String),
    None,
}

impl HttpUrl {
    /// Sends a header with every request. Its value is not logged.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.add(name.into(), value.into());
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default. An answer over it fails its
    /// request; other messages over it are skipped.
    #[must_use]
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.max_message_bytes = limit;
        self
    }

    /// How often a request is sent again where that does no harm: when the server could not be
    /// reached, or refused it for now (429 and 503, or 502 and 504 for requests that change
    /// nothing); 2 times by default, after growing pauses, or the one that the server asks for, up
    /// to 10 seconds. Notifications and responses are sent again as well when they may not have
    /// arrived.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Goes by way of a proxy, such as `http://user:password@127.0.0.1:3128`, whatever the
    /// environment says. Requests to `https` URLs go through it in a tunnel.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxies = Proxies::One(url.into());
        self
    }

    /// Goes directly to the server, whatever the environment says.
    #[must_use]
    pub fn without_proxy(mut self) -> Self {
        self.proxies = Proxies::None;
        self
    }

    /// Trusts one more root certificate, in DER: that of an organisation, perhaps.
    #[must_use]
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.push(der.into());
        self
    }

    /// The headers of every request; `authorization` comes from the URL.
    ///
    /// # Errors
    ///
    /// If a name or value is not allowed in headers. The text does not repeat values.
    fn headers(&self, authorization: Option<String>) -> io::Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        let from_url = authorization.as_deref();
        let from_url = from_url.map(|value| (AUTHORIZATION.as_str(), value));
        for (name, value) in from_url.into_iter().chain(self.headers.iter()) {
            let invalid = |what: &str| {
                let reason = format!("the header `{name}` {what}");
                io::Error::new(io::ErrorKind::InvalidInput, reason)
            };
            let key = HeaderName::try_from(name).map_err(|_| invalid("has no valid name"))?;
            let value = HeaderValue::try_from(value);
            let mut value = value.map_err(|_| invalid("has a value that can't be sent"))?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        Ok(headers)
    }
}

/// The URL of a proxy may hold a password.
impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::One(_) => "One",
            Self::None => "None",
        })
    }
}

impl Transport for HttpUrl {
    type Reader = HttpReader;
    type Writer = HttpWriter;

    fn set_timeouts(&mut self, timeouts: Timeouts) {
        self.timeouts = timeouts;
    }

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn open(self) -> io::Result<(HttpReader, HttpWriter)> {
        let target = self.url.target(["http", "https"])?;
        let headers = self.headers(target.authorization)?;
        let (inbox, deliveries) = mpsc::channel(HTTP_INBOX);
        let (lines, outgoing) = mpsc::unbounded_channel();
        let limit = self.max_message_bytes;
        let manner = Manner {
            uri: target.url.parse().map_err(|error| {
                let reason = format!("the URL can't be read: {error}");
                io::Error::new(io::ErrorKind::InvalidInput, reason)
            })?,
            headers,
            limit,
            retries: self.retries,
            proxies: match self.proxies {
                Proxies::Environment => Matcher::from_env(),
                Proxies::One(url) => Matcher::builder().all(url).build(),
                Proxies::None => Matcher::builder().build(),
            },
            tls: tls::config(&self.roots)?,
            timeouts: self.timeouts,
            verdict: self.verdict,
        };
        let remote = Arc::new(Remote::new(manner, inbox));
        let running = tokio::spawn(connection::run(remote, outgoing));
        Ok((
            HttpReader::new(deliveries, limit),
            HttpWriter::new(lines, running),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let server = http_client("https://ann:secret@example.com/secret?key=secret")
            .header("authorization", "Bearer secret")
            .proxy("http://ann:secret@127.0.0.1:3128");
        let shown = format!("{server:?}");
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("authorization"), "{shown}");
        let headers = server.headers(None).unwrap();
        assert!(headers["authorization"].is_sensitive());
        let headers = http_client("").headers(Some("Basic secret".to_owned()));
        assert!(headers.unwrap()["authorization"].is_sensitive());
    }
}
