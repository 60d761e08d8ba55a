//! Publishes the changes of a server to subscribed clients.
//!
//! A change is only marked as pending for each subscriber, and a task per client sends the
//! notifications. A slow client therefore never delays the server, and a frequent change takes no
//! memory.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{
    Notification, NotificationMetaObject, NotificationParams, PromptListChangedNotification,
    RequestId, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams, ToolListChangedNotification,
};
use tokio::sync::Notify;

use crate::connection::{Peer, notification};
use crate::error::CallError;
use crate::limits::ANNOUNCE_INTERVAL;
use crate::protocol::Change;
use crate::sync::lock;

/// Sends the changes of one server to its subscribers. Clones are cheap and share the subscribers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    subscribers: Arc<Mutex<Vec<Weak<ChangeSubscriber>>>>,
}

/// Collects the changes that one client has subscribed to until they are taken. A change that
/// happens several times in between is collected only once.
#[derive(Debug, Default)]
pub(crate) struct ChangeSubscriber {
    /// Sorted by change, then by spelling.
    topics: Mutex<Vec<Topic>>,
    changed: Notify,
}

#[derive(Debug)]
struct Topic {
    /// The change. The URI of a resource is canonical.
    change: Change,
    /// The client's spelling of the URI, if it differs from the canonical spelling.
    spelling: Option<Box<str>>,
    /// True if the change has happened since the changes were last taken.
    changed: bool,
    /// True if the change may have happened in another replica without being heard here.
    missed: bool,
}

impl Changes {
    /// Passes a change to its subscribers without waiting. Returns true if there are any.
    pub(crate) fn publish(&self, change: Change) -> bool {
        let subscribers = lock(&self.subscribers);
        let subscribers = subscribers.iter().filter_map(Weak::upgrade);
        let is_subscribed = |any, subscriber: Arc<ChangeSubscriber>| subscriber.add(&change) || any;
        subscribers.fold(false, is_subscribed)
    }

    /// Records that any change may have been missed. Returns the subscribers, which have to
    /// [report](ChangeSubscriber::report_missed) it, and everything that they have subscribed to.
    pub(in crate::server) fn missed(&self) -> (Vec<Weak<ChangeSubscriber>>, BTreeSet<Change>) {
        let subscribers = lock(&self.subscribers).clone();
        let mut missed = BTreeSet::new();
        for subscriber in subscribers.iter().filter_map(Weak::upgrade) {
            for topic in lock(&subscriber.topics).iter_mut() {
                topic.missed = true;
                missed.insert(topic.change.clone());
            }
        }
        (subscribers, missed)
    }

    pub(crate) fn subscriber(&self) -> Arc<ChangeSubscriber> {
        let subscriber = Arc::default();
        let mut subscribers = lock(&self.subscribers);
        if subscribers.len() == subscribers.capacity() {
            subscribers.retain(|it| it.strong_count() > 0);
        }
        subscribers.push(Arc::downgrade(&subscriber));
        subscriber
    }
}

impl ChangeSubscriber {
    pub(crate) fn subscribe(&self, change: Change) {
        self.subscribe_as(change, None);
    }

    /// Subscribes to the resource with the URI `canonical`, whose changes are reported as `spelling`.
    pub(crate) fn subscribe_resource(&self, canonical: &str, spelling: &str) {
        let own = (canonical != spelling).then(|| spelling.into());
        self.subscribe_as(Change::Resource(canonical.to_owned()), own);
    }

    fn subscribe_as(&self, change: Change, spelling: Option<Box<str>>) {
        let mut topics = lock(&self.topics);
        let index = topics.partition_point(|it| (&it.change, &it.spelling) < (&change, &spelling));
        let known = topics.get(index);
        if known.is_none_or(|it| (&it.change, &it.spelling) != (&change, &spelling)) {
            let topic = Topic {
                change,
                spelling,
                changed: false,
                missed: false,
            };
            topics.insert(index, topic);
        }
    }

    pub(crate) fn unsubscribe_resource(&self, spelling: &str) {
        lock(&self.topics).retain(|it| it.uri() != Some(spelling));
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.topics).len()
    }

    pub(crate) fn resources(&self) -> Vec<String> {
        let topics = lock(&self.topics);
        topics
            .iter()
            .filter_map(Topic::uri)
            .map(str::to_owned)
            .collect()
    }

    /// Collects a change. Returns true if the client has subscribed to it.
    fn add(&self, change: &Change) -> bool {
        let mut topics = lock(&self.topics);
        let first = topics.partition_point(|it| it.change < *change);
        let topics = topics.iter_mut().skip(first);
        let mut is_subscribed = false;
        for topic in topics.take_while(|it| it.change == *change) {
            is_subscribed = true;
            topic.changed = true;
            topic.missed = false;
        }
        if is_subscribed {
            self.changed.notify_one();
        }
        is_subscribed
    }

    /// Collects the changes that may have been missed, except those that were heard meanwhile.
    pub(in crate::server) fn report_missed(&self) {
        for topic in lock(&self.topics).iter_mut() {
            topic.changed |= std::mem::take(&mut topic.missed);
        }
        self.changed.notify_one();
    }

    /// Waits until there is a change to take. Only one task may wait at a time.
    ///
    /// This method is cancel safe.
    pub(crate) async fn changed(&self) {
        while !lock(&self.topics).iter().any(|it| it.changed) {
            self.changed.notified().await;
        }
    }

    /// Takes the collected changes in order. A resource with several spellings is reported once for
    /// each of them.
    pub(crate) fn take(&self) -> Vec<Change> {
        let mut topics = lock(&self.topics);
        let changed = topics.iter_mut().filter_map(Topic::take);
        changed.collect()
    }
}

