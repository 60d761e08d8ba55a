//! A proxy before it has a server behind it.

use std::sync::Arc;

use mcp_types::ServerNotification;

use super::callers::Callers;
use super::open;
use crate::client::{Client, ClientBuilder};
use crate::error::CallError;
use crate::server::Server;

/// A proxy that passes on questions: what the server behind it asks during a call, it asks whoever
/// made that call.
///
/// The client that leads there has to declare that it can be asked, which the one that
/// [`client`](Self::client) begins does; a caller who can't be asked counts as one who dismisses
/// the question. That the caller's roots have changed is not passed on. What that server logs goes
/// to the caller as well, as far as it wants to know.
///
/// A server with a handshake does not say which call its question, or what it logs, belongs to. It
/// is passed on only while all calls in flight are of one caller: a single call, or several of one
/// session. So no caller is asked, or told, what is meant for another: that server gets an error
/// instead of an answer, which says why. Where several callers may
/// call at once and each is to be asked, [`one_caller_at_a_time`](Self::one_caller_at_a_time) makes
/// them wait for each other. A caller without a handshake answers by making its call again, which is
/// then passed on again.
///
/// ```no_run
/// use mcp_runtime::Server;
/// use mcp_runtime::server::Proxy;
/// use mcp_runtime::transport::ChildProcess;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let proxy = Proxy::new();
/// let behind = ChildProcess::new("shop-server");
/// let client = proxy.client("gateway", "1.0.0").connect(behind).await?;
///
/// let mut server = Server::builder();
/// server.mount("shop", &proxy.server(&client).await?);
/// # drop(server.build());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proxy {
    callers: Arc<Callers>,
}

impl Proxy {
    /// A proxy without a server behind it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a client that passes on what it is asked, forms, pages, samplings and roots, and what
    /// the server logs.
    pub fn client(&self, name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        let callers = || Arc::clone(&self.callers);
        let (forms, pages, models) = (callers(), callers(), callers());
        let (roots, logs) = (callers(), callers());
        Client::builder(name, version)
            .on_form(move |form| {
                let callers = Arc::clone(&forms);
                async move { callers.form(form).await }
            })
            .on_page(move |page| {
                let callers = Arc::clone(&pages);
                async move { callers.page(page).await }
            })
            .on_sample(move |params| {
                let callers = Arc::clone(&models);
                async move { callers.sample(params).await }
            })
            .sample_with_tools()
            .on_roots(move || {
                let callers = Arc::clone(&roots);
                async move { callers.roots().await }
            })
            .on_notification(move |told| {
                if let ServerNotification::LoggingMessage(message) = told {
                    logs.log(message);
                }
            })
    }

    /// Passes on the calls of one caller at a time: those of others wait, in the order in which they
    /// came, until the server behind has answered. So each of its questions and log messages finds
    /// its caller. For servers that ask and have a handshake; one without says whom it asks, and
    /// needs nothing of this.
    ///
    /// Whoever gives up a call keeps the turn until the server behind has taken note.
    ///
    /// A session counts as one caller. A caller without a session counts anew with each call, and
    /// makes room while its user thinks; in a session the others wait for that user as well.
    #[must_use]
    pub fn one_caller_at_a_time(self) -> Self {
        self.callers.keep_apart();
        self
    }

    /// A server that offers what the server behind `client` offers; see [`Server::proxy`].
    ///
    /// # Errors
    ///
    /// When that server does not say what it offers.
    pub async fn server(&self, client: &Client) -> Result<Server, CallError> {
        open::server(client, Arc::clone(&self.callers), true).await
    }
}
