//! The HTTP client as a transport: its settings, and the task that sends a connection's messages.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use http::header::HeaderMap;
use hyper_util::client::proxy::matcher::Matcher;
use mcp_types::{InitializeRequest, InitializedNotification, Notification, Request, RequestId};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::address_rule::AddressRule;
use super::authenticator::{AuthHttp, AuthResult, Authenticator, RequestInfo};
use super::connector::{Connector, client};
use super::credentials::{CredentialSources, Credentials};
use super::outgoing::{Outgoing, ParamHeaders};
use super::remote::{Remote, RemoteEvent, RemoteSession};
use super::session_end::LastEnd;
use crate::limits::{
    CLOSE_TIMEOUT, HTTP_INBOX, HTTP_RETRIES, MAX_FRAME_BYTES, MAX_UNSENT_NOTIFICATIONS,
    SESSION_END_TIMEOUT,
};
use crate::protocol::{ExtensionMethod, Timeouts};
use crate::transport::http::sse::Event;
use crate::transport::server_address::{ServerAddress, tls_config};
use crate::transport::{
    FrameReader, FrameWriter, Incoming, Outbox, PrincipalChanges, Transport, UrlTransport,
};

/// Connects to a server at `url`, such as `https://example.com/mcp`. User information in the URL
/// (`https://user:password@example.com/mcp`) is sent as `Authorization: Basic`, unless that header
/// is set explicitly.
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
/// The era of the server is detected unless it is set. The client sends `server/discover` first,
/// then `initialize`. If the server understands neither, it tries HTTP+SSE of revision 2024-11-05
/// (with the feature `sse`). Clones remember the result.
///
/// If the server has forgotten a session, the client opens a new one and repeats the request. This
/// happens after HTTP 404 or 410, and after 400, 401 without a challenge, or 503 without
/// `Retry-After` if the body mentions the session. If the new session also refuses the request, it
/// fails.
///
/// Proxies are taken from the environment as curl does: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`
/// and `NO_PROXY`. Redirects are followed only within the origin of `url`.
pub fn http_client(url: impl Into<String>) -> HttpUrl {
    HttpUrl {
        server: ServerAddress::new(url.into()),
        max_message_bytes: MAX_FRAME_BYTES,
        retries: HTTP_RETRIES,
        proxies: Arc::new(Matcher::from_env()),
        timeouts: Timeouts::default(),
        methods: Vec::new(),
        credentials: CredentialSources::default(),
        is_legacy: Arc::default(),
        last_end: Arc::default(),
    }
}

/// A server that is reached over HTTP; made by [`http_client`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpUrl {
    server: ServerAddress,
    max_message_bytes: usize,
    retries: u32,
    proxies: Arc<Matcher>,
    timeouts: Timeouts,
    methods: Vec<ExtensionMethod>,
    credentials: CredentialSources,
    /// True if the server supports only HTTP+SSE; shared by all connections.
    is_legacy: Arc<AtomicBool>,
    /// The request that ended the last session; shared by all connections.
    last_end: Arc<LastEnd>,
}

