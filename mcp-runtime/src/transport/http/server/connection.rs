//! One TCP connection of a server with its own listener, and the routing of its requests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{self, Future};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::header::{CONNECTION, HOST, HeaderValue};
use http::uri::{Authority, Scheme};
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};

use super::access::check_caller;
use super::body::ResponseBody;
use super::response;
use super::service::{HttpService, OpenConnection, ResponseFuture, respond};
use super::state::ConnectionInfo;
use crate::error::Rejection;
use crate::limits::{
    HALF_CLOSE_TIMEOUT, HTTP2_WINDOW, LAST_ANSWERS_TIMEOUT, MAX_HEAD_BYTES, MAX_HTTP2_STREAMS,
};
use crate::server::serve::listen::ended;

/// The routes of a server (MCP at `path`, `/health`, `/ready`, the paths of the access policy, and
/// additional routes), the timeouts of its connections, and whether it goes on.
pub(crate) struct Site {
    pub(crate) service: HttpService,
    pub(crate) path: String,
    pub(crate) routes: HashMap<String, Route>,
    pub(crate) head_timeout: Duration,
    /// How long a connection may go without requests and data.
    pub(crate) idle_timeout: Duration,
    /// True if `/ready` reports 200.
    pub(crate) is_ready: AtomicBool,
    /// True once the listener is closed, so that clients should open no more requests here.
    pub(crate) is_closing: watch::Sender<bool>,
}

/// Serves the requests for one path.
pub(crate) type Route =
    Box<dyn Fn(Request<Incoming>, &ConnectionInfo) -> ResponseFuture + Send + Sync>;

impl Site {
    fn answer(&self, request: Request<Incoming>, connection: ConnectionInfo) -> ResponseFuture {
        let path = request.uri().path();
        let state = &self.service.state;
        let response = match check_host_header(&request) {
            Err(rejection) => rejection.response(),
            Ok(()) if path == self.path => {
                return respond(Arc::clone(state), connection, request);
            }
            Ok(()) => match self.routes.get(path) {
                Some(route) => return route(request, &connection),
                None if path == "/health" => probed(request.method(), true),
                None if path == "/ready" => {
                    probed(request.method(), self.is_ready.load(Ordering::Relaxed))
                }
                None if state.options.policy.has_path(path) => {
                    return respond(Arc::clone(state), connection, request);
                }
                None => {
                    let checked = check_caller(request.uri(), request.headers(), &state.options);
                    let nothing = || Rejection::Path(self.path.clone());
                    checked.err().unwrap_or_else(nothing).response()
                }
            },
        };
        Box::pin(future::ready(Ok(response)))
    }

    /// Serves a connection in a task.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        tasks: &mut JoinSet<()>,
        io: TcpStream,
        addr: SocketAddr,
    ) {
        let ending = self.service.state.ending.subscribe();
        tasks.spawn(serve(Arc::clone(self), io, addr, ending));
    }
}

/// Answers a probe. Neither `Host` nor `Origin` is checked, because probes use the address of a pod
/// and there is nothing to protect.
fn probed(method: &Method, is_ok: bool) -> Response<ResponseBody> {
    let (status, text) = if is_ok {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "ending")
    };
    let body = format!(r#"{{"status":"{text}"}}"#);
    match *method {
        Method::GET => response::json(status, body.into()),
        Method::HEAD => response::head(status, body.len()),
        _ => Rejection::Method("GET, HEAD").response(),
    }
}

/// Checks that `Host` is sent once, whatever hosts are allowed (RFC 9112, section 3.2), and that
/// over HTTP/2 it agrees with `:authority` (RFC 9113, section 8.3.1).
fn check_host_header(request: &Request<Incoming>) -> Result<(), Rejection> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let uri = request.uri();
    let version = request.version();
    match (hosts.next(), hosts.next(), uri.authority()) {
        (None, _, _) if version == Version::HTTP_11 => Err(Rejection::HostHeader),
        (_, Some(_), _) => Err(Rejection::HostHeader),
        (Some(host), None, Some(authority)) if version == Version::HTTP_2 => {
            let host = host.to_str().ok().and_then(|host| host.parse().ok());
            if host.is_some_and(|host| is_same(authority, &host, uri.scheme())) {
                Ok(())
            } else {
                Err(Rejection::Authority)
            }
        }
        _ => Ok(()),
    }
}