impl Topic {
    /// The URI as the client spells it, if a resource has changed.
    fn uri(&self) -> Option<&str> {
        match (&self.spelling, &self.change) {
            (Some(spelling), _) => Some(spelling),
            (None, Change::Resource(uri)) => Some(uri),
            _ => None,
        }
    }

    /// Takes the change, in the client's spelling, if it has happened.
    fn take(&mut self) -> Option<Change> {
        std::mem::take(&mut self.changed).then(|| match &self.spelling {
            Some(spelling) => Change::Resource(spelling.to_string()),
            None => self.change.clone(),
        })
    }
}

/// Sends the changes that `subscriber` collects to a client. Each change waits until the client has
/// read the earlier messages. `subscription` is the id of a `subscriptions/listen` request.
///
/// # Errors
///
/// Fails if the connection has ended.
pub(in crate::server) async fn notify(
    subscriber: &ChangeSubscriber,
    peer: &Peer,
    subscription: Option<&RequestId>,
) -> Result<Infallible, CallError> {
    loop {
        subscriber.changed().await;
        for change in subscriber.take() {
            peer.send_when_ready(written(change, subscription)).await?;
        }
        tokio::time::sleep(ANNOUNCE_INTERVAL).await;
    }
}

fn written(change: Change, subscription: Option<&RequestId>) -> Vec<u8> {
    let meta = subscription.map(meta_of);
    match change {
        Change::Tools => list_changed::<ToolListChangedNotification>(meta),
        Change::Prompts => list_changed::<PromptListChangedNotification>(meta),
        Change::Resources => list_changed::<ResourceListChangedNotification>(meta),
        Change::Resource(uri) => {
            let mut params = ResourceUpdatedNotificationParams::new(uri);
            params.meta = meta;
            notification::<ResourceUpdatedNotification>(Some(&params))
        }
    }
}

fn list_changed<N: Notification<Params = NotificationParams>>(
    meta: Option<NotificationMetaObject>,
) -> Vec<u8> {
    let params = meta.map(|meta| NotificationParams::new().with_meta(meta));
    notification::<N>(params.as_ref())
}

pub(in crate::server) fn meta_of(subscription: &RequestId) -> NotificationMetaObject {
    NotificationMetaObject::new().with_subscription_id(subscription.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(uri: &str) -> Change {
        Change::Resource(uri.to_owned())
    }

    #[tokio::test]
    async fn a_change_that_repeats_is_collected_once() {
        let changes = Changes::default();
        let subscriber = changes.subscriber();
        subscriber.subscribe(Change::Tools);
        subscriber.subscribe_resource("a:1", "a:1");
        for _ in 0..1000 {
            changes.publish(resource("a:1"));
            changes.publish(resource("a:2"));
        }
        changes.publish(Change::Tools);
        subscriber.changed().await;
        assert_eq!(subscriber.take(), [Change::Tools, resource("a:1")]);
        assert_eq!(subscriber.take(), []);
        changes.publish(Change::Tools);
        subscriber.changed().await;
        assert_eq!(subscriber.take(), [Change::Tools]);
    }

    #[test]
    fn nothing_is_kept_after_unsubscribing() {
        let changes = Changes::default();
        let subscriber = changes.subscriber();
        subscriber.subscribe_resource("a:1", "a:1");
        subscriber.subscribe(Change::Prompts);
        subscriber.subscribe(Change::Prompts);
        assert_eq!(subscriber.len(), 2);
        changes.publish(resource("a:1"));
        subscriber.unsubscribe_resource("a:1");
        changes.publish(resource("a:1"));
        assert_eq!(subscriber.take(), []);
        assert_eq!(subscriber.len(), 1);
        drop(subscriber);
        assert!(!changes.publish(Change::Prompts));
    }

    #[test]
    fn a_resource_is_reported_in_each_of_its_spellings() {
        let changes = Changes::default();
        let subscriber = changes.subscriber();
        subscriber.subscribe_resource("a:1", "a:%31");
        subscriber.subscribe_resource("a:1", "A:1");
        assert!(changes.publish(resource("a:1")));
        assert_eq!(subscriber.take(), [resource("A:1"), resource("a:%31")]);
        subscriber.unsubscribe_resource("a:1");
        subscriber.unsubscribe_resource("A:1");
        assert!(changes.publish(resource("a:1")));
        assert_eq!(subscriber.take(), [resource("a:%31")]);
        subscriber.unsubscribe_resource("a:%31");
        assert!(!changes.publish(resource("a:1")));
    }

    #[tokio::test(start_paused = true)]
    async fn little_is_kept_for_a_client_that_does_not_read() {
        let changes = Changes::default();
        let subscriber = changes.subscriber();
        subscriber.subscribe(Change::Tools);
        let (peer, mut commands) = Peer::channel();
        let notifying = tokio::spawn(async move { notify(&subscriber, &peer, None).await });
        for _ in 0..10_000 {
            changes.publish(Change::Tools);
            tokio::time::sleep(ANNOUNCE_INTERVAL).await;
        }
        let mut kept = 0;
        while let Ok(command) = tokio::time::timeout(ANNOUNCE_INTERVAL, commands.recv()).await {
            assert!(command.is_some());
            kept += 1;
        }
        // The queue holds 64 KiB of notifications, far fewer than one per change.
        assert!((500..1200).contains(&kept), "{kept}");
        notifying.abort();
    }
}
