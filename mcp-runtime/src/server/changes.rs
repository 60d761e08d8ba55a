//! What has changed on the server, and who wants to know.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Something of a server's that has changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or of templates.
    Resources,
    /// What the resource under this URI contains.
    Resource(String),
}

/// Where changes are announced; one for each server. Cloning is cheap: the clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    topics: Arc<Mutex<Topics>>,
}

/// Who waits for which change, in the order of their numbers.
type Topics = HashMap<Change, Vec<(u64, Arc<Waiting>)>>;

/// The changes that one listener has not taken yet. There are never more than it wants.
#[derive(Debug, Default)]
struct Waiting {
    /// In order.
    changes: Mutex<Vec<Change>>,
    arrived: Notify,
}

/// Gathers the changes that somebody wants to know of, until they are taken. However often
/// something changes meanwhile, it is said once.
#[derive(Debug)]
pub(crate) struct Listener {
    changes: Changes,
    id: u64,
    /// In order. Most want to know of a few changes, for which a set takes three times the room.
    pub(super) wanted: Mutex<Vec<Wanted>>,
    waiting: Arc<Waiting>,
}

/// A change that a listener wants to know of.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    /// The change; that of a resource by its canonical URI.
    change: Change,
    /// The listener's own spelling of the URI, if it is another.
    spelling: Option<Box<str>>,
}

impl Changes {
    /// Tells all who want to know, and whether anybody does. Never waits for any of them.
    pub(crate) fn publish(&self, change: Change) -> bool {
        let topics = lock(&self.topics);
        let listeners = topics.get(&change);
        for (_, waiting) in listeners.map_or(&[][..], Vec::as_slice) {
            if insert(&mut lock(&waiting.changes), &change) {
                waiting.arrived.notify_one();
            }
        }
        listeners.is_some()
    }

    /// Somebody who does not want to know anything yet.
    pub(crate) fn listener(&self) -> Listener {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Listener {
            changes: self.clone(),
            id: LAST.fetch_add(1, Ordering::Relaxed),
            wanted: Mutex::default(),
            waiting: Arc::default(),
        }
    }
}

impl Listener {
    /// Wants to know of a change from now on.
    pub(crate) fn want(&self, change: Change) {
        self.want_as(change, None);
    }

    /// Wants to know of changes of the resource `canonical`, and to hear of it as `spelling`.
    pub(crate) fn want_resource(&self, canonical: &str, spelling: &str) {
        let own = (canonical != spelling).then(|| spelling.into());
        self.want_as(Change::Resource(canonical.to_owned()), own);
    }

    fn want_as(&self, change: Change, spelling: Option<Box<str>>) {
        let mut topics = lock(&self.changes.topics);
        let listeners = topics.entry(change.clone()).or_default();
        if let Err(place) = place(listeners, self.id) {
            listeners.insert(place, (self.id, Arc::clone(&self.waiting)));
        }
        let (mut wanted, new) = (lock(&self.wanted), Wanted { change, spelling });
        if let Err(place) = wanted.binary_search(&new) {
            wanted.insert(place, new);
        }
    }

    /// Does not want to know any more of the resource that it calls `spelling`.
    pub(crate) fn forget_resource(&self, spelling: &str) {
        let mut topics = lock(&self.changes.topics);
        let mut wanted = lock(&self.wanted);
        let Some(place) = wanted.iter().position(|it| it.uri() == Some(spelling)) else {
            return;
        };
        let Wanted { change, .. } = wanted.remove(place);
        // It may want to know of it under another spelling.
        if !wanted.iter().any(|it| it.change == change) {
            leave(&mut topics, &change, self.id);
            lock(&self.waiting.changes).retain(|waiting| *waiting != change);
        }
    }

    /// How many changes are wanted.
    pub(crate) fn wants(&self) -> usize {
        lock(&self.wanted).len()
    }

