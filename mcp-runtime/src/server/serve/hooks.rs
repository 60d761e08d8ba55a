//! Hooks that run when a server starts or listens, when a client is initialized, and when the server
//! shuts down.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use mcp_types::{ClientCapabilities, ErrorObject, Implementation, Revision};

use crate::connection::{BoxFuture, Contained, Peer};
use crate::layer::BoxError;
use crate::protocol::{Change, Negotiated};
use crate::server::Server;

/// The outcome of a hook. The value of an `on_start` hook is kept until the server has been served.
pub(crate) type HookResult = Result<Box<dyn Any + Send>, BoxError>;
type OnListening = Arc<dyn Fn(&str) + Send + Sync>;
type Hook<A> = Arc<dyn Fn(A) -> BoxFuture<HookResult> + Send + Sync>;

/// A type that a hook can return: `()`, or a `Result` whose error is reported.
///
/// The value that an [`on_start`](crate::ServerBuilder::on_start) hook returns is kept until the
/// server has been served. The values of other hooks are dropped immediately.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a hook",
    label = "neither `()` nor a `Result` with a standard error",
    note = "the error must implement `std::error::Error`, `Send` and `Sync`, or be a string"
)]
pub trait IntoHookResult {
    /// Converts the returned value.
    ///
    /// # Errors
    ///
    /// Returns the error of the hook.
    fn into_hook_result(self) -> HookResult;
}

impl IntoHookResult for () {
    fn into_hook_result(self) -> HookResult {
        Ok(Box::new(self))
    }
}

impl<T: Send + 'static, E: Into<BoxError>> IntoHookResult for Result<T, E> {
    fn into_hook_result(self) -> HookResult {
        match self {
            Ok(value) => Ok(Box::new(value)),
            Err(error) => Err(error.into()),
        }
    }
}

/// A client that has completed the handshake; the argument of
/// [`ServerBuilder::on_initialized`](crate::ServerBuilder::on_initialized).
#[derive(Clone, Debug)]
pub struct Initialized {
    pub(in crate::server) negotiated: Arc<Negotiated>,
    pub(in crate::server) peer: Peer,
}

impl Initialized {
    /// The negotiated protocol revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated.revision
    }

    /// The name and version that the client reports. They are not verified, so use them for display
    /// and logs only.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.negotiated.peer_info.as_ref()
    }

    /// The capabilities of the client.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.negotiated.peer_capabilities
    }

    /// A handle for sending requests and notifications to the client.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }
}

/// The hooks of a server and of the servers that it mounts.
#[derive(Default)]
pub(in crate::server) struct Hooks {
    pub(in crate::server) start: Vec<Hook<Server>>,
    pub(in crate::server) listening: Vec<OnListening>,
    pub(in crate::server) initialized: Vec<Hook<Initialized>>,
    pub(in crate::server) change: Vec<Hook<(Server, Change)>>,
    pub(in crate::server) shutdown: Vec<Hook<()>>,
}

pub(super) fn hook_of<A, F>(function: impl Fn(A) -> F + Send + Sync + 'static) -> Hook<A>
where
    F: Future<Output: IntoHookResult> + Send + 'static,
{
    Arc::new(move |argument| {
        let outcome = function(argument);
        Box::pin(async move { outcome.await.into_hook_result() })
    })
}

impl Hooks {
    pub(in crate::server) fn mount(&mut self, mounted: &Self) {
        self.start.extend_from_slice(&mounted.start);
        self.listening.extend_from_slice(&mounted.listening);
        self.initialized.extend_from_slice(&mounted.initialized);
        self.change.extend_from_slice(&mounted.change);
        self.shutdown.extend_from_slice(&mounted.shutdown);
    }

    /// Runs the `on_start` hooks until one of them fails, and returns their values.
    pub(in crate::server) async fn start(
        &self,
        server: &Server,
    ) -> Result<Vec<Box<dyn Any + Send>>, BoxError> {
        let mut guards = Vec::new();
        for hook in &self.start {
            guards.push(hook(server.clone()).await?);
        }
        Ok(guards)
    }

    /// Spawns a task for each `on_initialized` hook. Errors and panics are logged.
    pub(in crate::server) fn initialized(&self, client: &Initialized) {
        for hook in &self.initialized {
            let hook = Arc::clone(hook);
            let client = client.clone();
            tokio::spawn(Contained(Box::pin(async move {
                if let Err(error) = hook(client).await {
                    crate::log::error!(%error, "`on_initialized` failed");
                }
                Ok::<_, ErrorObject>(())
            })));
        }
    }

    /// Runs all `on_shutdown` hooks in reverse order, and returns the first error.
    pub(in crate::server) async fn shut_down(&self) -> Result<(), BoxError> {
        let mut outcome = Ok(());
        for hook in self.shutdown.iter().rev() {
            if let Err(error) = hook(()).await {
                crate::log::error!(%error, "`on_shutdown` failed");
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
