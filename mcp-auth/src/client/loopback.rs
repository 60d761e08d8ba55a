//! A listener on the loopback interface for the authorization response (RFC 8252 §7.3).

use std::io;
use std::net::Ipv4Addr;

use mcp_runtime::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::redirect::{AcceptResponse, Redirect, RedirectReceiver, Response};
use crate::limits::client::{
    ACCEPT_PAUSE, LOOPBACK_TIMEOUT, MAX_LOOPBACK_CONNECTIONS, MAX_LOOPBACK_HEAD_BYTES,
};

/// Receives the authorization response over HTTP on `127.0.0.1` (RFC 8252 §7.3). Its page tells the
/// person to return to the application.
///
/// The listener is open only during a login. It answers requests that are not the response with
/// 404.
///
/// ```
/// use mcp_auth::client::loopback::Loopback;
///
/// // Any port, which authorization servers must allow (RFC 8252 §7.3).
/// let redirect = Loopback::any_port();
/// // The fixed URI http://127.0.0.1:8123/oauth, as it was registered.
/// let redirect = Loopback::port(8123).path("/oauth");
/// # drop(redirect);
/// ```
#[derive(Clone, Debug)]
pub struct Loopback {
    port: u16,
    path: String,
}

struct Listening {
    listener: TcpListener,
    path: String,
    uri: String,
}

impl Loopback {
    /// Listens on a port that the operating system chooses, with the path `/callback`. A client
    /// that was registered with an earlier port uses that port again if it is free.
    #[must_use]
    pub fn any_port() -> Self {
        Self::port(0)
    }

    /// Listens on this port with the path `/callback`. The port must be free during a login.
    #[must_use]
    pub fn port(port: u16) -> Self {
        Self {
            port,
            path: "/callback".to_owned(),
        }
    }

    /// Sets the path of the redirect URI, which must begin with `/`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The port of `uri` if `uri` is an earlier redirect URI of this listener.
    fn earlier_port(&self, uri: &str) -> Option<u16> {
        let rest = uri.strip_prefix("http://127.0.0.1:")?;
        rest.strip_suffix(&*self.path)?.parse().ok()
    }

    async fn bind(self) -> io::Result<Listening> {
        let port = self.port;
        self.bind_to(port).await
    }

    async fn bind_to(self, port: u16) -> io::Result<Listening> {
        let path = self.path;
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = bound.map_err(|error| {
            let reason = format!("can't listen on 127.0.0.1:{port} for the login: {error}");
            io::Error::new(error.kind(), reason)
        })?;
        let address = listener.local_addr()?;
        let uri = format!("http://{address}{path}");
        Ok(Listening {
            listener,
            path,
            uri,
        })
    }
}

impl Redirect for Loopback {
    fn listen(&self, registered: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>> {
        let this = self.clone();
        let earlier = registered.and_then(|uri| self.earlier_port(uri));
        Box::pin(async move {
            let earlier = match earlier.filter(|_| this.port == 0) {
                Some(port) => this.clone().bind_to(port).await.ok(),
                None => None,
            };
            let listening = match earlier {
                Some(listening) => listening,
                None => this.bind().await?,
            };
            Ok(Box::new(listening) as Box<dyn RedirectReceiver>)
        })
    }
}

impl RedirectReceiver for Listening {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn receive(self: Box<Self>, accept: AcceptResponse) -> BoxFuture<io::Result<()>> {
        Box::pin(self.serve(accept))
    }
}

impl Listening {
    async fn serve(self: Box<Self>, mut accept: AcceptResponse) -> io::Result<()> {
        let mut reading = JoinSet::new();
        let mut writing = JoinSet::new();
        loop {
            let is_room = reading.len() + writing.len() < MAX_LOOPBACK_CONNECTIONS;
            tokio::select! {
                connection = self.listener.accept(), if is_room => {
                    // Either this connection failed, or file descriptors are temporarily exhausted.
                    let Ok((connection, _)) = connection else {
                        sleep(ACCEPT_PAUSE).await;
                        continue;
                    };
                    reading.spawn(timeout(LOOPBACK_TIMEOUT, read_target(connection)));
                }
                Some(read) = reading.join_next() => {
                    let Ok(Ok(Some((connection, target)))) = read else { continue };
                    let query = self.query(&target);
                    if let Some(response) = query.and_then(&mut accept) {
                        return answer(connection, "200 OK", page(response)).await;
                    }
                    writing.spawn(answer(connection, "404 Not Found", NOT_FOUND));
                }
                Some(_) = writing.join_next() => {}
            }
        }
    }

