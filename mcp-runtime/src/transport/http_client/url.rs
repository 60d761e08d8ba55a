//! Where the server is, and how to speak to it.

use std::fmt;
use std::io;
use std::sync::Arc;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use hyper_util::client::proxy::matcher::Matcher;
use tokio::sync::mpsc;

use super::connection;
use super::frames::{HttpReader, HttpWriter};
use super::remote::{Manner, Remote, Verdict};
use crate::transport::sent_headers::SentHeaders;
use crate::transport::{Transport, tls};

/// Messages that wait to be read before the server is kept waiting.
const INBOX: usize = 64;

/// A server at `url`, such as `https://example.com/mcp`.
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
        url: url.into(),
        headers: SentHeaders::default(),
        max_message_bytes: 16 * 1024 * 1024,
        retries: 2,
        proxies: Proxies::Environment,
        roots: Vec::new(),
        verdict: Arc::default(),
    }
}

/// A server that is spoken to over HTTP; made by [`http_client`].
#[derive(Clone, Debug)]
pub struct HttpUrl {
    url: String,
    headers: SentHeaders,
    max_message_bytes: usize,
    retries: u32,
    proxies: Proxies,
    roots: Vec<Vec<u8>>,
    verdict: Arc<Verdict>,
}

/// Which proxies stand in between.
#[derive(Clone)]
enum Proxies {
    Environment,
    One(String),
    None,
}

impl HttpUrl {
    /// Sends a header with every request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.add(name.into(), value.into());
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.max_message_bytes = limit;
        self
    }

    /// How often a request is sent again where that does no harm: when the server could not be
    /// reached, or refused it for now (429 and 503, or 502 and 504 for requests that change
    /// nothing); 2 times by default, after growing pauses, or the one that the server asks for, up
    /// to 10 seconds.
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

    fn headers(&self) -> Result<HeaderMap, http::Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers.iter() {
            let (name, value) = (HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
            headers.insert(name, value);
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

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn open(self) -> io::Result<(HttpReader, HttpWriter)> {
        let invalid = |error: http::Error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let (inbox, messages) = mpsc::channel(INBOX);
        let (lines, outgoing) = mpsc::unbounded_channel();
        let manner = Manner {
            uri: self
                .url
                .parse()
                .map_err(|error| invalid(http::Error::from(error)))?,
            headers: self.headers().map_err(invalid)?,
            limit: self.max_message_bytes,
            retries: self.retries,
            proxies: match self.proxies {
                Proxies::Environment => Matcher::from_env(),
                Proxies::One(url) => Matcher::builder().all(url).build(),
                Proxies::None => Matcher::builder().build(),
            },
            tls: tls::config(&self.roots)?,
            verdict: self.verdict,
        };
        let remote = Arc::new(Remote::new(manner, inbox)?);
        let fault = Arc::clone(&remote.fault);
        let running = tokio::spawn(connection::run(remote, outgoing));
        Ok((
            HttpReader::new(messages, fault),
            HttpWriter::new(lines, running),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let server = http_client("https://example.com/mcp")
            .header("authorization", "Bearer secret")
            .proxy("http://ann:secret@127.0.0.1:3128");
        let shown = format!("{server:?}");
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("authorization"), "{shown}");
    }
}
