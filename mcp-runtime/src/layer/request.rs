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

/// A request on its way to what serves it. Cloning is cheap.
///
/// In a server it was admitted: revision, capabilities and access are settled. In a client it is
/// one call, whatever it takes to answer it.
#[derive(Clone)]
pub struct McpRequest {
    method: Arc<str>,
    /// The parameters as they came.
    received: Option<Arc<RawJson>>,
    /// The parameters of the layer that has replaced them last.
    replaced: Option<Arc<RawJson>>,
    pub(crate) is_retry: bool,
    values: Values,
    context: Option<Context>,
    innermost: Arc<dyn Innermost>,
}

/// What serves a request inside of all layers.
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

    /// The name of the tool or prompt, or the URI of the resource; `None` for requests that have
    /// none, and where it can't be read.
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

    /// Decodes the parameters; absent ones count as an empty object.
    ///
    /// # Errors
    ///
    /// When they do not fit.
    pub fn parse_params<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        match self.params() {
            Some(params) => params.parse(),
            None => RawJson::empty_object().parse(),
        }
    }

    /// Replaces the parameters for what is inside of the layer.
    ///
    /// A server compares headers (`Mcp-Name`, `Mcp-Param-*`) with, and seals its state for, the
    /// parameters as they came, whose `_meta` also stays that of the [context](Self::context).
    /// A layer of an entry, or of a mounted server, can't replace the name, and a URI only by another
    /// one of the same entry.
    /// Parameters that do not fit after a layer has replaced them are an internal error, and the
    /// reason is logged.
    pub fn set_params(&mut self, params: impl Into<RawJson>) {
        self.replaced = Some(Arc::new(params.into()));
    }

    /// Returns true if the client repeats the request with answers that the server has asked for, or
    /// with its state (2026-07-28, "Multi Round-Trip Requests").
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.is_retry
    }

    /// The context of the request in a server: revision, client, principal, identity. Also what
    /// [`Context::identity`](crate::Context::identity) finds: the values of outer layers. `None` in
    /// a client.
    #[must_use]
    pub fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// The name of the principal that an access policy of the server has found; `None` without one,
    /// and in a client.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.context()?.principal()
    }

    /// Leaves a value for inner layers, which [get](Self::get) it, and for handlers, which take it
    /// like an identity: as `&T` of a type that derives [`FromContext`](derive@crate::FromContext)
    /// with `#[from_context(identity)]`, or by [`Context::identity`](crate::Context::identity). It
    /// hides an earlier value of its type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(value);
        if let Some(context) = &mut self.context {
            context.set_values(&self.values);
        }
    }

    /// The value of a type that an outer layer has left.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.values.get()
    }

    /// Replaces the context.
    pub(crate) fn set_context(&mut self, context: Context) {
        self.context = Some(context);
    }

    /// The parameters before any layer has replaced them.
    pub(crate) fn received(&self) -> Option<&RawJson> {
        self.received.as_deref()
    }

    /// The parameters of a layer, if one has replaced them.
    pub(crate) fn replaced(&self) -> Option<&RawJson> {
        self.replaced.as_deref()
    }

    /// Serves the request inside of all layers.
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