    fn query<'a>(&self, target: &'a str) -> Option<&'a str> {
        let (path, query) = target.split_once('?')?;
        (path == self.path).then_some(query)
    }
}

/// Reads the head of a request. Returns the connection and the target if the request is a GET.
async fn read_target(mut connection: TcpStream) -> Option<(TcpStream, String)> {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let rest = (MAX_LOOPBACK_HEAD_BYTES - head.len()) as u64;
        let read = (&mut connection).take(rest).read_buf(&mut head).await;
        if read.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let (line, _) = head.split_once("\r\n")?;
    let target = line.strip_prefix("GET ")?;
    let (target, version) = target.split_once(' ')?;
    let is_http = version.starts_with("HTTP/1.");
    is_http.then(|| (connection, target.to_owned()))
}

/// Writes a response and closes the connection. Write errors are ignored, because the person may
/// already have closed the page.
async fn answer(mut connection: TcpStream, status: &str, text: &str) -> io::Result<()> {
    let body = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Login</title><p>{text}</p>\n"
    );
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: text/html; charset=utf-8\r\n\
         Content-Length: {length}\r\n\
         Cache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n\r\n{body}"
    );
    let written = async {
        connection.write_all(answer.as_bytes()).await?;
        connection.shutdown().await
    };
    let _ = timeout(LOOPBACK_TIMEOUT, written).await;
    Ok(())
}

const NOT_FOUND: &str = "This is not the response to a running login.";

