//! The methods of [`ServerBuilder`] that add hooks.

use std::sync::Arc;

use super::hooks::{IntoHookResult, hook_of};
use crate::protocol::Change;
use crate::server::{Initialized, Server, ServerBuilder};

impl ServerBuilder {
    /// Runs `hook` each time before the server is served, for example to open a database. The hook
    /// gets the server, with which it can [announce changes](Server::notify_changed).
    ///
    /// Hooks run in the order in which they were added. If a hook fails, serving ends with
    /// [`ServeError::Start`](crate::ServeError::Start). If a hook returns a `Result` with a value,
    /// the value is kept until the server has been served and its
    /// [`on_shutdown`](Self::on_shutdown) hooks have run. For example, a hook that starts a file
    /// watcher returns the watcher.
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let mut server = Server::builder();
    /// server
    ///     .on_start(|_| async { std::fs::create_dir_all("state") })
    ///     .on_initialized(|client| async move { drop(client.revision()) })
    ///     .on_shutdown(|| async { std::fs::remove_dir_all("state") });
    /// # drop(server.build());
    /// ```
    pub fn on_start<F>(&mut self, hook: impl Fn(Server) -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.start.push(hook_of(hook));
        self
    }

    /// Calls `hook` with the address of a listener when the listener is open.
    ///
    /// The address is a URL such as `http://127.0.0.1:8080/mcp`, `tcp://127.0.0.1:8080` or
    /// `ws://127.0.0.1:8080`, or `unix:` followed by the path of the socket. If the server listens on
    /// port 0, the address has the port that the system has chosen. The hook is not called for single
    /// connections, such as [`stdio`](crate::transport::stdio()), or for services that a program
    /// mounts in its own web server.
    ///
    /// ```
    /// # let mut server = mcp_runtime::Server::builder();
    /// server.on_listening(|place| println!("{place}"));
    /// # drop(server.build());
    /// ```
    pub fn on_listening(&mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> &mut Self {
        self.settings.hooks.listening.push(Arc::new(hook));
        self
    }

    /// Runs `hook` after each handshake: once for each connection or HTTP session, concurrently with
    /// its calls. Stateless clients perform no handshake.
    ///
    /// If the hook fails, the error is logged and the connection continues.
    pub fn on_initialized<F>(
        &mut self,
        hook: impl Fn(Initialized) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.initialized.push(hook_of(hook));
        self
    }

    /// Runs `hook` when another replica of the server has announced a change, before the clients of
    /// this replica are notified. The hook edits what this replica offers, for example by reading
    /// its tools from a database again.
    ///
    /// The hook also runs when messages of other replicas may have been lost: once for each list in
    /// [`list_changed`](Self::list_changed) and for each resource to which a client has subscribed.
    /// Changes that the hook announces itself, also through edits, are not sent to other replicas.
    /// If the hook fails, the error is logged.
    ///
    /// Replicas hear of each other through a [`Bus`](crate::store::Bus). Without a bus the hook
    /// never runs.
    ///
    /// ```
    /// use mcp_runtime::Change;
    ///
    /// # async fn load_tools() {}
    /// # let mut server = mcp_runtime::Server::builder();
    /// server.on_change(|_server, change| async move {
    ///     if change == Change::Tools {
    ///         load_tools().await;
    ///     }
    /// });
    /// # drop(server.build());
    /// ```
    pub fn on_change<F>(
        &mut self,
        hook: impl Fn(Server, Change) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        let hook = move |(server, change)| hook(server, change);
        self.settings.hooks.change.push(hook_of(hook));
        self
    }

    /// Runs `hook` each time after the server was served, for example to release what
    /// [`on_start`](Self::on_start) has opened. At this point all calls have finished or were
    /// cancelled, and all connections are closed.
    ///
    /// All hooks run, in the reverse order in which they were added, even if serving or another hook
    /// has failed. They do not run if `on_start` has failed. An error is logged, and returned as
    /// [`ServeError::Shutdown`](crate::ServeError::Shutdown) unless there is an earlier error. A
    /// second SIGTERM or Ctrl-C interrupts the hooks.
    pub fn on_shutdown<F>(&mut self, hook: impl Fn() -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.shutdown.push(hook_of(move |()| hook()));
        self
    }
}
