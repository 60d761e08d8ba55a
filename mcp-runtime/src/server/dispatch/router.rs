//! Routes each method to its list or entry, and declares the server's capabilities.

use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompletionReference, DiscoverResult, InitializeResult,
    InputRequiredResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, Revision, ServerCapabilities, SetLevelRequestParams,
    Side, SubscribeRequestParams, SubscriptionFilter, SubscriptionsListenRequestParams,
    UnsubscribeRequestParams, methods,
};

use super::answer::{Identity, Prepared};
use super::{Answer, Reply, ServerRequest, then};
use crate::connection::Served;
use crate::error::{RequestError, ServeError};
use crate::protocol::{Negotiated, accepted_lists, not_offered};
use crate::server::catalog::{Catalog, CatalogEntry, ListResult, Place};
use crate::server::prompts::PromptEntry;
use crate::server::resources::ResourceEntry;
use crate::server::settings::Introduction;
use crate::server::subscriptions::{ListenRequest, Severity};
use crate::server::tools::ToolEntry;
use crate::server::{Context, List, MethodCall, Settings};

/// Everything that a server offers, shared by all connections. A router is immutable: an edit of the
/// server replaces it.
#[derive(Debug)]
pub(in crate::server) struct Router {
    pub(in crate::server) settings: Arc<Settings>,
    pub(in crate::server) identity: Arc<Identity>,
    pub(in crate::server) introduction: Introduction,
    pub(in crate::server) capabilities: ServerCapabilities,
    pub(in crate::server) tools: Arc<Catalog<ToolEntry>>,
    pub(in crate::server) prompts: Arc<Catalog<PromptEntry>>,
    pub(in crate::server) resources: Arc<Catalog<ResourceEntry>>,
    discover: Prepared,
    /// The first page of each list, indexed by [`ListResult::NUMBER`].
    first_pages: [Prepared; 4],
}

impl Router {
    /// Returns the name of an entry whose function asks the user with a parameter, if there is one.
    pub(in crate::server) fn asking(&self) -> Option<&str> {
        let mut tools = self.tools.entries.iter().map(|(_, it)| &**it);
        let mut prompts = self.prompts.entries.iter().map(|(_, it)| &**it);
        let mut resources = self.resources.entries.iter().map(|(_, it)| &**it);
        let tool = tools.find(|it| it.asks).map(CatalogEntry::name);
        let prompt = || prompts.find(|it| it.asks).map(CatalogEntry::name);
        let resource = || resources.find(|it| it.asks).map(CatalogEntry::name);
        tool.or_else(prompt).or_else(resource)
    }

    pub(in crate::server) fn new(
        settings: Arc<Settings>,
        introduction: Introduction,
        tools: Catalog<ToolEntry>,
        prompts: Catalog<PromptEntry>,
        resources: Catalog<ResourceEntry>,
    ) -> Self {
        let mut router = Self {
            identity: Arc::new(Identity::new(&settings.info)),
            introduction,
            capabilities: ServerCapabilities::default(),
            tools: Arc::new(tools),
            prompts: Arc::new(prompts),
            resources: Arc::new(resources),
            discover: Prepared::default(),
            first_pages: Default::default(),
            settings,
        };
        router.capabilities = router.declared();
        router
    }

    /// Composes the capabilities to declare. A list that may change is declared even while it is
    /// empty.
    fn declared(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        let can_change = |list| self.settings.list_changed.contains(&list).then_some(true);
        let list_changed = can_change(List::Tools);
        if list_changed.is_some() || !self.tools.entries.is_empty() {
            capabilities.tools.get_or_insert_default().list_changed = list_changed;
        }
        let list_changed = can_change(List::Prompts);
        if list_changed.is_some() || !self.prompts.entries.is_empty() {
            capabilities.prompts.get_or_insert_default().list_changed = list_changed;
        }
        let list_changed = can_change(List::Resources);
        if list_changed.is_some() || !self.resources.entries.is_empty() {
            let resources = capabilities.resources.get_or_insert_default();
            resources.list_changed = list_changed;
            resources.subscribe = self.resources.has_subscribable().then_some(true);
        }
        let completes = self.prompts.has_completers() || self.resources.has_completers();
        capabilities.completions = completes.then(JsonObject::new);
        capabilities.logging = self.settings.logging.then(JsonObject::new);
        capabilities.experimental = self.introduction.experimental.clone();
        capabilities
    }

    /// Checks that the server has all extensions that its tools need.
    ///
    /// # Errors
    ///
    /// [`ServeError::MissingExtension`] for the first tool that lacks an extension.
    pub(in crate::server) fn check_extensions(&self) -> Result<(), ServeError> {
        let extensions = &self.settings.extensions;
        for (_, entry) in &self.tools.entries {
            if let Some(id) = entry.needs.iter().find(|id| !extensions.has(id)) {
                let tool = entry.name.clone();
                return Err(ServeError::MissingExtension {
                    tool,
                    extension: id,
                });
            }
        }
        Ok(())
    }

