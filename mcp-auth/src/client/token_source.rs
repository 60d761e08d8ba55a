//! Sources of tokens that an application presents.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::AuthResult;

use super::error::{AuthError, AuthErrorKind, AuthStep};

/// A function that returns a token.
#[derive(Clone)]
pub(crate) struct TokenSource(Arc<dyn Fn() -> BoxFuture<AuthResult<String>> + Send + Sync>);

impl TokenSource {
    pub(crate) fn new<F>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(source())))
    }

    /// The token, for a request to the server at `url`.
    pub(crate) async fn token(&self, step: AuthStep, url: &str) -> Result<String, AuthError> {
        let error = |cause: Box<dyn Error + Send + Sync>| {
            AuthError::new(step, url, AuthErrorKind::TokenSource(cause))
        };
        let token = (self.0)().await.map_err(error)?;
        match token.trim() {
            "" => Err(error("it is empty".into())),
            token => Ok(token.to_owned()),
        }
    }
}
