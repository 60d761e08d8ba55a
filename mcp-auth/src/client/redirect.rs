//! Redirects from the browser back to the application, which carry the authorization response.

use std::io;

use mcp_runtime::BoxFuture;
use tokio::sync::oneshot;

/// How the browser hands the authorization response to the application. The default is a
/// [`Loopback`](super::loopback::Loopback) listener.
///
/// Implement this trait for an application that has its own URI scheme (RFC 8252 §7.1) or its own
/// web server.
///
/// ```
/// use std::io;
/// use std::sync::{Arc, Mutex};
///
/// use mcp_auth::client::redirect::{AcceptResponse, Redirect, RedirectReceiver};
/// use mcp_runtime::BoxFuture;
/// use tokio::sync::mpsc;
///
/// /// Receives the queries of `com.example.app:/callback` URLs.
/// struct CustomScheme(Arc<Mutex<Option<mpsc::Receiver<String>>>>);
///
/// struct Waiting(mpsc::Receiver<String>);
///
/// impl Redirect for CustomScheme {
///     fn listen(&self, _: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>> {
///         let queries = self.0.lock().unwrap().take();
///         Box::pin(async move {
///             let queries = queries.ok_or(io::ErrorKind::AddrInUse)?;
///             Ok(Box::new(Waiting(queries)) as Box<dyn RedirectReceiver>)
///         })
///     }
/// }
///
/// impl RedirectReceiver for Waiting {
///     fn uri(&self) -> &str {
///         "com.example.app:/callback"
///     }
///
///     fn receive(mut self: Box<Self>, mut accept: AcceptResponse) -> BoxFuture<io::Result<()>> {
///         Box::pin(async move {
///             while let Some(query) = self.0.recv().await {
///                 if accept(&query).is_some() {
///                     return Ok(());
///                 }
///             }
///             Err(io::ErrorKind::UnexpectedEof.into())
///         })
///     }
/// }
/// ```
pub trait Redirect: Send + Sync + 'static {
    /// Prepares to receive one response, before the browser is opened. `registered` is the redirect
    /// URI of the client's earlier registration. If the receiver has a different URI, the client is
    /// registered again.
    fn listen(&self, registered: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>>;
}

/// A wait for one authorization response. Dropping the receiver, or the future of
/// [`receive`](Self::receive), ends the wait.
pub trait RedirectReceiver: Send + 'static {
    /// The redirect URI of the authorization request.
    fn uri(&self) -> &str;

    /// Passes the query of each request for the redirect URI to `accept` until `accept` returns a
    /// response. The receiver needs no time limit, because the login has one.
    fn receive(self: Box<Self>, accept: AcceptResponse) -> BoxFuture<io::Result<()>>;
}

/// A function that checks the query of a request for the redirect URI. The query has no `?` and is
/// not decoded. The function returns `None` if the query is not the response, and the receiver
/// keeps waiting.
pub type AcceptResponse = Box<dyn FnMut(&str) -> Option<Response> + Send>;

/// The page that the person sees after the application received the authorization response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The response contains a code.
    Granted,
    /// The response contains an error or is invalid.
    Failed,
}

/// Waits until `accept` accepts a query, and returns the result of `accept`. The person sees a
/// different page for a success than for an error.
///
/// # Errors
///
/// The errors of the receiver.
pub async fn receive<T, E>(
    receiver: Box<dyn RedirectReceiver>,
    accept: impl Fn(&str) -> Option<Result<T, E>> + Send + 'static,
) -> io::Result<Result<T, E>>
where
    T: Send + 'static,
    E: Send + 'static,
{
    let (sender, mut taken) = oneshot::channel();
    let mut sender = Some(sender);
    let accept = move |query: &str| {
        let found = accept(query)?;
        let response = match found {
            Ok(_) => Response::Granted,
            Err(_) => Response::Failed,
        };
        // A receiver may call again after the response was accepted. Such a query is not a
        // response.
        sender.take()?.send(found).ok()?;
        Some(response)
    };
    receiver.receive(Box::new(accept)).await?;
    let reason = "the wait for the redirect ended without a response";
    taken.try_recv().map_err(|_| io::Error::other(reason))
}
