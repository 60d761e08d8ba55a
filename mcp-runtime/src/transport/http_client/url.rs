//! Where the server is, and how to speak to it.

use std::io;
use std::sync::Arc;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::mpsc;

use super::connection;
use super::frames::{HttpReader, HttpWriter};
use super::remote::Remote;
use crate::transport::Transport;

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
/// A session that the server has ended closes the connection; `connect_with` then opens another.
#[must_use]
pub fn http_client(url: impl Into<String>) -> HttpUrl {
    HttpUrl {
        url: url.into(),
        headers: Vec::new(),
        max_message_bytes: 16 * 1024 * 1024,
    }
}

/// A server that is spoken to over HTTP; made by [`http_client`].
#[derive(Clone, Debug)]
pub struct HttpUrl {
    url: String,
    headers: Vec<(String, String)>,
    max_message_bytes: usize,
}

impl HttpUrl {
    /// Sends a header with every request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.max_message_bytes = limit;
        self
    }

    fn headers(&self) -> Result<HeaderMap, http::Error> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let (name, value) = (HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

impl Transport for HttpUrl {
    type Reader = HttpReader;
    type Writer = HttpWriter;

    async fn open(self) -> io::Result<(HttpReader, HttpWriter)> {
        let invalid = |error: http::Error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let uri = self
            .url
            .parse()
            .map_err(|error| invalid(http::Error::from(error)))?;
        let headers = self.headers().map_err(invalid)?;
        let (inbox, messages) = mpsc::channel(INBOX);
        let (lines, outgoing) = mpsc::unbounded_channel();
        let remote = Arc::new(Remote::new(uri, headers, self.max_message_bytes, inbox)?);
        let running = tokio::spawn(connection::run(remote, outgoing));
        Ok((HttpReader::new(messages), HttpWriter::new(lines, running)))
    }
}
