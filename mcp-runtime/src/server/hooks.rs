//! What a server does when it starts, when a client is there, and when it ends.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use mcp_types::{ClientCapabilities, ErrorObject, Implementation, Revision};

use super::{Server, ServerBuilder, task};
use crate::connection::{BoxFuture, Contained, Peer, contain};
use crate::error::ServeError;
use crate::protocol::Negotiated;

type BoxError = Box<dyn Error + Send + Sync>;
type Outcome = BoxFuture<Result<(), BoxError>>;
type Hook = Box<dyn Fn() -> Outcome + Send + Sync>;
type InitializedHook = Box<dyn Fn(Initialized) + Send + Sync>;

/// What a hook may return: nothing, or a `Result` whose error is reported.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a hook",
    label = "neither `()` nor a `Result<(), …>` with an error of `std`",
    note = "the error has to implement `std::error::Error`, `Send` and `Sync`, or be text"
)]
pub trait IntoHookResult {
    /// The error, if it is one.
    ///
    /// # Errors
    ///
    /// What the hook reports.
    fn into_hook_result(self) -> Result<(), BoxError>;
}

impl IntoHookResult for () {
    fn into_hook_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

impl<E: Into<BoxError>> IntoHookResult for Result<(), E> {
    fn into_hook_result(self) -> Result<(), BoxError> {
        self.map_err(E::into)
    }
}

/// A client that has shaken hands, as [`ServerBuilder::on_initialized`] is told.
#[derive(Clone, Debug)]
pub struct Initialized {
    negotiated: Arc<Negotiated>,
    peer: Peer,
}

impl Initialized {
    /// The revision of the protocol that was agreed on.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated.revision
    }

    /// What the client says it is. Not verified: for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.negotiated.peer_info.as_ref()
    }

    /// What the client is able to do.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.negotiated.peer_capabilities
    }

    /// The client, to send it requests and notifications as long as it is there.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }
}

impl ServerBuilder {
    /// Runs `hook` each time the server is about to be served, before anything is opened or read:
    /// the place to open a database or to load state.
    ///
    /// Hooks run in the order in which they were added. An error ends serving with
    /// [`ServeError::Start`].
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let mut server = Server::builder();
    /// server
    ///     .on_start(|| async { std::fs::create_dir_all("state") })
    ///     .on_initialized(|client| async move { drop(client.revision()) })
    ///     .on_shutdown(|| async { std::fs::remove_dir_all("state") });
    /// # drop(server.build());
    /// ```
    pub fn on_start<F>(&mut self, hook: impl Fn() -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.start.push(boxed(hook));
        self
    }

    /// Runs `hook` for each client whose handshake is done, once a connection or HTTP session, while
    /// its calls are served. Stateless clients shake no hands.
    ///
    /// An error is logged; the connection goes on.
    pub fn on_initialized<F>(
        &mut self,
        hook: impl Fn(Initialized) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings
            .hooks
            .initialized
            .push(Box::new(move |client| {
                beside(|| {
                    let outcome = hook(client);
                    Box::pin(async move { outcome.await.into_hook_result() })
                });
            }));
        self
    }

    /// Runs `hook` each time the server has been served: all calls are finished or cancelled, all
    /// connections closed. The place to save and release what [`on_start`](Self::on_start) has
    /// opened.
    ///
    /// Hooks run in the reverse of the order in which they were added, all of them, also when
    /// serving has failed, but not when `on_start` has. An error is logged, and returned as
    /// [`ServeError::Shutdown`] unless there is another one. SIGTERM or Ctrl-C cuts them short.
    pub fn on_shutdown<F>(&mut self, hook: impl Fn() -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.shutdown.push(boxed(hook));
        self
    }
}

impl Server {
    pub(super) fn hooks(&self) -> &Hooks {
        &self.settings().hooks
    }

    /// Tells that a client has shaken hands.
    pub(crate) fn initialized(&self, negotiated: &Arc<Negotiated>, peer: impl FnOnce() -> Peer) {
        self.hooks().initialized(negotiated, peer);
    }
}

fn boxed<F>(hook: impl Fn() -> F + Send + Sync + 'static) -> Hook
where
    F: Future<Output: IntoHookResult> + Send + 'static,
{
    Box::new(move || {
        let outcome = hook();
        Box::pin(async move { outcome.await.into_hook_result() })
    })
}

/// The hooks of a server.
#[derive(Default)]
pub(super) struct Hooks {
    start: Vec<Hook>,
    initialized: Vec<InitializedHook>,
    shutdown: Vec<Hook>,
}

impl Hooks {
    /// Runs the hooks of `mounted` as well, in the place where it is mounted.
    pub(super) fn mount(&mut self, mounted: &Server) {
        let server = mounted.clone();
        self.start.push(boxed(move || {
            let server = server.clone();
            async move { server.hooks().run_start().await }
        }));
        let server = mounted.clone();
        self.initialized.push(Box::new(move |client| {
            let Initialized { negotiated, peer } = client;
            server.initialized(&negotiated, || peer);
        }));
        let server = mounted.clone();
        self.shutdown.push(boxed(move || {
            let server = server.clone();
            async move { server.hooks().run_shutdown().await }
        }));
    }

    /// Runs what belongs before everything else.
    pub(super) async fn start(&self) -> Result<(), ServeError> {
        self.run_start().await.map_err(ServeError::Start)
    }

    async fn run_start(&self) -> Result<(), BoxError> {
        for hook in &self.start {
            hook().await?;
        }
        Ok(())
    }

    /// Runs what belongs after everything else; the first error is returned.
    pub(super) async fn shut_down(&self) -> Result<(), ServeError> {
        self.run_shutdown().await.map_err(ServeError::Shutdown)
    }

    async fn run_shutdown(&self) -> Result<(), BoxError> {
        let mut outcome = Ok(());
        for hook in self.shutdown.iter().rev() {
            if let Err(error) = hook().await {
                tracing::error!(%error, "`on_shutdown` failed");
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }

    /// Tells that a client has shaken hands.
    pub(super) fn initialized(&self, negotiated: &Arc<Negotiated>, peer: impl FnOnce() -> Peer) {
        if self.initialized.is_empty() {
            return;
        }
        let client = Initialized {
            negotiated: Arc::clone(negotiated),
            peer: peer(),
        };
        for hook in &self.initialized {
            hook(client.clone());
        }
    }
}

/// Runs a hook beside the calls of a client: one that has to wait for something becomes a task.
fn beside(hook: impl FnOnce() -> Outcome) {
    // A panic is logged; there is no one to answer.
    let Ok(outcome) = contain(hook) else {
        return;
    };
    let mut reported = Contained(Box::pin(async move {
        if let Err(error) = outcome.await {
            tracing::error!(%error, "`on_initialized` failed");
        }
        Ok::<_, ErrorObject>(())
    }));
    let mut context = Context::from_waker(Waker::noop());
    let polled = std::pin::Pin::new(&mut reported).poll(&mut context);
    if polled == Poll::Pending {
        task::begin(Box::pin(async move {
            // What went wrong has been said.
            let _ = reported.await;
        }));
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