impl HttpUrl {
    /// Sends a header with every request. The value is never logged.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.server.add_header(name.into(), value.into());
        self
    }

    /// Sends an access token with every request (RFC 6750, section 2.1). The token is never logged.
    pub fn bearer_auth(self, token: impl Display) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    /// Sends the headers that `provider` returns for each request. A gateway can use this to send
    /// the current token of a user. The headers replace other headers of the same name, and are
    /// never logged. If the provider fails, the request is not sent
    /// ([`CallError::Authentication`](crate::CallError::Authentication)). The provider's time does
    /// not count towards the time limits of a request.
    ///
    /// ```
    /// use http::{HeaderMap, HeaderValue};
    /// use mcp_runtime::transport::http_client::http_client;
    ///
    /// async fn token_of(user: &str) -> std::io::Result<String> {
    ///     // Ask the service that issues tokens.
    /// #   Ok(user.to_owned())
    /// }
    ///
    /// let server = http_client("https://example.com/mcp").header_provider(async |_request| {
    ///     let token = token_of("ann").await?;
    ///     let value = HeaderValue::try_from(format!("Bearer {}", token.trim()))?;
    ///     Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]))
    /// });
    /// # drop(server);
    /// ```
    pub fn header_provider<F>(
        mut self,
        provider: impl Fn(RequestInfo) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = AuthResult<HeaderMap>> + Send + 'static,
    {
        self.credentials.provider = Some(Arc::new(move |request| Box::pin(provider(request))));
        self
    }

    /// Authenticates with a scheme such as OAuth; see [`Authenticator`]. Its headers replace those
    /// of the [`header_provider`](Self::header_provider). They are sent only within the origin of
    /// the server; the scheme's [own requests](AuthHttp) may go elsewhere.
    ///
    /// A request that is finally refused, with 401, or with 403 and a challenge, fails with
    /// [`CallError::Authentication`](crate::CallError::Authentication).
    pub fn auth(mut self, authenticator: impl Authenticator) -> Self {
        self.credentials.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Allows the authenticator's own requests to `host`, such as `login.corp.internal`, whatever
    /// its address; see [`AuthHttp`].
    pub fn allow_private_host(mut self, host: impl Into<String>) -> Self {
        self.credentials.private_hosts.push(host.into());
        self
    }

    /// Returns the HTTP client for an authenticator's own requests, without connecting to the
    /// server, for example to log out.
    ///
    /// # Errors
    ///
    /// If the URL or a root certificate is invalid.
    pub fn auth_http(&self) -> io::Result<AuthHttp> {
        let (uri, _) = self.server.target(UrlTransport::Http)?;
        let tls = tls_config(&self.server.roots)?;
        let rule = AddressRule::new(&uri, self.credentials.private_hosts.clone());
        let proxies = Arc::clone(&self.proxies);
        Ok(AuthHttp::new(tls, proxies, Some(Arc::new(rule))))
    }

    /// Sets the size of the largest accepted message in bytes; 24 MiB by default. A larger answer
    /// fails its request, and other larger messages are skipped. If a skipped message continues for
    /// as many bytes again, its stream is closed and resumed.
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.max_message_bytes = limit;
        self
    }

    /// Sets how often a request is repeated where that does no harm; 2 times by default. A request
    /// is repeated when the server could not be reached or refused it temporarily (429 and 503, or
    /// 502 and 504 for requests that change nothing). The pauses grow, or are as long as the server
    /// asks, up to 10 seconds. Notifications and responses are also repeated if they may not have
    /// arrived.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Uses a proxy, such as `http://user:password@127.0.0.1:3128`, instead of the environment's
    /// proxies. Requests to `https` URLs go through a tunnel.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxies = Arc::new(Matcher::builder().all(url.into()).build());
        self
    }

    /// Connects to the server directly, without the environment's proxies.
    pub fn without_proxy(mut self) -> Self {
        self.proxies = Arc::new(Matcher::builder().build());
        self
    }

    /// Trusts an additional root certificate in DER, such as the root of an organization.
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.server.roots.added.push(der.into());
        self
    }

    /// Trusts only the certificates added with [`root_certificate`](Self::root_certificate), not
    /// the roots of the Mozilla project.
    pub fn without_default_roots(mut self) -> Self {
        self.server.roots.only_added = true;
        self
    }
}

impl Transport for HttpUrl {
    type Reader = HttpReader;
    type Writer = HttpWriter;

    fn set_timeouts(&mut self, timeouts: Timeouts) {
        self.timeouts = timeouts;
    }

    fn set_extension_methods(&mut self, methods: Vec<ExtensionMethod>) {
        self.methods = methods;
    }

    fn extensions(&self) -> Vec<String> {
        let authenticator = self.credentials.authenticator.as_ref();
        authenticator.map_or(Vec::new(), Authenticator::extensions)
    }