fn page(response: Response) -> &'static str {
    match response {
        Response::Granted => "You may close this page and go back to the application.",
        Response::Failed => {
            "The login has failed. You may close this page: the application shows the reason."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::redirect::receive;
    use super::*;

    async fn listen(redirect: Loopback) -> (Box<dyn RedirectReceiver>, String) {
        let receiver = redirect.listen(None).await.unwrap();
        let uri = receiver.uri().to_owned();
        (receiver, uri)
    }

    /// Accepts the query `ok` as a code and `no` as an error.
    fn accept(query: &str) -> Option<Result<String, String>> {
        match query {
            "ok" => Some(Ok(query.to_owned())),
            "no" => Some(Err(query.to_owned())),
            _ => None,
        }
    }

    async fn connect(uri: &str) -> TcpStream {
        let address = uri.strip_prefix("http://").unwrap();
        let (address, _) = address.split_once('/').unwrap();
        TcpStream::connect(address).await.unwrap()
    }

    async fn send(uri: &str, request: &str) -> String {
        let mut connection = connect(uri).await;
        let _ = connection.write_all(request.as_bytes()).await;
        let mut answer = String::new();
        let _ = connection.read_to_string(&mut answer).await;
        answer
    }

    async fn get(uri: &str, target: &str) -> String {
        send(uri, &format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n")).await
    }

    #[tokio::test]
    async fn only_the_response_ends_the_wait() {
        let (receiver, uri) = listen(Loopback::any_port()).await;
        assert!(uri.starts_with("http://127.0.0.1:") && uri.ends_with("/callback"));
        let waiting = tokio::spawn(receive(receiver, accept));
        for target in [
            "/callback",
            "/callback?",
            "/callback?a",
            "/?ok",
            "/favicon.ico",
        ] {
            let answer = get(&uri, target).await;
            assert!(answer.starts_with("HTTP/1.1 404 "), "{target}: {answer}");
        }
        let answer = get(&uri, "/callback?ok").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("go back to the application"));
        assert_eq!(waiting.await.unwrap().unwrap(), Ok("ok".to_owned()));
    }

    #[tokio::test]
    async fn a_failure_has_a_page_of_its_own_and_ends_the_wait() {
        let (receiver, uri) = listen(Loopback::any_port().path("/oauth")).await;
        assert!(uri.ends_with("/oauth"));
        let waiting = tokio::spawn(receive(receiver, accept));
        let answer = get(&uri, "/oauth?no").await;
        assert!(answer.contains("The login has failed"), "{answer}");
        assert_eq!(waiting.await.unwrap().unwrap(), Err("no".to_owned()));
    }

    #[tokio::test]
    async fn connections_that_send_nothing_or_nonsense_hinder_nobody() {
        let (receiver, uri) = listen(Loopback::any_port()).await;
        let waiting = tokio::spawn(receive(receiver, accept));
        let mut silent = Vec::new();
        for _ in 0..MAX_LOOPBACK_CONNECTIONS - 2 {
            silent.push(connect(&uri).await);
        }
        let long = format!(
            "GET /{} HTTP/1.1\r\n",
            "a".repeat(2 * MAX_LOOPBACK_HEAD_BYTES)
        );
        for request in ["POST /callback?ok HTTP/1.1\r\n\r\n", "ok\r\n\r\n", &long] {
            assert_eq!(send(&uri, request).await, "", "{request:.20}");
        }
        get(&uri, "/callback?ok").await;
        assert_eq!(waiting.await.unwrap().unwrap(), Ok("ok".to_owned()));
    }

    #[tokio::test]
    async fn connections_beyond_the_limit_wait_for_those_that_time_out() {
        let (receiver, uri) = listen(Loopback::any_port()).await;
        let waiting = tokio::spawn(receive(receiver, accept));
        let mut silent = Vec::new();
        for _ in 0..2 * MAX_LOOPBACK_CONNECTIONS {
            silent.push(connect(&uri).await);
        }
        tokio::time::pause();
        while !get(&uri, "/callback?ok").await.starts_with("HTTP/1.1 200 ") {}
        assert_eq!(waiting.await.unwrap().unwrap(), Ok("ok".to_owned()));
    }

    #[tokio::test]
    async fn a_registered_port_is_used_again_if_it_is_free() {
        let uri = |receiver: &dyn RedirectReceiver| receiver.uri().to_owned();
        let redirect = Loopback::any_port();
        let first = redirect.listen(None).await.unwrap();
        let registered = uri(&*first);
        let second = redirect.listen(Some(&registered)).await.unwrap();
        assert_ne!(uri(&*second), registered);
        drop(first);
        let third = redirect.listen(Some(&registered)).await.unwrap();
        assert_eq!(uri(&*third), registered);
        for other in ["http://127.0.0.1:0/callback", "https://a/callback", ""] {
            let receiver = redirect.listen(Some(other)).await.unwrap();
            assert_ne!(uri(&*receiver), other);
        }
    }

    #[tokio::test]
    async fn a_port_in_use_is_an_error_that_names_it() {
        let (_receiver, uri) = listen(Loopback::any_port()).await;
        let port = uri.split([':', '/']).nth(4).unwrap();
        let error = Loopback::port(port.parse().unwrap()).listen(None).await;
        let error = error.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(error.to_string().contains(port), "{error}");
    }

    #[tokio::test]
    async fn the_port_is_free_after_the_wait() {
        let (receiver, uri) = listen(Loopback::any_port()).await;
        let waiting = tokio::spawn(receive(receiver, accept));
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let port = uri.split([':', '/']).nth(4).unwrap();
        listen(Loopback::port(port.parse().unwrap())).await;
    }
}
