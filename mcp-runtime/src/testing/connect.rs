//! Connects a client to a server in the same process, and chooses the caller that handlers see.

use std::any::Any;
use std::future::IntoFuture;
use std::io;
use std::sync::Arc;

use http::request::{Builder, Parts};
#[cfg(feature = "http-server")]
use http::{HeaderName, HeaderValue};
use mcp_types::{Era, Revision};
use tokio::sync::oneshot;

use crate::connection::{BoxFuture, ClientIdentity, Recording};
#[cfg(feature = "http-server")]
use crate::transport::http::{Exchange, ScopeCheck};
use crate::transport::memory;
use crate::{Client, ClientBuilder, ConnectError, Server};

/// Connects a client to `server` in memory; await it to get the [`Client`]. A server that can't start
/// is reported as [`ConnectError::Serve`].
///
/// Each call opens a separate connection, so two clones of a [`Server`] serve two clients. The
/// connection ends when the client is closed or dropped.
///
/// One line calls a tool and compares its answer:
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::testing::connect;
/// use serde_json::json;
///
/// #[derive(Clone, FromContext)]
/// #[from_context(identity)]
/// struct User(&'static str);
///
/// struct Library;
///
/// #[mcp_server]
/// impl Library {
///     /// Greets the reader.
///     #[tool]
///     fn greet(&self, user: &User, greeting: String) -> String {
///         format!("{greeting}, {}!", user.0)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ann = connect(Library).identity(User("Ann")).await?;
/// assert_eq!(ann.call::<String>("greet", json!({"greeting": "Hello"})).await?, "Hello, Ann!");
///
/// let nobody = connect(Library).await?;
/// assert!(nobody.call::<String>("greet", json!({"greeting": "Hello"})).await.is_err());
/// # Ok(())
/// # }
/// ```
pub fn connect(server: impl Into<Server>) -> Connect {
    Connect {
        server: server.into(),
        client: Client::builder("test", "0.0.0").without_keep_alive(),
        request: Builder::new(),
        paused: false,
    }
}

/// A connection that is opened when it is awaited; see [`connect`].
#[must_use = "nothing is connected until this is awaited"]
#[derive(Debug)]
pub struct Connect {
    server: Server,
    client: ClientBuilder,
    /// The HTTP request that handlers see, as if it had opened a WebSocket.
    request: Builder,
    paused: bool,
}

impl Connect {
    /// Sets the client that connects; by default a client named `test` without handlers. Replaces
    /// all client settings made before.
    pub fn client(mut self, client: ClientBuilder) -> Self {
        self.client = client;
        self
    }

    /// Sets the era to speak; detected by default.
    pub fn era(mut self, era: Era) -> Self {
        self.client = self.client.era(era);
        self
    }

