//! The HTTP client as a transport, and its settings.

use std::io;
use std::sync::Arc;

use hyper_util::client::proxy::matcher::Matcher;
use tokio::sync::mpsc;

use super::connection::{self, HttpReader, HttpWriter};
use super::remote::{ClientConfig, Remote};
use crate::limits::{HTTP_INBOX, HTTP_RETRIES, MAX_FRAME_BYTES};
use crate::protocol::Timeouts;
use crate::transport::Transport;
use crate::transport::server_address::ServerAddress;

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
/// The era of the server is detected unless it is set: `server/discover` is sent first, then
/// `initialize`; where neither is understood, HTTP+SSE of 2024-11-05 is tried (with the feature
/// `sse`). Clones remember the result. A session that the server has ended is opened anew.
///
/// Proxies are those of the environment: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, as
/// curl understands them. Redirects are followed within the origin of `url` only.
#[must_use]
pub fn http_client(url: impl Into<String>) -> HttpUrl {
    HttpUrl(ClientConfig {
        server: ServerAddress::new(url.into()),
        max_message_bytes: MAX_FRAME_BYTES,
        retries: HTTP_RETRIES,
        proxies: Arc::new(Matcher::from_env()),
        timeouts: Timeouts::default(),
        is_legacy: Arc::default(),
    })
}

/// A server that is reached over HTTP; made by [`http_client`].
#[derive(Clone, Debug)]
pub struct HttpUrl(ClientConfig);

impl HttpUrl {
    /// Sends a header with every request. Its value is not logged.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.server.add_header(name.into(), value.into());
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default. An answer over it fails its
    /// request; other messages over it are skipped.
    #[must_use]
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.0.max_message_bytes = limit;
        self
    }

    /// How often a request is sent again where that does no harm: when the server could not be
    /// reached, or refused it for now (429 and 503, or 502 and 504 for requests that change
    /// nothing); 2 times by default, after growing pauses, or the one that the server asks for, up
    /// to 10 seconds. Notifications and responses are sent again as well when they may not have
    /// arrived.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.0.retries = retries;
        self
    }

    /// Uses a proxy, such as `http://user:password@127.0.0.1:3128`, instead of those of the
    /// environment. Requests to `https` URLs go through it in a tunnel.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.0.proxies = Arc::new(Matcher::builder().all(url.into()).build());
        self
    }

    /// Connects to the server directly, whatever the environment says.
    #[must_use]
    pub fn without_proxy(mut self) -> Self {
        self.0.proxies = Arc::new(Matcher::builder().build());
        self
    }

    /// Trusts one more root certificate, in DER: that of an organisation, perhaps.
    #[must_use]
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.0.server.roots.push(der.into());
        self
    }
}

impl Transport for HttpUrl {
    type Reader = HttpReader;
    type Writer = HttpWriter;

    fn set_timeouts(&mut self, timeouts: Timeouts) {
        self.0.timeouts = timeouts;
    }

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn open(self) -> io::Result<(HttpReader, HttpWriter)> {
        let (inbox, deliveries) = mpsc::channel(HTTP_INBOX);
        let (lines, outgoing) = mpsc::unbounded_channel();
        let limit = self.0.max_message_bytes;
        let remote = Arc::new(Remote::new(self.0, inbox)?);
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
    fn the_password_of_a_proxy_is_not_shown() {
        let server = http_client("https://example.com/").proxy("http://ann:secret@127.0.0.1:3128");
        let shown = format!("{server:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
