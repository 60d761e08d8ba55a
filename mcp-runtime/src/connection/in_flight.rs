//! The peer's requests that are being served.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use mcp_types::jsonrpc::{ErrorObject, RequestId};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::BoxFuture;
use super::batch::BatchKey;
use super::panic::Contained;

/// Requests whose handlers are not finished, each a task of its own.
#[derive(Debug)]
pub(super) struct InFlight<A> {
    tasks: JoinSet<Finished<A>>,
    /// In the order of their ids.
    requests: Vec<Request>,
    /// How many of the requests last until one side ends them.
    open: usize,
}

#[derive(Debug)]
struct Request {
    id: RequestId,
    task: AbortHandle,
    batch: Option<BatchKey>,
    kind: Kind,
}

/// What serving a request means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Work that comes to an end.
    Work,
    /// Waiting until one side ends it.
    Open,
}

/// What a handler came to.
#[derive(Debug)]
pub(super) struct Finished<A> {
    pub(super) id: RequestId,
    pub(super) outcome: Result<A, ErrorObject>,
}

impl<A: Send + 'static> InFlight<A> {
    pub(super) fn new() -> Self {
        Self {
            tasks: JoinSet::new(),
            requests: Vec::new(),
            open: 0,
        }
    }

    /// How many requests of a kind there are.
    pub(super) fn count(&self, kind: Kind) -> usize {
        match kind {
            Kind::Work => self.requests.len() - self.open,
            Kind::Open => self.open,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.place(id).is_ok()
    }

    /// Polls a handler once in place, and only spawns it when it has to wait: most handlers are
    /// done by then, and a task costs more than the call.
    pub(super) fn start(
        &mut self,
        id: &RequestId,
        batch: Option<BatchKey>,
        kind: Kind,
        future: BoxFuture<Result<A, ErrorObject>>,
    ) -> Option<Result<A, ErrorObject>> {
        let mut future = Contained(future);
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(outcome) = Pin::new(&mut future).poll(&mut context) {
            return Some(outcome);
        }
        let finished = Finishing {
            id: Some(id.clone()),
            future,
        };
        let task = self.tasks.spawn(finished);
        self.open += usize::from(kind == Kind::Open);
        let request = Request {
            id: id.clone(),
            task,
            batch,
            kind,
        };
        // No other has its id: it would have been refused.
        let place = self.place(id).unwrap_or_else(|place| place);
        self.requests.insert(place, request);
        None
    }

    /// Where the request `id` is, or else would be.
    fn place(&self, id: &RequestId) -> Result<usize, usize> {
        self.requests.binary_search_by(|request| request.id.cmp(id))
    }

    /// Waits for the next handler to finish. `None` for one that was cancelled; pending while
    /// there is none at all.
    pub(super) async fn next(&mut self) -> Option<(Finished<A>, Option<BatchKey>)> {
        match self.tasks.join_next_with_id().await {
            Some(joined) => self.settle(joined),
            None => std::future::pending().await,
        }
    }

    /// The next handler that has finished already.
    pub(super) fn try_next(&mut self) -> Option<Option<(Finished<A>, Option<BatchKey>)>> {
        let joined = self.tasks.try_join_next_with_id()?;
        Some(self.settle(joined))
    }

    fn settle(
        &mut self,
        joined: Result<(Id, Finished<A>), JoinError>,
    ) -> Option<(Finished<A>, Option<BatchKey>)> {
        let (task, finished) = joined.ok()?;
        // A cancelled request may have finished just before, and its id been used again.
        let place = self.place(&finished.id).ok()?;
        if self.requests[place].task.id() != task {
            return None;
        }
        let request = self.remove(place);
        Some((finished, request.batch))
    }

    /// Ends a request by dropping its handler. `None` where there is none of that id.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Option<BatchKey>> {
        let place = self.place(id).ok()?;
        let request = self.remove(place);
        request.task.abort();
        Some(request.batch)
    }

    fn remove(&mut self, place: usize) -> Request {
        let request = self.requests.remove(place);
        self.open -= usize::from(request.kind == Kind::Open);
        request
    }

    /// Ends all requests.
    pub(super) fn cancel_all(&mut self) {
        self.requests.clear();
        self.open = 0;
        self.tasks.abort_all();
    }
}

/// A handler together with the id it answers.
struct Finishing<A> {
    id: Option<RequestId>,
    future: Contained<dyn Future<Output = Result<A, ErrorObject>> + Send>,
}

impl<A> Future for Finishing<A> {
    type Output = Finished<A>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Finished<A>> {
        Pin::new(&mut self.future).poll(cx).map(|outcome| Finished {
            id: self
                .id
                .take()
                .expect("a future is not polled after it is ready"),
            outcome,
        })
    }
}