    pub(in crate::server) fn has_no_entries(&self) -> bool {
        let resources = self.resources.entries.is_empty();
        resources && self.tools.entries.is_empty() && self.prompts.entries.is_empty()
    }

    pub(in crate::server) fn announces_changes(&self) -> bool {
        !self.settings.list_changed.is_empty() || self.resources.has_subscribable()
    }
}

type Routed = Result<Served<Answer>, RequestError>;

impl Router {
    /// Serves a request that the lifecycle has admitted.
    ///
    /// # Errors
    ///
    /// Fails if the parameters are invalid or the requested entry does not exist.
    pub(in crate::server) fn serve(&self, request: ServerRequest<'_>) -> Routed {
        let declared = &self.capabilities;
        let tools = declared.tools.is_some();
        let prompts = declared.prompts.is_some();
        let resources = declared.resources.is_some();
        let updates = || self.resources.has_subscribable();
        match request.method {
            methods::TOOLS_CALL if tools => {
                self.answered(self.tools.call(request)?, request, Answer::tool_outcome)
            }
            methods::TOOLS_LIST if tools => self.list::<ListToolsResult>(&self.tools, request),
            methods::PING => Ok(Served::Now(Ok(Answer::empty()))),
            methods::SERVER_DISCOVER => {
                let revision = request.context.revision();
                let json = self
                    .discover
                    .get(revision, || self.discover_result(revision));
                self.answered(Reply::Ready(Ok(json)), request, Answer::prepared)
            }
            methods::PROMPTS_GET if prompts => {
                self.answered(self.prompts.call(request)?, request, Answer::written)
            }
            methods::PROMPTS_LIST if prompts => {
                self.list::<ListPromptsResult>(&self.prompts, request)
            }
            methods::RESOURCES_READ if resources => {
                self.answered(self.resources.read(request)?, request, Answer::written)
            }
            methods::RESOURCES_LIST if resources => self.list_resources(request),
            methods::RESOURCES_TEMPLATES_LIST if resources => {
                self.list::<ListResourceTemplatesResult>(&self.resources, request)
            }
            methods::RESOURCES_SUBSCRIBE if updates() => self.subscribe(request),
            methods::RESOURCES_UNSUBSCRIBE if updates() => self.unsubscribe(request),
            methods::SUBSCRIPTIONS_LISTEN if self.can_listen(request.context) => {
                self.listen(request)
            }
            methods::COMPLETION_COMPLETE if declared.completions.is_some() => {
                self.complete(request)
            }
            methods::LOGGING_SET_LEVEL if declared.logging.is_some() => set_log_level(request),
            _ => self.call_extension(request),
        }
    }

    pub(in crate::server) fn initialize(&self, negotiated: &Negotiated) -> Answer {
        let extensions = &self.settings.extensions;
        let capabilities = extensions.declared(&self.capabilities, negotiated.revision);
        let mut result = InitializeResult::new(
            negotiated.revision.as_str(),
            capabilities,
            self.settings.info.clone(),
        );
        result.instructions = self.introduction.instructions();
        Answer::once(result, negotiated.revision)
    }

    pub(super) fn discover_result(&self, revision: Revision) -> DiscoverResult {
        let extensions = &self.settings.extensions;
        let capabilities = extensions.declared(&self.capabilities, revision);
        let versions = self.settings.rules.supported.iter().rev();
        let mut result = DiscoverResult::new(capabilities, versions.map(Revision::as_str));
        result.instructions = self.introduction.instructions();
        self.settings.caching.mark(result, false)
    }

    fn list_resources(&self, request: ServerRequest<'_>) -> Routed {
        if !self.resources.has_listers() {
            return self.list::<ListResourcesResult>(&self.resources, request);
        }
        let after = Place::after::<ListResourcesResult>(request.params.cursor()?)?;
        let page = self.resources.list_expanded(after, request.context.clone());
        self.answered(Reply::Pending(page), request, Answer::written)
    }

