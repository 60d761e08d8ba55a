//! Hooks that run when a server starts, a client is initialized, or the server shuts down.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use mcp_types::{ClientCapabilities, ErrorObject, Implementation, Revision};

use super::{Server, ServerBuilder};
use crate::connection::{BoxFuture, Contained, Peer, contain};
use crate::protocol::Negotiated;

type BoxError = Box<dyn Error + Send + Sync>;
type Outcome = BoxFuture<Result<(), BoxError>>;
type Hook = Box<dyn Fn() -> Outcome + Send + Sync>;
type InitializedHook = Box<dyn Fn(Initialized) + Send + Sync>;

/// The return type of a hook: `()`, or a `Result` whose error is reported.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a hook",
    label = "neither `()` nor a `Result<(), …>` with an error of `std`",
    note = "the error has to implement `std::error::Error`, `Send` and `Sync`, or be text"
)]
pub trait IntoHookResult {
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// The error of the hook.
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

/// A client whose handshake is done; the argument of [`ServerBuilder::on_initialized`].
#[derive(Clone, Debug)]
pub struct Initialized {
    negotiated: Arc<Negotiated>,
    peer: Peer,
}

impl Initialized {
    /// The negotiated revision of the protocol.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated.revision
    }

    /// The client's own name and version. Not verified: for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.negotiated.peer_info.as_ref()
    }

    /// The capabilities of the client.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.negotiated.peer_capabilities
    }

    /// The client, to send it requests and notifications.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }
}

impl ServerBuilder {
    /// Runs `hook` each time before the server is served, for example to open a database.
    ///
    /// Hooks run in the order in which they were added. An error ends serving with
    /// [`ServeError::Start`](crate::ServeError::Start).
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

    /// Runs `hook` after each handshake, once for each connection or HTTP session, concurrently with
    /// its calls. Stateless clients have no handshake.
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
                run_detached(|| {
                    let outcome = hook(client);
                    Box::pin(async move { outcome.await.into_hook_result() })
                });
            }));
        self
    }

    /// Runs `hook` each time after the server was served: all calls are finished or cancelled, all
    /// connections closed. For example to release what [`on_start`](Self::on_start) has opened.
    ///
    /// Hooks run in the reverse of the order in which they were added, all of them, also when
    /// serving has failed, but not when `on_start` has. An error is logged, and returned as
    /// [`ServeError::Shutdown`](crate::ServeError::Shutdown) unless there is another one. SIGTERM or Ctrl-C cuts them short.
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

    /// Runs the `on_initialized` hooks for a client.
    pub(crate) fn initialized(&self, negotiated: &Arc<Negotiated>, peer: impl FnOnce() -> Peer) {
        let hooks = &self.hooks().initialized;
        if hooks.is_empty() {
            return;
        }
        let client = Initialized {
            negotiated: Arc::clone(negotiated),
            peer: peer(),
        };
        for hook in hooks {
            hook(client.clone());
        }
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
    /// Adds the hooks of a mounted server, in the order of mounting.
    pub(super) fn mount(&mut self, mounted: &Server) {
        let server = mounted.clone();
        self.start.push(boxed(move || {
            let server = server.clone();
            async move { server.hooks().start().await }
        }));
        let server = mounted.clone();
        self.initialized.push(Box::new(move |client| {
            let Initialized { negotiated, peer } = client;
            server.initialized(&negotiated, || peer);
        }));
        let server = mounted.clone();
        self.shutdown.push(boxed(move || {
            let server = server.clone();
            async move { server.hooks().shut_down().await }
        }));
    }

    /// Runs the `on_start` hooks, up to the first error.
    pub(super) async fn start(&self) -> Result<(), BoxError> {
        for hook in &self.start {
            hook().await?;
        }
        Ok(())
    }

    /// Runs all `on_shutdown` hooks, last first; returns the first error.
    pub(super) async fn shut_down(&self) -> Result<(), BoxError> {
        let mut outcome = Ok(());
        for hook in self.shutdown.iter().rev() {
            if let Err(error) = hook().await {
                tracing::error!(%error, "`on_shutdown` failed");
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }
}

/// Calls a hook, and runs its future in a task. Errors and panics are logged.
fn run_detached(hook: impl FnOnce() -> Outcome) {
    let Ok(outcome) = contain(hook) else {
        return;
    };
    tokio::spawn(Contained(Box::pin(async move {
        if let Err(error) = outcome.await {
            tracing::error!(%error, "`on_initialized` failed");
        }
        Ok::<_, ErrorObject>(())
    })));
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
