//! The request that lasts, and the notifications that belong to it (2026-07-28, "Subscriptions").

use mcp_types::{
    Conform, RawJson, RequestId, RequestMetaObject, ServerNotification, SubscriptionFilter,
    SubscriptionsListenRequest, SubscriptionsListenRequestParams,
};

use crate::client::Client;
use crate::client::dispatcher::Notifications;
use crate::client::link::Options;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::limits::FOREVER;
use crate::protocol::Timeouts;

/// The request that the notifications belong to; its answer is the end.
pub(super) struct Listening {
    id: RequestId,
    end: BoxFuture<Result<RawJson, CallError>>,
}

pub(super) enum Event {
    Told(ServerNotification),
    Ended(Result<RawJson, CallError>),
}

impl Listening {
    /// Asks for the notifications that `filter` names.
    pub(super) async fn open(
        client: &Client,
        filter: SubscriptionFilter,
    ) -> Result<Self, CallError> {
        let connection = client.connection_by_itself().await?;
        let id = connection.link.peer().next_id();
        let agreed = &connection.agreed;
        let meta = client.memory().meta(&agreed.meta);
        let meta = client.config().tracing.extend(meta).into_owned();
        let mut params = SubscriptionsListenRequestParams::new(RequestMetaObject::new(), filter);
        params.conform(agreed.negotiated.revision);
        let options = Options::new(Timeouts {
            idle: FOREVER,
            total: FOREVER,
            reset_on_progress: false,
        });
        let end = Box::pin(async move {
            let link = &connection.link;
            let request =
                link.request_as::<SubscriptionsListenRequest>(id, &params, &meta, options);
            request.await
        });
        let id = RequestId::Number(id);
        Ok(Self { id, end })
    }

    pub(super) async fn next(&mut self, notifications: &mut Notifications) -> Event {
        loop {
            tokio::select! {
                biased;
                told = notifications.next_told() => match told {
                    Some(told) if told.subscription.as_ref() == Some(&self.id) => {
                        return Event::Told(told.notification);
                    }
                    Some(_) => {}
                    None => return Event::Ended(Err(CallError::Closed)),
                },
                end = &mut self.end => return Event::Ended(end),
            }
        }
    }
}