/// Returns true if two authorities name the same host and port.
fn is_same(one: &Authority, other: &Authority, scheme: Option<&Scheme>) -> bool {
    let default = if scheme == Some(&Scheme::HTTPS) {
        443
    } else {
        80
    };
    let port = |of: &Authority| of.port_u16().unwrap_or(default);
    one.host().eq_ignore_ascii_case(other.host()) && port(one) == port(other)
}

fn builder(site: &Site) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_buf_size(MAX_HEAD_BYTES)
        .header_read_timeout(site.head_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_HTTP2_STREAMS)
        .initial_stream_window_size(HTTP2_WINDOW)
        .initial_connection_window_size(2 * HTTP2_WINDOW)
        // hyper sends pings only while requests are open. An idle connection is closed earlier.
        .keep_alive_interval(2 * site.idle_timeout);
    builder
}

/// Serves a connection until it is closed or idle or, once the server ends, until its requests in
/// flight are answered. An idle HTTP/1 connection stays open while requests are still served,
/// because a request may already be on its way; it is answered with `Connection: close`. HTTP/2 has
/// GOAWAY for this.
async fn serve(
    site: Arc<Site>,
    stream: TcpStream,
    addr: SocketAddr,
    mut ending: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it was served");
        return;
    }
    let _counted = OpenConnection::new();
    let activity = Arc::new(Activity::default());
    let io = ConnectionIo {
        io: TokioIo::new(stream),
        activity: Arc::clone(&activity),
        closing: None,
    };
    let connection = site.service.connection(addr);
    let unread = Arc::clone(&connection.unread);
    let answer = service_fn(|request: Request<Incoming>| {
        activity.has_begun.store(true, Ordering::Relaxed);
        if request.version() == Version::HTTP_2 {
            activity.is_http2.store(true, Ordering::Relaxed);
        }
        let version = request.version();
        let answer = site.answer(request, connection.clone());
        let site = Arc::clone(&site);
        let busy = Arc::clone(&activity.requests);
        async move {
            let mut response = answer.await?;
            if version < Version::HTTP_2 && *site.is_closing.borrow() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            drop(busy);
            Ok::<_, Infallible>(response)
        }
    });
    let builder = builder(&site);
    let mut connection = pin!(builder.serve_connection_with_upgrades(io, answer));
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = drained(&site, &mut ending, &activity) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = activity.idle(site.head_timeout, site.idle_timeout) => {
            connection.as_mut().graceful_shutdown();
            // No request is in flight, so a client that stays silent misses nothing.
            let goodbye = timeout(LAST_ANSWERS_TIMEOUT, connection);
            goodbye.await.unwrap_or(Ok(()))
        }
        () = unread.stalled(site.service.state.options.limits.write) => {
            tracing::debug!("a connection was closed because its client does not read an answer");
            return;
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection failed");
    }
}

/// Waits until the listener is closed, and over HTTP/1 until new requests are refused.
async fn drained(site: &Site, ending: &mut watch::Receiver<bool>, activity: &Activity) {
    ended(&mut site.is_closing.subscribe()).await;
    if !activity.is_http2.load(Ordering::Relaxed) {
        ended(ending).await;
    }
}

/// The I/O of one connection, which records its activity.
///
/// It closes its two directions one after the other: after the output is closed, input is read to
/// the end and dropped. Closing a connection with unread input would reset it, and the last answer
/// might be lost (RFC 9112, section 9.6).
struct ConnectionIo<I> {
    io: I,
    activity: Arc<Activity>,
    /// The time until which the peer may still send, once the output is closed.
    closing: Option<Pin<Box<Sleep>>>,
}

