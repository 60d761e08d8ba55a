//! HTTP requests of an authenticator's own.

use std::net::IpAddr;
use std::sync::Arc;
use std::{fmt, io};

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, PROXY_AUTHORIZATION};
use http::{Request, Response, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::ClientConfig;
use tokio::time::timeout;

use super::address_rule::AddressRule;
use super::body::{UNCOMPRESSED, compressed, next_bytes};
use super::connector::{Connector, authority, client, connect_error};
use crate::connection::BYTE_ORDER_MARK;
use crate::limits::{AUTH_ANSWER_BYTES, AUTH_REQUEST_TIMEOUT};
use crate::transport::server_address::{Roots, tls_config};

/// Sends HTTP requests of an [`Authenticator`](super::Authenticator), to an authorization server
/// perhaps, with the proxies and root certificates of the MCP server. Cloning is cheap.
///
/// - Redirects are not followed, but returned.
/// - A compressed answer is an error: the client does not decompress.
/// - An answer may have 1 MiB, and must be complete within 30 seconds.
/// - Addresses that are not public (loopback, private, link-local, metadata of clouds) are refused
///   after names were resolved. The kind of address that the MCP server itself has is allowed, metadata
///   services excepted, and so is what [`allow_private_host`](super::HttpUrl::allow_private_host)
///   names; all are allowed if it is [`trusted`](Self::trusted). A proxy resolves names by itself: only addresses in URLs are checked then.
/// - Headers of the MCP server, [`header`](super::HttpUrl::header) included, are not sent.
#[derive(Clone)]
pub struct AuthHttp {
    client: Client<HttpsConnector<Connector>, String>,
    connector: Connector,
    /// Absent where every address is allowed.
    rule: Option<Arc<AddressRule>>,
}

impl AuthHttp {
    /// Sends requests to URLs of trusted configuration, and without an MCP server: from a server to
    /// its authorization server, for example. Every address is allowed. The proxies are those of the
    /// environment; certificates are checked against the roots of the Mozilla project and `roots`,
    /// which are in DER. URLs must come from configuration, or from the servers that it names.
    ///
    /// ```
    /// use mcp_runtime::transport::http_client::AuthHttp;
    ///
    /// let http = AuthHttp::trusted([])?;
    /// # drop(http);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If one of `roots` is no certificate.
    pub fn trusted(roots: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Self> {
        let proxies = Arc::new(Matcher::from_env());
        Ok(Self::new(tls_config(&added(roots))?, proxies, None))
    }

    /// Sends requests to URLs that strangers name, and without an MCP server. Only public addresses are
    /// allowed, and hosts of `private_hosts` whatever their address; proxies and certificates are as for
    /// [`trusted`](Self::trusted).
    ///
    /// # Errors
    ///
    /// If one of `roots` is no certificate.
    pub fn public(
        roots: impl IntoIterator<Item = Vec<u8>>,
        private_hosts: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let rule = AddressRule::new(&Uri::default(), private_hosts.into_iter().collect());
        let proxies = Arc::new(Matcher::from_env());
        let tls = tls_config(&added(roots))?;
        Ok(Self::new(tls, proxies, Some(Arc::new(rule))))
    }

    pub(super) fn new(
        tls: ClientConfig,
        proxies: Arc<Matcher>,
        rule: Option<Arc<AddressRule>>,
    ) -> Self {
        let connector = Connector::new(proxies, rule.clone());
        Self {
            client: client(tls, connector.clone()),
            connector,
            rule,
        }
    }

    /// Notes the address from which the MCP server has answered.
    pub(super) fn server_is_at(&self, address: IpAddr) {
        if let Some(rule) = &self.rule {
            rule.server_is_at(address);
        }
    }

    /// Sends a request once, and reads its answer, whatever its status.
    ///
    /// # Errors
    ///
    /// Of kind `InvalidInput` for a URL that is neither `http` nor `https`, `PermissionDenied` for
    /// an address that is refused, `TimedOut`, `InvalidData` for an answer that is too long or
    /// compressed, or the kind of the error of the network. The text names the host, and nothing else of the URL.
    pub async fn send(&self, request: Request<String>) -> io::Result<Response<Bytes>> {
        let uri = request.uri().clone();
        let host = uri.host().unwrap_or_default();
        if host.is_empty() || !matches!(uri.scheme_str(), Some("http" | "https")) {
            let reason = "a URL for authentication must begin with `https://` or `http://`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let server = authority(&uri);
        let checked = self
            .rule
            .as_ref()
            .map_or(Ok(()), |rule| rule.check_host(host));
        checked.map_err(|error| {
            io::Error::new(error.kind(), format!("{server} can't be reached: {error}"))
        })?;
        let received = timeout(AUTH_REQUEST_TIMEOUT, self.receive(request)).await;
        received.unwrap_or_else(|_| {
            let reason = format!("{server} did not answer within {AUTH_REQUEST_TIMEOUT:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, reason))
        })
    }

    async fn receive(&self, mut request: Request<String>) -> io::Result<Response<Bytes>> {
        let uri = request.uri().clone();
        let authorization = self.connector.proxy_authorization(&uri);
        let headers = request.headers_mut();
        headers.extend(authorization.map(|value| (PROXY_AUTHORIZATION, value)));
        headers.insert(ACCEPT_ENCODING, UNCOMPRESSED);
        let sent = self.client.request(request).await;
        let (parts, mut body) = sent
            .map_err(|error| connect_error(&uri, &error))?
            .into_parts();
        if parts.status.is_success()
            && let Some(reason) = compressed(&parts.headers)
        {
            let reason = format!("the answer of {} can't be read: {reason}", authority(&uri));
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let mut bytes = Vec::new();
        while let Some(data) = next_bytes(&mut body).await {
            bytes.extend_from_slice(&data.map_err(|error| connect_error(&uri, &error))?);
            if bytes.len() > AUTH_ANSWER_BYTES {
                let server = authority(&uri);
                let reason =
                    format!("the answer of {server} is longer than {AUTH_ANSWER_BYTES} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
        let bytes = Bytes::from(bytes);
        let after_mark = bytes.strip_prefix(BYTE_ORDER_MARK);
        let body = after_mark.map_or(bytes.clone(), |rest| bytes.slice_ref(rest));
        Ok(Response::from_parts(parts, body))
    }
}

/// The default roots with others.
fn added(roots: impl IntoIterator<Item = Vec<u8>>) -> Roots {
    Roots {
        added: roots.into_iter().collect(),
        ..Roots::default()
    }
}

impl fmt::Debug for AuthHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthHttp").finish_non_exhaustive()
    }
}
