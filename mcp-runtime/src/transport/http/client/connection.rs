//! The HTTP client as a transport: its settings, and the task that sends the messages of a
//! connection.

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

/// A server at `url`, such as `https://example.com/mcp`. User information in it
/// (`https://user:password@example.com/mcp`) is sent as `Authorization: Basic`, unless that header
/// is set by itself.
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
/// `sse`). Clones remember the result.
///
/// A session that the server has forgotten is opened again, and the request is repeated: after HTTP
/// 404 or 410, and after 400, 401 without a challenge, or 503 without `Retry-After` if the body
/// speaks of the session. A request that is refused in the new session as well fails.
///
/// Proxies are those of the environment: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`,
/// as curl understands them. Redirects are followed within the origin of `url` only.
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
    /// Methods of the client's extensions.
    methods: Vec<ExtensionMethod>,
    credentials: CredentialSources,
    /// True if the server supports nothing newer than HTTP+SSE; shared by all connections.
    is_legacy: Arc<AtomicBool>,
    /// The last end of a session; shared by all connections.
    last_end: Arc<LastEnd>,
}

impl HttpUrl {
    /// Sends a header with every request. Its value is not logged.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.server.add_header(name.into(), value.into());
        self
    }

    /// Sends an access token with every request (RFC 6750, section 2.1). It is not logged.
    pub fn bearer_auth(self, token: impl Display) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    /// Sends the headers with each request that `provider` returns for it: the token of the user for
    /// whom a gateway opens this client, perhaps, which is another one after an hour. They replace
    /// headers of the same name, and are not logged. A request whose provider fails is not sent
    /// ([`CallError::Authentication`](crate::CallError::Authentication)). Time that it takes does
    /// not count towards the time limits of a request.
    ///
    /// ```
    /// use http::{HeaderMap, HeaderValue};
    /// use mcp_runtime::transport::http_client::http_client;
    ///
    /// async fn token_of(user: &str) -> std::io::Result<String> {
    ///     // Asks whoever gives out tokens.
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

    /// Authenticates by a scheme such as OAuth: see [`Authenticator`]. Its headers replace those of
    /// [`header_provider`](Self::header_provider). What it sends stays within the origin of the
    /// server, except for [requests of its own](AuthHttp).
    ///
    /// A request that is refused for good, with 401, or with 403 and a challenge, fails with
    /// [`CallError::Authentication`](crate::CallError::Authentication).
    pub fn auth(mut self, authenticator: impl Authenticator) -> Self {
        self.credentials.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Allows requests of the authenticator's own to `host`, such as `login.corp.internal`, whatever
    /// address it has; see [`AuthHttp`].
    pub fn allow_private_host(mut self, host: impl Into<String>) -> Self {
        self.credentials.private_hosts.push(host.into());
        self
    }

    /// The client for an authenticator's requests of its own, without a connection to the server: to log
    /// out from it, perhaps.
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

    /// The largest message that is accepted, in bytes; 16 MiB by default. An answer over it fails
    /// its request; other messages over it are skipped. A stream on which one goes on for as many bytes
    /// more is closed, and resumed.
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.max_message_bytes = limit;
        self
    }

    /// How often a request is sent again where that does no harm: when the server could not be
    /// reached, or refused it for now (429 and 503, or 502 and 504 for requests that change
    /// nothing); 2 times by default, after growing pauses, or the one that the server asks for, up
    /// to 10 seconds. Notifications and responses are sent again as well when they may not have
    /// arrived.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Uses a proxy, such as `http://user:password@127.0.0.1:3128`, instead of those of the
    /// environment. Requests to `https` URLs go through it in a tunnel.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxies = Arc::new(Matcher::builder().all(url.into()).build());
        self
    }

    /// Connects to the server directly, without the proxies of the environment.
    pub fn without_proxy(mut self) -> Self {
        self.proxies = Arc::new(Matcher::builder().build());
        self
    }

    /// Trusts one more root certificate, in DER: that of an organisation, perhaps.
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.server.roots.added.push(der.into());
        self
    }

    /// Trusts only the certificates of [`root_certificate`](Self::root_certificate), and not those of
    /// the Mozilla project.
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

/// Reads the messages of the server, of all responses.
#[derive(Debug)]
pub struct HttpReader {
    deliveries: mpsc::Receiver<RemoteEvent>,
    /// The largest message, in bytes.
    limit: usize,
    next: Option<RemoteEvent>,
    /// The one that was taken last.
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

/// Sends each message as a request of its own.
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

/// Sends messages until there are no more, or the session has ended.
///
/// Each request and each response is sent by a task of its own; notifications are sent in order by
/// another one. Only `notifications/initialized` is waited for, so that the server has it before
/// anything else.
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
    // Notifications that wait are sent before the session is deleted, while there is time for both.
    while notifying.join_next().await.is_some() {}
    remote.delete_session().await;
}

/// Messages that are being sent and answered.
struct RequestDriver {
    remote: Arc<Remote>,
    /// Requests, which return their id, and responses.
    exchanges: JoinSet<Option<RequestId>>,
    in_flight: HashMap<RequestId, AbortHandle>,
    /// The request `initialize`, and when it was sent.
    initialize: Option<(RequestId, Instant)>,
    notifications: mpsc::Sender<Outgoing>,
    /// Reads the stream of the session.
    listening: JoinSet<()>,
}

impl RequestDriver {
    /// Sends one message.
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
                crate::log::warn!(method, "a notification was dropped: the server takes none");
            }
        }
    }

    /// Sends `notifications/initialized`, within the time of `initialize`, and begins to read the
    /// stream of the session.
    async fn initialized(&mut self, outgoing: &Outgoing) {
        // Earlier requests detected the era of the server: their answers are of no use.
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

    /// Fails the requests that are left once the session has ended.
    async fn fail_rest(&mut self, lines: &mut UnboundedReceiver<Vec<u8>>) {
        let rest = async { while self.exchanges.join_next().await.is_some() {} };
        // Those that are not done by then fail with the connection.
        let _ = timeout(SESSION_END_TIMEOUT, rest).await;
        lines.close();
        while let Some(line) = lines.recv().await {
            if let Ok(outgoing) = self.remote.read(line)
                && outgoing.id.is_some()
            {
                // Nothing is sent: it fails at once with `CallError::SessionEnded`.
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