impl<I: Read + Unpin> ConnectionIo<I> {
    /// Drops input until the peer closes its direction, or takes too long.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let late = self.closing.as_mut();
        if late.is_none_or(|late| late.as_mut().poll(cx).is_ready()) {
            return Poll::Ready(());
        }
        let mut bytes = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.io).poll_read(cx, buffer.unfilled()));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<I: Read + Unpin> Read for ConnectionIo<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let outcome = ready!(Pin::new(&mut self.io).poll_read(cx, buffer));
        self.activity.note();
        Poll::Ready(outcome)
    }
}

impl<I: Read + Write + Unpin> Write for ConnectionIo<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = ready!(Pin::new(&mut self.io).poll_write(cx, bytes));
        self.activity.note();
        Poll::Ready(outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
            self.closing = Some(Box::pin(sleep(HALF_CLOSE_TIMEOUT)));
        }
        self.poll_end(cx).map(Ok)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, parts));
        self.activity.note();
        Poll::Ready(outcome)
    }
}

#[derive(Debug, Default)]
struct Activity {
    /// The number of reads and writes.
    noted: AtomicUsize,
    /// Each request whose answer has not begun holds a clone, so the strong count is one more than
    /// the number of these requests.
    requests: Arc<()>,
    /// True once the first request has arrived.
    has_begun: AtomicBool,
    /// True if the connection is known to speak HTTP/2.
    is_http2: AtomicBool,
}

impl Activity {
    fn note(&self) {
        self.noted.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until no request has arrived within `first`, or nothing was read, written or served
    /// for `timeout`.
    async fn idle(&self, first: Duration, timeout: Duration) {
        sleep(first).await;
        while self.has_begun.load(Ordering::Relaxed) {
            let before = self.noted.load(Ordering::Relaxed);
            sleep(timeout).await;
            let quiet = self.noted.load(Ordering::Relaxed) == before;
            if quiet && Arc::strong_count(&self.requests) == 1 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncWriteExt as _, DuplexStream};

    use super::*;

    const IDLE: Duration = Duration::from_secs(30);

    fn connection_io() -> (DuplexStream, ConnectionIo<TokioIo<DuplexStream>>) {
        let (theirs, ours) = tokio::io::duplex(16);
        let ours = ConnectionIo {
            io: TokioIo::new(ours),
            activity: Arc::default(),
            closing: None,
        };
        (theirs, ours)
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_connection_is_read_to_the_end_but_not_for_ever() {
        let close = async |io: &mut ConnectionIo<TokioIo<DuplexStream>>| {
            poll_fn(|cx| Pin::new(&mut *io).poll_shutdown(cx)).await
        };
        let (mut theirs, mut ours) = connection_io();
        let start = tokio::time::Instant::now();
        let says_on = async {
            theirs.write_all(&[0; 10_000]).await.unwrap();
            drop(theirs);
        };
        tokio::join!(close(&mut ours), says_on).0.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);

        let says_on_for_ever = async |theirs: &mut DuplexStream| {
            while theirs.write_all(&[0; 16]).await.is_ok() {
                tokio::time::sleep(HALF_CLOSE_TIMEOUT / 10).await;
            }
        };
        let (mut theirs, mut ours) = connection_io();
        let closed = tokio::select! {
            closed = close(&mut ours) => closed,
            () = says_on_for_ever(&mut theirs) => unreachable!(),
        };
        closed.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_when_nothing_is_said_or_served() {
        let activity = Arc::new(Activity {
            has_begun: true.into(),
            ..Activity::default()
        });
        let busy = Arc::clone(&activity.requests);
        let waits = tokio::time::timeout(10 * IDLE, activity.idle(Duration::ZERO, IDLE));
        assert!(waits.await.is_err());
        drop(busy);
        activity.note();
        let waits = tokio::time::timeout(2 * IDLE, activity.idle(Duration::ZERO, IDLE));
        assert!(waits.await.is_ok());
    }
}