    /// Waits until there is something to take.
    ///
    /// Cancel safe. Only one task may wait at a time.
    pub(crate) async fn changed(&self) {
        while lock(&self.waiting.changes).is_empty() {
            self.waiting.arrived.notified().await;
        }
    }

    /// What has changed since it was last asked, in order, each once in each of its spellings.
    pub(crate) fn take(&self) -> Vec<Change> {
        let changes = std::mem::take(&mut *lock(&self.waiting.changes));
        let wanted = lock(&self.wanted);
        let mut taken = Vec::with_capacity(changes.len());
        for change in &changes {
            let spelled = wanted.iter().filter(|it| it.change == *change);
            taken.extend(spelled.map(Wanted::said));
        }
        taken
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut topics = lock(&self.changes.topics);
        for wanted in &*lock(&self.wanted) {
            leave(&mut topics, &wanted.change, self.id);
        }
    }
}

impl Wanted {
    /// The URI as the listener spells it, if it is about a resource.
    pub(super) fn uri(&self) -> Option<&str> {
        match (&self.spelling, &self.change) {
            (Some(spelling), _) => Some(spelling),
            (None, Change::Resource(uri)) => Some(uri),
            _ => None,
        }
    }

    /// The change as the listener is told of it.
    fn said(&self) -> Change {
        match &self.spelling {
            Some(spelling) => Change::Resource(spelling.to_string()),
            None => self.change.clone(),
        }
    }
}

fn leave(topics: &mut Topics, change: &Change, id: u64) {
    if let Some(listeners) = topics.get_mut(change) {
        if let Ok(place) = place(listeners, id) {
            listeners.remove(place);
        }
        if listeners.is_empty() {
            topics.remove(change);
        }
    }
}

/// Where the listener `id` stands, or belongs.
fn place(listeners: &[(u64, Arc<Waiting>)], id: u64) -> Result<usize, usize> {
    listeners.binary_search_by_key(&id, |(id, _)| *id)
}

/// Adds a change to others, and says whether it was not there yet.
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
    async fn what_changes_often_is_said_once() {
        let changes = Changes::default();
        let listener = changes.listener();
        listener.want(Change::Tools);
        listener.want_resource("a:1", "a:1");
        for _ in 0..1000 {
            changes.publish(resource("a:1"));
            changes.publish(resource("a:2"));
        }
        changes.publish(Change::Tools);
        listener.changed().await;
        assert_eq!(listener.take(), [Change::Tools, resource("a:1")]);
        assert_eq!(listener.take(), []);
        changes.publish(Change::Tools);
        listener.changed().await;
        assert_eq!(listener.take(), [Change::Tools]);
    }

    #[test]
    fn nothing_is_kept_for_who_has_lost_interest() {
        let changes = Changes::default();
        let listener = changes.listener();
        listener.want_resource("a:1", "a:1");
        listener.want(Change::Prompts);
        listener.want(Change::Prompts);
        assert_eq!(listener.wants(), 2);
        changes.publish(resource("a:1"));
        listener.forget_resource("a:1");
        changes.publish(resource("a:1"));
        assert_eq!(listener.take(), []);
        assert_eq!(listener.wants(), 1);
        drop(listener);
        assert!(lock(&changes.topics).is_empty());
    }

    #[test]
    fn a_listener_hears_of_a_resource_in_each_of_its_spellings() {
        let changes = Changes::default();
        let listener = changes.listener();
        listener.want_resource("a:1", "a:%31");
        listener.want_resource("a:1", "A:1");
        assert!(changes.publish(resource("a:1")));
        assert_eq!(listener.take(), [resource("A:1"), resource("a:%31")]);
        listener.forget_resource("a:1");
        listener.forget_resource("A:1");
        assert!(changes.publish(resource("a:1")));
        assert_eq!(listener.take(), [resource("a:%31")]);
        listener.forget_resource("a:%31");
        assert!(!changes.publish(resource("a:1")));
    }
}
