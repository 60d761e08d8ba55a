//! The caller that handlers see in tests.

use std::any::Any;
use std::io;
use std::sync::Arc;

use http::request::{Builder, Parts};
#[cfg(feature = "http-server")]
use http::{HeaderName, HeaderValue};

use super::Connect;
use crate::connection::ClientIdentity;
#[cfg(feature = "http-server")]
use crate::transport::http::{Exchange, ScopeCheck};

/// The HTTP request that handlers see, as over WebSocket.
#[derive(Debug, Default)]
pub(super) struct Caller(Builder);

impl Caller {
    /// The identity of the connection.
    ///
    /// # Errors
    ///
    /// When a header is malformed.
    pub(super) fn identity(self) -> io::Result<Arc<dyn ClientIdentity>> {
        let request = self.0.body(()).map_err(io::Error::other)?;
        Ok(identity(request.into_parts().0))
    }
}

#[cfg(feature = "http-server")]
fn identity(mut parts: Parts) -> Arc<dyn ClientIdentity> {
    if parts.extensions.get::<ScopeCheck>().is_none() {
        // In memory, scopes have no effect unless the test sets a check.
        parts.extensions.insert(ScopeCheck::new(|_| Ok(())));
    }
    Arc::new(Exchange::upgrade(parts, None))
}

#[cfg(not(feature = "http-server"))]
fn identity(parts: Parts) -> Arc<dyn ClientIdentity> {
    Arc::new(parts.extensions)
}

impl Connect {
    /// Sets the identity of the client, as [`Context::identity`](crate::Context::identity) returns
    /// it. One of each type, such as the application's user and the
    /// [`Principal`](crate::server::Principal) that handlers take as a parameter. Scopes
    /// are checked if it is a [`ScopeCheck`](crate::transport::http::ScopeCheck).
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
        self.caller.0 = self.caller.0.extension(identity);
        self
    }

    /// Adds a header to the HTTP request that handlers see as `&http::request::Parts` or
    /// [`&HttpRequest`](crate::transport::http::HttpRequest). A malformed one is an error of the
    /// connection.
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
        self.caller.0 = self.caller.0.header(name, value);
        self
    }
}
