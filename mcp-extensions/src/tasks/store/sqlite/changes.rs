//! Waiting for changes of tasks, also those that other processes make.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use mcp_runtime::layer::BoxFuture;
use rusqlite::{Connection, OptionalExtension as _};
use tokio::sync::Notify;

use super::connections::Urgency;
use super::store::{Database, SqliteTaskStore, unsigned};
use crate::tasks::limits::sqlite::{MAX_POLL, POLL};

/// Those who wait for changes of tasks, by id.
#[derive(Default)]
pub(super) struct Waiting {
    changed: HashMap<String, Arc<Notify>>,
    is_polled: bool,
}

impl Waiting {
    /// What is notified of changes of a task.
    fn of(&mut self, id: &str) -> Arc<Notify> {
        Arc::clone(self.changed.entry(id.to_owned()).or_default())
    }

    pub(super) fn notify(&mut self, id: &str) {
        if let Some(notify) = self.changed.get(id) {
            notify.notify_waiters();
        }
    }

    /// Forgets tasks that nobody waits for. Returns true if there are no others.
    fn is_over(&mut self) -> bool {
        self.changed
            .retain(|_, notify| Arc::strong_count(notify) > 1);
        self.changed.is_empty()
    }
}

impl SqliteTaskStore {
    pub(super) fn wait(&self, id: &str, version: u64) -> BoxFuture<()> {
        // Registered before the version is read, so that no change is missed.
        let notify = self.0.waiting().of(id);
        let notified = Arc::clone(&notify).notified_owned();
        let (store, id) = (self.clone(), id.to_owned());
        Box::pin(async move {
            // Others may wait for the task as well.
            let _notify = notify;
            store.poll();
            let read = move |connection: &mut Connection| version_of(connection, &id);
            match store.0.readers.run(Urgency::Normal, read).await {
                Ok(Some(now)) if now == version => notified.await,
                Ok(_) => {}
                // This is reported too early, but not so often that the caller runs in circles.
                Err(_) => tokio::time::sleep(POLL).await,
            }
        })
    }

    /// Starts to look for changes of other processes, while anybody waits for some.
    fn poll(&self) {
        let mut waiting = self.0.waiting();
        if !waiting.is_polled {
            waiting.is_polled = true;
            tokio::spawn(poll(Arc::downgrade(&self.0)));
        }
    }
}

fn version_of(connection: &Connection, id: &str) -> rusqlite::Result<Option<u64>> {
    let mut version = connection.prepare_cached("SELECT version FROM tasks WHERE id = ?1")?;
    let version = version.query_row([id], |row| row.get(0)).optional()?;
    Ok(version.map(unsigned))
}

/// Notifies those who wait of the changes of other processes, until nobody waits.
async fn poll(database: Weak<Database>) {
    let (mut last, mut pause) = (None, POLL);
    loop {
        let Some(database) = database.upgrade() else {
            return;
        };
        let read = move |connection: &mut Connection| changes(connection, last);
        match database.readers.run(Urgency::Urgent, read).await {
            Ok((now, changed)) => {
                let mut waiting = database.waiting();
                match last.replace(now) {
                    Some(_) => changed.iter().for_each(|id| waiting.notify(id)),
                    // What has changed before is not known.
                    None => waiting.changed.values().for_each(|it| it.notify_waiters()),
                }
                if waiting.is_over() {
                    waiting.is_polled = false;
                    return;
                }
                pause = POLL;
            }
            Err(error) => {
                tracing::warn!(%error, "changes of tasks can't be read now");
                pause = MAX_POLL.min(2 * pause);
            }
        }
        drop(database);
        tokio::time::sleep(pause).await;
    }
}

/// The number of the last change, and the ids of the tasks that were changed since `last`.
fn changes(connection: &Connection, last: Option<i64>) -> rusqlite::Result<(i64, Vec<String>)> {
    let now = connection
        .prepare_cached("SELECT change FROM counters")?
        .query_row((), |row| row.get(0))?;
    let Some(last) = last.filter(|last| *last != now) else {
        return Ok((now, Vec::new()));
    };
    let mut changed = connection.prepare_cached("SELECT id FROM tasks WHERE change > ?1")?;
    let changed = changed.query_map([last], |row| row.get(0))?;
    Ok((now, changed.collect::<rusqlite::Result<_>>()?))
}
