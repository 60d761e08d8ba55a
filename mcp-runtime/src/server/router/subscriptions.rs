//! The methods of subscriptions.

use std::sync::Arc;

use mcp_types::{
    SubscribeRequestParams, SubscriptionFilter, SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
};

use super::Router;
use crate::connection::Served;
use crate::error::RequestError;
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::server::dispatch::ServerRequest;
use crate::server::notify::Subscription;
use crate::server::{Answer, Context};

impl Router {
    pub(super) fn listen(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Served<Answer>, RequestError> {
        let params: SubscriptionsListenRequestParams = request.params.decode()?;
        let context = request.context;
        let subscription = Subscription {
            id: context.request_id().clone(),
            accepted: self.accepted(params.notifications, context)?,
            negotiated: Arc::clone(context.negotiated()),
            peer: context.peer().clone(),
            session: Arc::clone(context.session()),
            info: self.settings.info.clone(),
        };
        Ok(Served::Open(Box::pin(subscription.serve())))
    }

    /// The part of a filter that the server can honour.
    ///
    /// # Errors
    ///
    /// When something in it is no URI.
    fn accepted(
        &self,
        wanted: SubscriptionFilter,
        context: &Context,
    ) -> Result<SubscriptionFilter, RequestError> {
        let announced = self.announced();
        let both = |wanted: Option<bool>, announced: bool| wanted.filter(|_| announced);
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = both(wanted.tools_list_changed, announced.tools);
        accepted.prompts_list_changed = both(wanted.prompts_list_changed, announced.prompts);
        accepted.resources_list_changed = both(wanted.resources_list_changed, announced.resources);
        let uris = wanted.resource_subscriptions.unwrap_or_default();
        let uris = self
            .resources
            .subscribable(uris, MAX_SUBSCRIPTIONS, context)?;
        accepted.resource_subscriptions = Some(uris).filter(|uris| !uris.is_empty());
        Ok(accepted)
    }

    pub(super) fn subscribe(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Served<Answer>, RequestError> {
        let params: SubscribeRequestParams = request.params.decode()?;
        let context = request.context;
        let canonical = self.resources.check_subscribable(&params.uri, context)?;
        context.session().subscribe(&canonical, &params.uri)?;
        self.resources.subscribed(&params.uri);
        Ok(Served::Now(Ok(Answer::empty())))
    }

    pub(super) fn unsubscribe(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Served<Answer>, RequestError> {
        let params: UnsubscribeRequestParams = request.params.decode()?;
        self.resources.check_uri(&params.uri)?;
        request.context.session().unsubscribe(&params.uri);
        Ok(Served::Now(Ok(Answer::empty())))
    }
}
