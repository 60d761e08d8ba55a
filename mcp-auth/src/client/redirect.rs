//! The way back from the browser: where the authorization response arrives.

use std::io;

use mcp_runtime::BoxFuture;
use tokio::sync::oneshot;

/// A way by which the browser hands the authorization response to the application; by default a
/// [`Loopback`](super::loopback::Loopback) listener.
///
/// Of use for an application with a URI scheme of its own (RFC 8252 §7.1), or with a web server.
///
/// ```
/// use std::io;
/// use std::sync::{Arc, Mutex};
///
/// use mcp_auth::client::redirect::{AcceptResponse, Redirect, RedirectReceiver};
/// use mcp_runtime::BoxFuture;
/// use tokio::sync::mpsc;
///
/// /// Takes the queries of `com.example.app:/callback`, which the system hands to the application.
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
    /// Prepares for one response, before the browser is opened. `registered` is the redirect URI with
    /// which the client was registered before: with another one it is registered anew.
    fn listen(&self, registered: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>>;
}

/// The way back of a process that has no person to log in.
pub(super) struct NoLogin;

impl Redirect for NoLogin {
    fn listen(&self, _: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>> {
        Box::pin(async { Err(io::Error::other("a login needs a person at a terminal")) })
    }
}

/// One wait for an authorization response. To drop it, or the future of
/// [`receive`](Self::receive), ends the wait.
pub trait RedirectReceiver: Send + 'static {
    /// The redirect URI of the authorization request.
    fn uri(&self) -> &str;

    /// Hands the query of each request to the redirect URI to `accept`, until it takes one. There is
    /// no time limit: the login has one.
    fn receive(self: Box<Self>, accept: AcceptResponse) -> BoxFuture<io::Result<()>>;
}

/// Decides about the query of a request to the redirect URI, which is without its `?` and not decoded.
/// `None` if it is not the response: waiting goes on.
pub type AcceptResponse = Box<dyn FnMut(&str) -> Option<Response> + Send>;

/// The page that a person sees after the authorization response was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The response has a code.
    Granted,
    /// The response has an error, or is invalid.
    Failed,
}

/// Waits until `accept` takes a query, and returns the result that it made of it. Its success decides
/// which page the person sees.
///
/// # Errors
///
/// Those of the receiver.
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
        // A receiver that asks again after the response was taken is given the answer for another query.
        sender.take()?.send(found).ok()?;
        Some(response)
    };
    receiver.receive(Box::new(accept)).await?;
    let reason = "the redirect's wait ended without a response";
    taken.try_recv().map_err(|_| io::Error::other(reason))
}
