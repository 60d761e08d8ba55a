//! The extensions of a server, and their methods.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use mcp_types::{JsonObject, OrderedMap, RawJson, Revision, ServerCapabilities, Side};

use super::{Extension, ExtensionSubscription, Method, MethodCall};
use crate::ProtocolError;
use crate::error::RequestError;
use crate::protocol::{ExtensionMethod, OwnMethod};
use crate::server::layers::{Stack, around_method};
use crate::server::{BoxFuture, Context, Reply, Scopes};

#[derive(Default)]
pub(in crate::server) struct ServerExtensions {
    all: Vec<Offered>,
    methods: Vec<(OwnMethod, Arc<Method>)>,
    /// The position of the extension whose [`Extension::register`] is running.
    registering: Option<usize>,
}

/// An extension of the server or of a mounted server.
#[derive(Clone)]
struct Offered {
    extension: Arc<dyn Extension>,
    revisions: Vec<Revision>,
    /// Makes the context of the mounted server that offers the extension; `None` if this server
    /// offers it.
    at: Option<AtServer>,
}

type AtServer = Arc<dyn Fn(&Context) -> Context + Send + Sync>;

impl ServerExtensions {
    /// Adds an extension and starts its registration. All methods that are added until
    /// [`done`](Self::done) belong to it. Returns the position of the extension that was registering
    /// before.
    ///
    /// # Panics
    ///
    /// Panics if there already is an extension with the same identifier.
    #[track_caller]
    pub(in crate::server) fn add(&mut self, extension: Arc<dyn Extension>) -> Option<usize> {
        let id = extension.id();
        assert!(!self.has(id), "the server has the extension `{id}` already");
        let offered = |revision: &Revision| extension.settings(*revision).is_some();
        self.all.push(Offered {
            revisions: Revision::ALL.into_iter().filter(offered).collect(),
            extension,
            at: None,
        });
        self.registering.replace(self.all.len() - 1)
    }

    /// Ends the registration of an extension. `before` is the return value of [`add`](Self::add).
    pub(in crate::server) fn done(&mut self, before: Option<usize>) {
        self.registering = before;
    }

    pub(in crate::server) fn has(&self, id: &str) -> bool {
        self.all.iter().any(|it| it.extension.id() == id)
    }

    fn must_be_declared(&self, id: &str) -> bool {
        let mut all = self.all.iter();
        all.any(|it| it.extension.id() == id && it.extension.must_be_declared())
    }

    pub(in crate::server) fn get<T: Extension>(&self) -> Option<&T> {
        let mut all = self.all.iter();
        all.find_map(|it| {
            let extension: &dyn Any = &*it.extension;
            extension.downcast_ref()
        })
    }

    /// Adds a method, replacing a method with the same name.
    ///
    /// # Panics
    ///
    /// Panics if the core protocol defines the method in a revision in which it would be served.
    #[track_caller]
    pub(in crate::server) fn add_method(&mut self, method: ExtensionMethod, serve: Arc<Method>) {
        let owner = self.registering.map(|position| &self.all[position]);
        let revisions = owner.map_or(Revision::ALL.to_vec(), |it| it.revisions.clone());
        let name = method.name().to_owned();
        let is_protocols = Revision::method(&name).is_some_and(|info| {
            let mut served = revisions.iter();
            owner.is_none() || served.any(|revision| info.is_sent_by(Side::Client, *revision))
        });
        assert!(
            !is_protocols,
            "`{name}` is a method of the protocol, which no extension can serve"
        );
        let extension = owner.map(|it| it.extension.id());
        let own = OwnMethod {
            method,
            extension,
            revisions,
        };
        self.methods.retain(|(own, _)| own.method.name() != name);
        self.methods.push((own, serve));
    }

    /// Adds the extensions of a mounted server, except those that this server already has.
    ///
    /// The methods of the added extensions need `scopes` and are called through `layers`. `at` makes
    /// the contexts of the mounted server.
    pub(in crate::server) fn mount(
        &mut self,
        theirs: &Self,
        scopes: &Scopes,
        layers: &Option<Stack>,
        at: impl Fn(&Context) -> Context + Send + Sync + 'static,
    ) {
        let at: AtServer = Arc::new(at);
        let new = theirs.all.iter().filter(|it| !self.has(it.extension.id()));
        let new: Vec<_> = new.cloned().collect();
        for (own, serve) in &theirs.methods {
            let name = own.method.name();
            if self.serves(name) || own.extension.is_some_and(|id| self.has(id)) {
                tracing::debug!(
                    method = name,
                    "a method of a mounted server is served by another server"
                );
                continue;
            }
            let serve = mounted(name, serve, scopes, layers, &at);
            self.methods.push((own.clone(), serve));
        }
        for mut offered in new {
            offered.at.get_or_insert_with(|| Arc::clone(&at));
            self.all.push(offered);
        }
    }

