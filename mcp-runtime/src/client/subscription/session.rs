//! Subscriptions of the handshake era: what is wanted of all that a session is told (2025-11-25,
//! "Resources", section Subscriptions).

use mcp_types::{
    ServerCapabilities, ServerNotification, SubscribeRequest, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequest, UnsubscribeRequestParams,
};

use tokio::time::Instant;

use super::handle::{State, Subscription, SubscriptionEvent};
use crate::client::{Changed, Client};
use crate::error::CallError;

impl Client {
    /// Subscribes to the resources of a filter, and says what of it the server offers.
    pub(super) async fn subscribe_in_session(
        &self,
        filter: &SubscriptionFilter,
    ) -> Result<SubscriptionFilter, CallError> {
        let offered = self.server_capabilities();
        let mut accepted = accepted_lists(filter, &offered);
        let resources = offered.resources.unwrap_or_default();
        let mut held = Held {
            client: self,
            uris: Vec::new(),
        };
        let wanted = filter.resource_subscriptions.iter().flatten();
        for uri in wanted.filter(|_| resources.subscribe == Some(true)) {
            let params = SubscribeRequestParams::new(uri.clone());
            match self.request::<SubscribeRequest>(params).await {
                Ok(_) => held.add(uri),
                // The server does not announce this one.
                Err(CallError::Rpc(error)) => tracing::debug!(uri, %error, "not subscribed to"),
                Err(error) => return Err(error),
            }
        }
        let uris = std::mem::take(&mut held.uris);
        accepted.resource_subscriptions = Some(uris).filter(|uris| !uris.is_empty());
        Ok(accepted)
    }

    /// Ends the subscriptions to `uris` that nobody else holds.
    fn release(&self, uris: &[String]) {
        let released = uris.iter().filter(|uri| self.memory().release(uri));
        let released: Vec<_> = released.cloned().collect();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if released.is_empty() {
            return;
        }
        let client = self.clone();
        runtime.spawn(async move {
            for uri in released {
                let params = UnsubscribeRequestParams::new(uri);
                let ended = client.request::<UnsubscribeRequest>(params).fail_fast();
                if let Err(error) = ended.await {
                    tracing::debug!(%error, "a subscription was not ended");
                }
            }
        });
    }
}

/// What was subscribed to so far; given back if the rest fails.
struct Held<'a> {
    client: &'a Client,
    uris: Vec<String>,
}

impl Held<'_> {
    fn add(&mut self, uri: &str) {
        self.client.memory().hold(uri);
        self.uris.push(uri.to_owned());
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.client.release(&self.uris);
    }
}

impl Subscription {
    /// What comes next in the session. `None` when the session is over, as the server that came
    /// after it keeps none.
    pub(super) async fn event_in_session(
        &mut self,
    ) -> Result<Option<SubscriptionEvent>, CallError> {
        let State::Session(connections) = &mut self.state else {
            return Ok(None);
        };
        loop {
            let told = tokio::select! {
                biased;
                () = connections.next() => return self.reopened_in_session().await,
                told = self.notifications.next() => told,
                lost = self.client.given_up() => return Err(lost),
            };
            match told {
                Some(told) if is_wanted(&self.accepted, &told) => {
                    return Ok(Some(SubscriptionEvent::Told(told)));
                }
                Some(_) => {}
                None => return Err(CallError::Closed),
            }
        }
    }
}

impl Subscription {
    /// There is another connection, over which the resources are subscribed to again.
    async fn reopened_in_session(&mut self) -> Result<Option<SubscriptionEvent>, CallError> {
        let connection = self.client.connection(true).await?;
        if !connection.agreed.meta.is_empty() {
            let uris = self.accepted.resource_subscriptions.take();
            self.client.release(&uris.unwrap_or_default());
            self.state = State::Lost(Instant::now());
            return Ok(None);
        }
        let lists = accepted_lists(&self.filter, &self.client.server_capabilities());
        let resources = self.accepted.resource_subscriptions.take();
        self.accepted = lists;
        self.accepted.resource_subscriptions = resources;
        Ok(Some(SubscriptionEvent::Reopened))
    }
}

/// The lists of `filter` whose changes a server announces to its sessions.
fn accepted_lists(filter: &SubscriptionFilter, offered: &ServerCapabilities) -> SubscriptionFilter {
    let both = |wanted: Option<bool>, offered: Option<bool>| {
        (wanted == Some(true) && offered == Some(true)).then_some(true)
    };
    let tools = offered.tools.as_ref();
    let prompts = offered.prompts.as_ref();
    let resources = offered.resources.as_ref();
    let mut accepted = SubscriptionFilter::new();
    accepted.tools_list_changed = both(
        filter.tools_list_changed,
        tools.and_then(|tools| tools.list_changed),
    );
    accepted.prompts_list_changed = both(
        filter.prompts_list_changed,
        prompts.and_then(|prompts| prompts.list_changed),
    );
    accepted.resources_list_changed = both(
        filter.resources_list_changed,
        resources.and_then(|resources| resources.list_changed),
    );
    accepted
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let State::Session(_) = self.state {
            let uris = self.accepted.resource_subscriptions.take();
            self.client.release(&uris.unwrap_or_default());
        }
    }
}

fn is_wanted(accepted: &SubscriptionFilter, told: &ServerNotification) -> bool {
    match Changed::by(told) {
        Some(Changed::Tools) => accepted.tools_list_changed == Some(true),
        Some(Changed::Prompts) => accepted.prompts_list_changed == Some(true),
        Some(Changed::Resources) => accepted.resources_list_changed == Some(true),
        Some(Changed::Resource(uri)) => {
            let mut wanted = accepted.resource_subscriptions.iter().flatten();
            wanted.any(|wanted| is_part(&uri, wanted))
        }
        None => false,
    }
}

/// Whether `uri` is `whole`, or something in it.
fn is_part(uri: &str, whole: &str) -> bool {
    uri.strip_prefix(whole).is_some_and(|rest| {
        rest.is_empty() || whole.ends_with('/') || rest.starts_with(['/', '#', '?'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_resource_belong_to_it() {
        for uri in ["file:///a", "file:///a/b", "file:///a#b"] {
            assert!(is_part(uri, "file:///a"), "{uri}");
        }
        assert!(!is_part("file:///ab", "file:///a"));
        assert!(is_part("file:///a/b", "file:///a/"));
    }
}