    /// Sets the revision to speak; negotiated by default.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.client = self.client.revision(revision);
        self
    }

    /// Sets the identity of the client, as [`Context::identity`](crate::Context::identity) returns
    /// it. There can be one value of each type, such as the application's user and the
    /// [`Principal`](crate::server::Principal) that handlers take as a parameter. If the value is a
    /// [`ScopeCheck`](crate::transport::http::ScopeCheck), scopes are checked with it.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::testing;
    /// use mcp_runtime::transport::http::Principal;
    ///
    /// struct Library;
    ///
    /// #[mcp_server]
    /// impl Library {
    ///     /// Names the reader.
    ///     #[tool]
    ///     fn reader(&self, caller: &Principal) -> String {
    ///         caller.name().to_owned()
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = testing::connect(Library).identity(Principal::new("ann")).await?;
    /// assert_eq!(client.call::<String>("reader", serde_json::json!({})).await?, "ann");
    /// # Ok(())
    /// # }
    /// ```
    pub fn identity<T: Any + Clone + Send + Sync>(mut self, identity: T) -> Self {
        self.request = self.request.extension(identity);
        self
    }

    /// Adds a header to the HTTP request that handlers see as `&http::request::Parts` or
    /// [`&HttpRequest`](crate::transport::http::HttpRequest). If the header is malformed,
    /// connecting fails.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::testing;
    ///
    /// struct Library;
    ///
    /// #[mcp_server]
    /// impl Library {
    ///     /// Names the reader's language.
    ///     #[tool]
    ///     fn language(&self, request: &http::request::Parts) -> Option<String> {
    ///         Some(request.headers.get("accept-language")?.to_str().ok()?.to_owned())
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = testing::connect(Library).header("accept-language", "de").await?;
    /// assert_eq!(client.call::<String>("language", serde_json::json!({})).await?, "de");
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "http-server")]
    pub fn header<K, V>(mut self, name: K, value: V) -> Self
    where
        K: TryInto<HeaderName, Error: Into<http::Error>>,
        V: TryInto<HeaderValue, Error: Into<http::Error>>,
    {
        self.request = self.request.header(name, value);
        self
    }

    /// Records every message of the connection, for example for a snapshot:
    ///
    /// ```
    /// # use mcp_runtime::prelude::*;
    /// use mcp_runtime::testing::{self, Recording};
    /// # struct Calculator;
    /// # #[mcp_server(name = "calculator", version = "1.0.0")]
    /// # impl Calculator {
    /// #     /// Adds two whole numbers.
    /// #     #[tool]
    /// #     fn add(&self, a: i64, b: i64) -> i64 { a + b }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::default();
    /// let revision = mcp_runtime::Revision::V2025_06_18;
    /// let client = testing::connect(Calculator).revision(revision).record(&recording).await?;
    /// client.ping().await?;
    /// // All earlier messages have arrived before an answer.
    /// recording.clear();
    /// client.ping().await?;
    /// assert_eq!(
    ///     recording.without_times(),
    ///     r#"{"connection":1,"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"ping","params":{}}}
    /// {"connection":1,"from":"server","message":{"jsonrpc":"2.0","id":3,"result":{}}}
    /// "#,
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub fn record(mut self, recording: &Recording) -> Self {
        self.server = self.server.record(recording);
        self
    }

    /// Pauses tokio's clock before connecting. A paused clock jumps to the next deadline whenever
    /// the runtime is idle, so timeouts elapse immediately.
    ///
    /// # Panics
    ///
    /// Awaiting it panics if the clock is already paused, or if the runtime has several threads;
    /// see [`tokio::time::pause`].
    pub fn paused(mut self) -> Self {
        self.paused = true;
        self
    }
}

impl IntoFuture for Connect {
    type Output = Result<Client, ConnectError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if self.paused {
                tokio::time::pause();
            }
            let (ours, theirs) = memory::pair();
            let request = self.request.body(()).map_err(io::Error::other);
            let (parts, ()) = request.map_err(ConnectError::Open)?.into_parts();
            let serving = self
                .server
                .serve(theirs)
                .signals(false)
                .identified(identity(parts));
            let (failed, failure) = oneshot::channel();
            tokio::spawn(async move {
                if let Err(error) = serving.await
                    && let Err(error) = failed.send(error)
                {
                    crate::log::error!(%error, "the server under test failed");
                }
            });
            match self.client.connect(ours).await {
                Err(error) if error.is_end() => {
                    Err(failure.await.map_or(error, ConnectError::Serve))
                }
                outcome => outcome,
            }
        })
    }
}

#[cfg(feature = "http-server")]
fn identity(mut parts: Parts) -> Arc<dyn ClientIdentity> {
    if parts.extensions.get::<ScopeCheck>().is_none() {
        // In memory, scopes have no effect unless the test sets its own check.
        parts.extensions.insert(ScopeCheck::new(|_| Ok(())));
    }
    Arc::new(Exchange::upgrade(parts, None))
}

#[cfg(not(feature = "http-server"))]
fn identity(parts: Parts) -> Arc<dyn ClientIdentity> {
    Arc::new(parts.extensions)
}
