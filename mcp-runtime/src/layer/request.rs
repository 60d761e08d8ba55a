//! Requests as layers see them.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_types::RawJson;
use serde::de::DeserializeOwned;

use super::{BoxError, Context, McpResponse};
use crate::connection::BoxFuture;
use crate::values::Values;

/// A request on its way through the layers to its handler. Cloning is cheap.
///
/// In a server the request has been admitted: its revision, capabilities and access are settled. In
/// a client it is one call, however many requests are needed to answer it.
#[derive(Clone)]
pub struct McpRequest {
    method: Arc<str>,
    received: Option<Arc<RawJson>>,
    /// The parameters that a layer has set, if any.
    replaced: Option<Arc<RawJson>>,
    pub(crate) is_retry: bool,
    values: Values,
    context: Option<Context>,
    innermost: Arc<dyn Innermost>,
}

/// Serves a request inside all layers.
pub(crate) trait Innermost: Send + Sync {
    fn serve(&self, request: McpRequest) -> BoxFuture<Result<McpResponse, BoxError>>;
}

impl McpRequest {
    pub(crate) fn new(
        method: &str,
        params: Option<RawJson>,
        context: Option<Context>,
        innermost: Arc<dyn Innermost>,
    ) -> Self {
        Self {
            method: method.into(),
            received: params.map(Arc::new),
            replaced: None,
            is_retry: false,
            values: Values::default(),
            context,
            innermost,
        }
    }

    /// The method, such as `tools/call`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The name of the tool or prompt, or the URI of the resource; `None` for other requests, or if
    /// it can't be read.
    #[must_use]
    pub fn target(&self) -> Option<Cow<'_, str>> {
        let params = self.params()?.as_raw();
        let member = params.member("name").or_else(|| params.member("uri"))?;
        member.parse().ok()
    }

    /// The parameters, verbatim.
    #[must_use]
    pub fn params(&self) -> Option<&RawJson> {
        self.replaced().or(self.received())
    }

    /// Decodes the parameters; absent parameters are decoded as an empty object.
    ///
    /// # Errors
    ///
    /// When the parameters do not match `T`.
    pub fn parse_params<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        match self.params() {
            Some(params) => params.parse(),
            None => RawJson::empty_object().parse(),
        }
    }

    /// Replaces the parameters for the inner layers and the handler.
    ///
    /// A server still uses the received parameters to check headers (`Mcp-Name`, `Mcp-Param-*`) and
    /// to seal its state, and the [context](Self::context) keeps their `_meta`. A layer of an
    /// entry, or of a mounted server, can't replace the name, and can replace a URI only with
    /// another URI of the same entry. Parameters that a layer has set and that do not match are
    /// reported as an internal error, and the reason is logged.
    pub fn set_params(&mut self, params: impl Into<RawJson>) {
        self.replaced = Some(Arc::new(params.into()));
    }

    /// Returns true if the client repeats the request with its answers to the server's questions,
    /// or with the server's state (2026-07-28, "Multi Round-Trip Requests").
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.is_retry
    }

    /// The context of the request in a server, which holds its revision, client, principal and
    /// identity. Values that outer layers have inserted are also found by
    /// [`Context::identity`](crate::Context::identity). `None` in a client.
    #[must_use]
    pub fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// The name of the principal that the server's access policy has authenticated; `None` without
    /// a principal, and in a client.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.context()?.principal()
    }

    /// Stores a value for inner layers, which [get](Self::get) it, and for handlers, which take it
    /// like an identity: as `&T` of a type that derives [`FromContext`](derive@crate::FromContext)
    /// with `#[from_context(identity)]`, or by [`Context::identity`](crate::Context::identity). The
    /// value hides an earlier value of the same type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(value);
        if let Some(context) = &mut self.context {
            context.set_values(&self.values);
        }
    }

    /// Returns the value of type `T` that an outer layer has inserted.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.values.get()
    }

    pub(crate) fn set_context(&mut self, context: Context) {
        self.context = Some(context);
    }

    pub(crate) fn received(&self) -> Option<&RawJson> {
        self.received.as_deref()
    }

    pub(crate) fn replaced(&self) -> Option<&RawJson> {
        self.replaced.as_deref()
    }

    pub(super) fn serve(self) -> BoxFuture<Result<McpResponse, BoxError>> {
        Arc::clone(&self.innermost).serve(self)
    }
}

impl fmt::Debug for McpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpRequest")
            .field("method", &self.method)
            .field("is_retry", &self.is_retry)
            .finish_non_exhaustive()
    }
}
