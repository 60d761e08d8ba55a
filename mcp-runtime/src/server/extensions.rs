//! Extensions of a server: declarations, and methods beyond the protocol.

use std::fmt;
use std::sync::Arc;

use mcp_types::{JsonObject, OrderedMap, RawJson, RawJsonRef, ServerCapabilities};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::handler::error::to_protocol;
use super::layers::Stack;
use super::scopes::Scopes;
use super::{Context, HandlerError, Reply};
use crate::error::RequestError;
use crate::protocol::invalid_params;

/// The extensions of a server, and their methods.
#[derive(Default)]
pub(super) struct Extensions {
    declared: OrderedMap<JsonObject>,
    methods: OrderedMap<Arc<Method>>,
}

pub(super) type Method = dyn Fn(MethodCall<'_>) -> Reply<RawJson> + Send + Sync;

/// A request for a method of an extension.
#[derive(Clone, Copy, Debug)]
pub struct MethodCall<'a> {
    /// The parameters as they were received, with their `_meta`.
    pub params: Option<RawJsonRef<'a>>,
    /// The context of the request.
    pub context: &'a Context,
}

impl Extensions {
    pub(super) fn declare(&mut self, name: String, settings: JsonObject) {
        self.declared.insert(name, settings);
    }

    pub(super) fn add(&mut self, method: String, serve: Arc<Method>) {
        self.methods.insert(method, serve);
    }

    /// Adds the extensions of a mounted server, which serves their methods to callers with
    /// `scopes`, through `layers`; `at` makes its contexts. What is declared or served here already
    /// stays as it is.
    pub(super) fn mount(
        &mut self,
        theirs: &Self,
        (scopes, layers): (&Scopes, &Option<Stack>),
        at: impl Fn(&Context) -> Context + Clone + Send + Sync + 'static,
    ) {
        for (name, settings) in &theirs.declared {
            let ours = self.declared.entry(name.clone());
            let ours = ours.or_insert_with(|| settings.clone());
            if ours != settings {
                crate::log::warn!(
                    extension = name,
                    "a mounted server has other settings for an extension, which do not count"
                );
            }
        }
        for (method, serve) in &theirs.methods {
            if self.methods.contains_key(method) {
                tracing::debug!(
                    method,
                    "a method of a mounted server is served by another one"
                );
                continue;
            }
            let (serve, name, at) = (Arc::clone(serve), method.clone(), at.clone());
            let (scopes, layers) = (scopes.clone(), layers.clone());
            self.methods.insert(
                method.clone(),
                Arc::new(move |call: MethodCall<'_>| {
                    if let Err(denied) = scopes.check(call.context) {
                        return Reply::Ready(Err(denied.to_error()));
                    }
                    let context = &at(call.context);
                    let call = MethodCall { context, ..call };
                    match &layers {
                        None => serve(call),
                        Some(layers) => layers.method(&name, call, &serve),
                    }
                }),
            );
        }
    }

    pub(super) fn methods(&self) -> impl Iterator<Item = String> {
        self.methods.keys().cloned()
    }

    /// Calls a method, for which `scopes` are needed; `None` if there is no such method.
    ///
    /// # Errors
    ///
    /// When the caller does not have the scopes.
    pub(super) fn call(
        &self,
        method: &str,
        scopes: &Scopes,
        call: MethodCall<'_>,
    ) -> Result<Option<Reply<RawJson>>, RequestError> {
        let Some(serve) = self.methods.get(method) else {
            return Ok(None);
        };
        scopes.check(call.context)?;
        Ok(Some(serve(call)))
    }

    /// The capabilities for clients of the handshake era, with the extensions under `experimental`.
    pub(super) fn in_handshakes(&self, capabilities: &ServerCapabilities) -> ServerCapabilities {
        let mut capabilities = capabilities.clone();
        for (name, settings) in &self.declared {
            let experimental = capabilities.experimental.get_or_insert_default();
            experimental.insert(name.clone(), settings.clone());
        }
        capabilities
    }

    /// The capabilities for clients of the stateless era, with the extensions under `extensions`.
    pub(super) fn in_discovery(&self, capabilities: &ServerCapabilities) -> ServerCapabilities {
        let mut capabilities = capabilities.clone();
        if !self.declared.is_empty() {
            capabilities.extensions = Some(self.declared.clone());
        }
        capabilities
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("declared", &self.declared)
            .field("methods", &self.methods.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// A method that calls a function from parameters to a result.
pub(super) fn typed<P, F, R, E>(
    function: impl Fn(P, Context) -> F + Send + Sync + 'static,
) -> Arc<Method>
where
    P: DeserializeOwned,
    F: Future<Output = Result<R, E>> + Send + 'static,
    R: Serialize,
    E: HandlerError,
{
    Arc::new(move |call| {
        let params = call.params.unwrap_or(RawJsonRef::empty_object());
        let params: P = match params.parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = invalid_params("params", params.get(), &error);
                return Reply::Ready(Err(error.to_error()));
            }
        };
        let future = function(params, call.context.clone());
        Reply::Pending(Box::pin(async move {
            let result = future.await.map_err(to_protocol)?;
            let reason = match RawJson::new(&result) {
                Ok(result) if result.is_object() => return Ok(result),
                Ok(result) if result.get() == "null" => return Ok(RawJson::empty_object()),
                Ok(_) => "it is no object".to_owned(),
                Err(error) => error.to_string(),
            };
            Err(RequestError::UnsendableResult(reason).to_error())
        }))
    })
}
