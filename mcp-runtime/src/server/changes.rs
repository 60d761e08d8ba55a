//! Changes of a server, collected for each client that subscribes to them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A change of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of templates.
    Resources,
    /// The contents of the resource with this URI.
    Resource(String),
}

/// The sender of changes; one for each server. Cloning is cheap: the clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    topics: Arc<Mutex<Topics>>,
}

/// The subscribers of each change, ordered by id.
type Topics = HashMap<Change, Vec<(u64, Arc<Waiting>)>>;

/// The changes that one subscriber has not taken yet: at most those it has subscribed to.
#[derive(Debug, Default)]
struct Waiting {
    /// In order.
    changes: Mutex<Vec<Change>>,
    arrived: Notify,
}

/// Collects the changes that one client has subscribed to, until they are taken. A change that
/// happens several times meanwhile is collected once.
#[derive(Debug)]
pub(crate) struct Subscriber {
    changes: Changes,
    id: u64,
    /// In order. A vector, because most subscribe to few changes.
    topics: Mutex<Vec<Topic>>,
    waiting: Arc<Waiting>,
}

/// A change that a subscriber has subscribed to.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Topic {
    /// The change; that of a resource with its canonical URI.
    change: Change,
    /// The client's spelling of the URI, if it differs.
    spelling: Option<Box<str>>,
}

impl Changes {
    /// Passes a change to its subscribers, without waiting. Returns whether there are any.
    pub(crate) fn publish(&self, change: Change) -> bool {
        let topics = lock(&self.topics);
        let subscribers = topics.get(&change);
        for (_, waiting) in subscribers.map_or(&[][..], Vec::as_slice) {
            if insert(&mut lock(&waiting.changes), &change) {
                waiting.arrived.notify_one();
            }
        }
        subscribers.is_some()
    }

    /// A new subscriber, without subscriptions.
    pub(crate) fn subscriber(&self) -> Subscriber {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Subscriber {
            changes: self.clone(),
            id: LAST.fetch_add(1, Ordering::Relaxed),
            topics: Mutex::default(),
            waiting: Arc::default(),
        }
    }
}

impl Subscriber {
    /// Subscribes to a change.
    pub(crate) fn subscribe(&self, change: Change) {
        self.subscribe_as(change, None);
    }

    /// Subscribes to the resource `canonical`, to be reported as `spelling`.
    pub(crate) fn subscribe_resource(&self, canonical: &str, spelling: &str) {
        let own = (canonical != spelling).then(|| spelling.into());
        self.subscribe_as(Change::Resource(canonical.to_owned()), own);
    }

    fn subscribe_as(&self, change: Change, spelling: Option<Box<str>>) {
        let mut topics = lock(&self.changes.topics);
        let subscribers = topics.entry(change.clone()).or_default();
        if let Err(place) = place(subscribers, self.id) {
            subscribers.insert(place, (self.id, Arc::clone(&self.waiting)));
        }
        let (mut own, new) = (lock(&self.topics), Topic { change, spelling });
        if let Err(place) = own.binary_search(&new) {
            own.insert(place, new);
        }
    }

    /// Unsubscribes from the resource that was subscribed to as `spelling`.
    pub(crate) fn unsubscribe_resource(&self, spelling: &str) {
        let mut topics = lock(&self.changes.topics);
        let mut own = lock(&self.topics);
        let Some(place) = own.iter().position(|it| it.uri() == Some(spelling)) else {
            return;
        };
        let Topic { change, .. } = own.remove(place);
        // It may be subscribed to under another spelling as well.
        if !own.iter().any(|it| it.change == change) {
            leave(&mut topics, &change, self.id);
            lock(&self.waiting.changes).retain(|waiting| *waiting != change);
        }
    }

    /// The number of subscriptions.
    pub(crate) fn len(&self) -> usize {
        lock(&self.topics).len()
    }

    /// The URIs of the resources subscribed to, as the client spells them.
    pub(crate) fn resources(&self) -> Vec<String> {
        let own = lock(&self.topics);
        own.iter()
            .filter_map(Topic::uri)
            .map(str::to_owned)
            .collect()
    }

    /// Waits until there is a change to take.
    ///
    /// Cancel safe. Only one task may wait at a time.
    pub(crate) async fn changed(&self) {
        while lock(&self.waiting.changes).is_empty() {
            self.waiting.arrived.notified().await;
        }
    }

    /// Takes the changes collected, in order, each once in each of its spellings.
    pub(crate) fn take(&self) -> Vec<Change> {
        let changes = std::mem::take(&mut *lock(&self.waiting.changes));
        let own = lock(&self.topics);
        let mut taken = Vec::with_capacity(changes.len());
        for change in &changes {
            let spelled = own.iter().filter(|it| it.change == *change);
            taken.extend(spelled.map(Topic::reported));
        }
        taken
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let mut topics = lock(&self.changes.topics);
        for topic in &*lock(&self.topics) {
            leave(&mut topics, &topic.change, self.id);
        }
    }
}

impl Topic {
    /// The URI as the client spells it, if it is a resource.
    fn uri(&self) -> Option<&str> {
        match (&self.spelling, &self.change) {
            (Some(spelling), _) => Some(spelling),
            (None, Change::Resource(uri)) => Some(uri),
            _ => None,
        }
    }

    /// The change in the client's spelling.
    fn reported(&self) -> Change {
        match &self.spelling {
            Some(spelling) => Change::Resource(spelling.to_string()),
            None => self.change.clone(),
        }
    }
}

fn leave(topics: &mut Topics, change: &Change, id: u64) {
    if let Some(subscribers) = topics.get_mut(change) {
        if let Ok(place) = place(subscribers, id) {
            subscribers.remove(place);
        }
        if subscribers.is_empty() {
            topics.remove(change);
        }
    }
}

/// The index of the subscriber `id`, or where to insert it.
fn place(subscribers: &[(u64, Arc<Waiting>)], id: u64) -> Result<usize, usize> {
    subscribers.binary_search_by_key(&id, |(id, _)| *id)
}

/// Adds a change to others. Returns `false` if it was there.
fn insert(changes: &mut Vec<Change>, change: &Change) -> bool {
    match changes.binary_search(change) {
        Ok(_) => false,
        Err(place) => {
            changes.insert(place, change.clone());
            true
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        assert!(lock(&changes.topics).is_empty());
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
}