    /// Serves a page of a list. If the list is the same for all callers, its first page is serialized
    /// only once.
    fn list<L: ListResult<Entry: CatalogEntry> + 'static>(
        &self,
        catalog: &Catalog<L::Entry>,
        request: ServerRequest<'_>,
    ) -> Routed {
        let after = Place::after::<L>(request.params.cursor()?)?;
        let page = || catalog.list::<L>(after.as_ref(), request.context);
        if after.is_some() || catalog.differs_by_caller {
            return self.answered(Reply::Ready(Ok(page())), request, Answer::written);
        }
        let json = self.first_pages[L::NUMBER].get(request.context.revision(), page);
        self.answered(Reply::Ready(Ok(json)), request, Answer::prepared)
    }

    fn complete(&self, request: ServerRequest<'_>) -> Routed {
        let params: CompleteRequestParams = request.params.decode()?;
        let context = request.context;
        let reply = match params.reference.clone() {
            CompletionReference::Prompt(prompt) => {
                self.prompts.complete(&prompt.name, params, context)?
            }
            CompletionReference::Resource(template) => {
                self.resources.complete(&template.uri, params, context)?
            }
            _ => {
                return Err(RequestError::InvalidParams {
                    path: "params.ref.type".to_owned(),
                    reason: "expected `ref/prompt` or `ref/resource`".to_owned(),
                });
            }
        };
        self.answered(reply, request, Answer::written)
    }

    fn call_extension(&self, request: ServerRequest<'_>) -> Routed {
        let params = request.params.raw;
        let context = request.context;
        let call = MethodCall { params, context };
        let Settings {
            extensions, scopes, ..
        } = &*self.settings;
        match extensions.call(request.method, scopes, call)? {
            Some(reply) => self.answered(reply, request, Answer::open),
            None => Err(not_offered(
                request.method,
                Side::Server,
                context.revision(),
            )),
        }
    }

    pub(in crate::server) fn input_required(
        &self,
        result: InputRequiredResult,
        negotiated: &Negotiated,
    ) -> Answer {
        Answer::written(result, negotiated, &self.identity)
    }

    fn answered<T: 'static>(
        &self,
        reply: Reply<T>,
        request: ServerRequest<'_>,
        answer: impl Fn(T, &Negotiated, &Arc<Identity>) -> Answer + Send + 'static,
    ) -> Routed {
        let negotiated = request.context.negotiated();
        Ok(match reply {
            Reply::Ready(outcome) => {
                Served::Now(outcome.map(|result| answer(result, negotiated, &self.identity)))
            }
            Reply::Pending(future) => {
                let negotiated = Arc::clone(negotiated);
                let identity = Arc::clone(&self.identity);
                let answer = move |result| Ok(answer(result, &negotiated, &identity));
                Served::Later(then(future, answer))
            }
        })
    }

    fn can_listen(&self, context: &Context) -> bool {
        let extensions = &self.settings.extensions;
        self.announces_changes() || extensions.is_any_offered(context.revision())
    }

    fn listen(&self, request: ServerRequest<'_>) -> Routed {
        let params: SubscriptionsListenRequestParams = request.params.decode()?;
        let mut filter = params.notifications;
        let of_extensions = std::mem::take(&mut filter.extra);
        let extensions = &self.settings.extensions;
        let listening = match extensions.listen(&of_extensions, request.context) {
            Ok(listening) => listening,
            Err(error) => return Ok(Served::Now(Err(error))),
        };
        let subscription = ListenRequest {
            accepted: self.accepted(filter, request.context)?,
            context: request.context.clone(),
            resources: Arc::clone(&self.resources),
            info: self.settings.info.clone(),
        };
        Ok(Served::Open(Box::pin(subscription.serve(listening))))
    }

    /// Returns the part of a filter that the server accepts.
    ///
    /// # Errors
    ///
    /// Fails if the filter has a string that is not a URI.
    fn accepted(
        &self,
        wanted: SubscriptionFilter,
        context: &Context,
    ) -> Result<SubscriptionFilter, RequestError> {
        let mut accepted = accepted_lists(&wanted, &self.capabilities);
        let uris = wanted.resource_subscriptions.unwrap_or_default();
        let uris = self.resources.subscribable(uris, context)?;
        accepted.resource_subscriptions = Some(uris).filter(|uris| !uris.is_empty());
        Ok(accepted)
    }

    fn subscribe(&self, request: ServerRequest<'_>) -> Routed {
        let params: SubscribeRequestParams = request.params.decode()?;
        let context = request.context;
        let canonical = self.resources.check_subscribable(&params.uri, context)?;
        context.session().subscribe(&canonical, &params.uri)?;
        self.resources.subscribed(&params.uri);
        Ok(Served::Now(Ok(Answer::empty())))
    }

    fn unsubscribe(&self, request: ServerRequest<'_>) -> Routed {
        let params: UnsubscribeRequestParams = request.params.decode()?;
        self.resources.check_uri(&params.uri)?;
        request.context.session().unsubscribe(&params.uri);
        Ok(Served::Now(Ok(Answer::empty())))
    }
}

fn set_log_level(request: ServerRequest<'_>) -> Routed {
    let params: SetLevelRequestParams = request.params.decode()?;
    let least = Severity::of(&params.level).ok_or_else(|| RequestError::InvalidParams {
        path: "params.level".to_owned(),
        reason: format!("`{}` is not a log level", params.level),
    })?;
    request.context.session().set_log_level(least);
    Ok(Served::Now(Ok(Answer::empty())))
}