    fn principal(&self) -> PrincipalChanges {
        let authenticator = self.credentials.authenticator.as_ref();
        authenticator.map_or_else(PrincipalChanges::default, Authenticator::principal)
    }

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn open(self) -> io::Result<(HttpReader, HttpWriter)> {
        let (uri, headers) = self.server.target(UrlTransport::Http)?;
        let tls = tls_config(&self.server.roots)?;
        let rule = AddressRule::new(&uri, self.credentials.private_hosts);
        let credentials = Credentials {
            provider: self.credentials.provider,
            authenticator: self.credentials.authenticator.map(|authenticator| {
                let rule = Some(Arc::new(rule));
                let http = AuthHttp::new(tls.clone(), self.proxies.clone(), rule);
                (authenticator, http)
            }),
        };
        let connector = Connector::new(self.proxies, None);
        let (inbox, deliveries) = mpsc::channel(HTTP_INBOX);
        let (lines, outgoing) = mpsc::unbounded_channel();
        let remote = Remote {
            uri,
            max_message_bytes: self.max_message_bytes,
            retries: self.retries,
            message_timeout: self.timeouts.idle,
            is_legacy: self.is_legacy,
            last_end: self.last_end,
            client: client(tls, connector.clone()),
            connector,
            credentials,
            inbox,
            state: Mutex::new(RemoteSession {
                headers,
                param_headers: ParamHeaders::with_methods(self.methods),
                ..RemoteSession::default()
            }),
        };
        let reader = HttpReader {
            deliveries,
            limit: self.max_message_bytes,
            next: None,
            current: None,
        };
        let writer = HttpWriter {
            lines: Some(lines),
            running: tokio::spawn(run(Arc::new(remote), outgoing)),
        };
        Ok((reader, writer))
    }
}

/// Reads the server's messages from all responses.
#[derive(Debug)]
pub struct HttpReader {
    deliveries: mpsc::Receiver<RemoteEvent>,
    /// The largest message, in bytes.
    limit: usize,
    next: Option<RemoteEvent>,
    current: Option<Event>,
}

impl FrameReader for HttpReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        let next = self.next.take();
        Some(match next.or_else(|| self.deliveries.try_recv().ok())? {
            RemoteEvent::Event(event) => match self.current.insert(event) {
                Event::Message(message) => Incoming::Frame(message),
                Event::TooLarge(head) => Incoming::TooLarge {
                    head,
                    tail: &[],
                    limit: self.limit,
                },
            },
            RemoteEvent::Failed(id, error) => Incoming::Failed { id, error },
            RemoteEvent::Suspended(id, suspended) => Incoming::Suspended { id, suspended },
        })
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.next = self.deliveries.recv().await;
        Ok(self.next.is_some())
    }
}

/// Sends each message as a separate request.
#[derive(Debug)]
pub struct HttpWriter {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    running: JoinHandle<()>,
}

impl FrameWriter for HttpWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        let lines = self.lines.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        while let Some(line) = outbox.first_line() {
            let sent = lines.send(line.to_vec());
            sent.map_err(|_| io::ErrorKind::NotConnected)?;
            let length = line.len() + 1;
            outbox.advance(length);
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines = None;
        if timeout(CLOSE_TIMEOUT, &mut self.running).await.is_err() {
            self.running.abort();
        }
        Ok(())
    }
}

/// Sends messages until there are no more or the session has ended.
///
/// A separate task sends each request and each response, and one task sends all notifications in
/// order. Only `notifications/initialized` is awaited, so that the server gets it before anything
/// else.
async fn run(remote: Arc<Remote>, mut lines: UnboundedReceiver<Vec<u8>>) {
    let (notifications, mut queue) = mpsc::channel(MAX_UNSENT_NOTIFICATIONS);
    let mut connection = RequestDriver {
        remote: Arc::clone(&remote),
        exchanges: JoinSet::new(),
        in_flight: HashMap::new(),
        initialize: None,
        notifications,
        listening: JoinSet::new(),
    };
    let mut notifying = JoinSet::new();
    let sender = Arc::clone(&remote);
    notifying.spawn(async move {
        while !sender.has_ended()
            && let Some(notification) = queue.recv().await
        {
            sender.notify(&notification, sender.message_timeout).await;
        }
    });
    while !remote.has_ended() {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => connection.send(line).await,
                None => break,
            },
            Some(done) = connection.exchanges.join_next() => {
                if let Ok(Some(id)) = done {
                    connection.in_flight.remove(&id);
                }
            }
            Some(_) = connection.listening.join_next() => {}
            Some(_) = notifying.join_next() => {}
        }
    }
    if remote.has_ended() {
        connection.fail_rest(&mut lines).await;
    }
    drop(connection);
    // Waiting notifications are sent before the session is deleted. `close` limits the time for
    // both.
    while notifying.join_next().await.is_some() {}
    remote.delete_session().await;
}