    fn serves(&self, name: &str) -> bool {
        self.methods
            .iter()
            .any(|(own, _)| own.method.name() == name)
    }

    pub(in crate::server) fn methods(&self) -> impl Iterator<Item = OwnMethod> {
        self.methods.iter().map(|(own, _)| own.clone())
    }

    /// Calls a method that needs `scopes`. Returns `None` if the revision of the request does not
    /// have this method.
    ///
    /// # Errors
    ///
    /// Fails if the caller has not declared the extension or lacks a scope.
    pub(in crate::server) fn call(
        &self,
        method: &str,
        scopes: &Scopes,
        call: MethodCall<'_>,
    ) -> Result<Option<Reply<RawJson>>, RequestError> {
        let revision = call.context.revision();
        let found = self
            .methods
            .iter()
            .find(|(own, _)| own.method.name() == method && own.revisions.contains(&revision));
        let Some((own, serve)) = found else {
            return Ok(None);
        };
        if let Some(id) = own.extension.filter(|id| self.must_be_declared(id)) {
            call.context.check_extension(id)?;
        }
        scopes.check(call.context)?;
        Ok(Some(serve(call)))
    }

    /// Returns `capabilities` with the extensions that are offered to clients of `revision`.
    pub(in crate::server) fn declared(
        &self,
        capabilities: &ServerCapabilities,
        revision: Revision,
    ) -> ServerCapabilities {
        let mut capabilities = capabilities.clone();
        let offered = self.all.iter().filter_map(|Offered { extension, .. }| {
            Some((extension.id().to_owned(), extension.settings(revision)?))
        });
        let offered: OrderedMap<JsonObject> = offered.collect();
        capabilities.extensions = Some(offered).filter(|it| !it.is_empty());
        capabilities
    }

    /// Returns true if an extension is offered to clients of `revision`, and may notify them.
    pub(in crate::server) fn is_any_offered(&self, revision: Revision) -> bool {
        self.all.iter().any(|it| it.revisions.contains(&revision))
    }

    /// Calls [`Extension::listen`] of all extensions for a subscription to the members `wanted`.
    ///
    /// # Errors
    ///
    /// Fails if an extension refuses the subscription.
    pub(in crate::server) fn listen(
        &self,
        wanted: &JsonObject,
        context: &Context,
    ) -> Result<Vec<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let mut all = Vec::new();
        let is_offered = |it: &&Offered| it.revisions.contains(&context.revision());
        for offered in self
            .all
            .iter()
            .filter(is_offered)
            .filter(|_| !wanted.is_empty())
        {
            let inner = offered.at.as_ref().map(|at| at(context));
            let context = inner.as_ref().unwrap_or(context);
            all.extend(offered.extension.listen(wanted, context)?);
        }
        Ok(all)
    }
}

/// Wraps a method of a mounted server with its layers, scopes and context.
fn mounted(
    name: &str,
    serve: &Arc<Method>,
    scopes: &Scopes,
    layers: &Option<Stack>,
    at: &AtServer,
) -> Arc<Method> {
    let serve = around_method(layers.as_ref(), name, Arc::clone(serve));
    let at = Arc::clone(at);
    let scopes = scopes.clone();
    Arc::new(move |call: MethodCall<'_>| {
        if let Err(denied) = scopes.check(call.context) {
            return Reply::Ready(Err(denied.to_error()));
        }
        let context = &at(call.context);
        let call = MethodCall { context, ..call };
        serve(call)
    })
}

impl fmt::Debug for ServerExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.all.iter().map(|it| it.extension.id());
        f.debug_struct("ServerExtensions")
            .field("all", &ids.collect::<Vec<_>>())
            .field("methods", &self.methods().collect::<Vec<_>>())
            .finish()
    }
}