/// The messages that are being sent and answered.
struct RequestDriver {
    remote: Arc<Remote>,
    /// The tasks of requests, which return their ids, and of responses.
    exchanges: JoinSet<Option<RequestId>>,
    in_flight: HashMap<RequestId, AbortHandle>,
    initialize: Option<(RequestId, Instant)>,
    notifications: mpsc::Sender<Outgoing>,
    /// The task that reads the stream of the session.
    listening: JoinSet<()>,
}

impl RequestDriver {
    async fn send(&mut self, line: Vec<u8>) {
        let outgoing = match self.remote.read(line) {
            Ok(outgoing) => outgoing,
            Err((Some(id), error)) => {
                return self.remote.deliver(RemoteEvent::Failed(id, error)).await;
            }
            Err((None, error)) => return crate::log::warn!(%error, "a message can't be sent"),
        };
        if outgoing.id.is_some() || outgoing.method.is_empty() {
            let id = outgoing.id.clone();
            let remote = Arc::clone(&self.remote);
            if outgoing.method == InitializeRequest::METHOD {
                self.initialize = id.clone().zip(Some(Instant::now()));
            }
            let task = self.exchanges.spawn(async move {
                remote.exchange(&outgoing).await;
                outgoing.id
            });
            self.in_flight.extend(id.map(|id| (id, task)));
        } else if outgoing.method == InitializedNotification::METHOD {
            self.initialized(&outgoing).await;
        } else {
            let cancelled = outgoing.cancels.as_ref();
            if let Some(task) = cancelled.and_then(|id| self.in_flight.remove(id)) {
                task.abort();
            }
            // In the stateless era, closing the response cancels the request.
            if (cancelled.is_none() || self.remote.state().is_initialized)
                && let Err(TrySendError::Full(dropped)) = self.notifications.try_send(outgoing)
            {
                let method = dropped.method;
                crate::log::warn!(
                    method,
                    "a notification was dropped because too many are waiting to be sent"
                );
            }
        }
    }

    /// Sends `notifications/initialized` within the time limit of `initialize`, and starts to read
    /// the stream of the session.
    async fn initialized(&mut self, outgoing: &Outgoing) {
        // Earlier requests only detected the era of the server, so their answers are not needed.
        let (id, since) = self.initialize.take().unzip();
        let earlier = self
            .in_flight
            .extract_if(|other, _| id.as_ref() != Some(other));
        earlier.for_each(|(_, task)| task.abort());
        let taken = since.map(|since| since.elapsed()).unwrap_or_default();
        let left = self.remote.message_timeout.saturating_sub(taken);
        self.remote.notify(outgoing, left).await;
        if !self.remote.has_ended() {
            let remote = Arc::clone(&self.remote);
            self.listening.spawn(async move { remote.listen().await });
        }
    }

    /// Fails the remaining requests after the session has ended.
    async fn fail_rest(&mut self, lines: &mut UnboundedReceiver<Vec<u8>>) {
        let rest = async { while self.exchanges.join_next().await.is_some() {} };
        // Requests that are not done by then fail with the connection.
        let _ = timeout(SESSION_END_TIMEOUT, rest).await;
        lines.close();
        while let Some(line) = lines.recv().await {
            if let Ok(outgoing) = self.remote.read(line)
                && outgoing.id.is_some()
            {
                // Nothing is sent: the request fails immediately with `CallError::SessionEnded`.
                self.remote.exchange(&outgoing).await;
            }
        }
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
