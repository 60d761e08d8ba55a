//! Response bodies that are streams of events.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

use super::events::{EventId, StoredEvent};
use super::expiry::Access;
use super::stream::{Item, Stream, StreamRead};
use crate::connection::{BoxFuture, Recorder};
use crate::error::RequestError;
use crate::limits::FOREVER;
use crate::sync::lock;
use crate::transport::http::server::options::HttpOptions;
use crate::transport::http::server::unread::{CHECKS, Held, Pieces, Unread};
use crate::transport::http::session::HttpSession;
use crate::transport::http::sse;

/// The handler of a stateless request, which resolves to the answer. Dropping it cancels the call.
pub(crate) type Work = BoxFuture<(StatusCode, Vec<u8>)>;

/// Writes the messages of a [`Stream`] as events, drives the handler if no task does, and sends
/// comments during long silences.
pub(crate) struct EventStream {
    reading: Arc<Reading>,
    /// The task that checks whether the client is reading.
    watch: AbortHandle,
    /// Events that precede all others.
    first: VecDeque<Bytes>,
    /// Counts the bytes of `first` as unread.
    first_held: Option<Held>,
    pieces: Pieces,
    unread: Option<Arc<Unread>>,
    period: Duration,
    silence: Pin<Box<Sleep>>,
    /// On the heap because the access of most clients does not end.
    access: Option<Box<ReaderAccess>>,
    recorder: Recorder,
}

/// The access of a client that is reading a stream.
struct ReaderAccess {
    /// Resolves when the access ends. The lock only makes the stream `Sync`.
    ends: Mutex<BoxFuture<()>>,
    has_ended: bool,
    /// The session whose calls are answered on this stream.
    session: Option<Arc<HttpSession>>,
}

impl EventStream {
    /// Reads `stream` from its current position.
    pub(crate) fn new(stream: Arc<Stream>, work: Option<Work>, options: &HttpOptions) -> Self {
        let ticket = stream.attach();
        Self::with_ticket(stream, ticket, work, options)
    }

    /// Reads `stream` after replaying the events that a client has missed since `id`. `ticket` must
    /// have been taken before the events were looked up.
    pub(crate) fn resumed(
        stream: Arc<Stream>,
        ticket: u64,
        id: EventId,
        missed: &[StoredEvent],
        options: &HttpOptions,
    ) -> Self {
        // The standalone stream of another process has other sequence numbers.
        if id.stream == stream.number {
            let last = missed.last().map_or(id.sequence, |last| last.sequence);
            stream.skip_to(last);
        }
        let mut resumed = Self::with_ticket(stream, ticket, None, options);
        for event in missed {
            let id = EventId {
                stream: event.stream,
                sequence: event.sequence,
            };
            let event = sse::event(Some(&id.to_string()), &event.message);
            resumed.first.push_back(event);
        }
        resumed
    }

    fn with_ticket(
        stream: Arc<Stream>,
        ticket: u64,
        work: Option<Work>,
        options: &HttpOptions,
    ) -> Self {
        let reading = Arc::new(Reading {
            stream,
            ticket,
            polls: AtomicU64::new(0),
            waits: AtomicBool::new(false),
            holdings: Mutex::new(Holdings { work, held: None }),
        });
        let period = options.limits.write / CHECKS;
        let watch = tokio::spawn(watch(Arc::downgrade(&reading), period));
        Self {
            reading,
            watch: watch.abort_handle(),
            first: VecDeque::new(),
            first_held: None,
            pieces: Pieces::default(),
            unread: None,
            period: options.keep_alive,
            silence: Box::pin(tokio::time::sleep(options.keep_alive)),
            access: None,
            recorder: Recorder::default(),
        }
    }

    /// Ends the stream, with an explanatory comment, when the client's `access` ends. Calls in
    /// flight of `session` are answered on the stream, so they are answered with an error first.
    pub(crate) fn until(
        mut self,
        access: Option<Access>,
        session: Option<&Arc<HttpSession>>,
    ) -> Self {
        self.access = access.map(|access| {
            Box::new(ReaderAccess {
                ends: Mutex::new(Box::pin(access.end())),
                has_ended: false,
                session: session.cloned(),
            })
        });
        self
    }

    /// Keeps `held` alive as long as the stream is read.
    pub(crate) fn holding(self, held: Arc<dyn Send + Sync>) -> Self {
        self.reading.holdings().held = Some(held);
        self
    }

    /// Counts the bytes of the stream as unread until the client has read them.
    pub(crate) fn count(&mut self, unread: &Arc<Unread>) {
        let bytes: usize = self.first.iter().map(Bytes::len).sum();
        self.first_held = (bytes > 0).then(|| unread.hold(bytes));
        self.unread = Some(Arc::clone(unread));
    }

    pub(crate) fn record(&mut self, recorder: Recorder) {
        self.recorder = recorder;
    }

    pub(crate) fn beginning_with(mut self, event: Bytes) -> Self {
        self.first.push_back(event);
        self
    }

    /// Keeps `session` open as long as the stream is read. In revisions that have an event for it,
    /// lets the client resume from here.
    pub(crate) fn in_session(self, session: Arc<HttpSession>) -> Self {
        let negotiated = session.negotiated();
        let primed = if negotiated.is_some_and(|negotiated| negotiated.primes_streams()) {
            self.primed()
        } else {
            self
        };
        primed.holding(session)
    }

    /// Begins the stream with an empty event, whose id lets the client resume from here
    /// (2025-11-25, "Transports", section "Sending Messages to the Server").
    fn primed(self) -> Self {
        let id = self.id(self.reading.stream.position());
        self.beginning_with(sse::empty(&id.to_string(), None))
    }

    /// Returns the next events; `None` at the end of the stream.
    pub(crate) fn poll_bytes(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let polled = self.poll_piece(cx);
        let reading = &self.reading;
        reading.polls.fetch_add(1, Ordering::Relaxed);
        reading.waits.store(polled.is_pending(), Ordering::Relaxed);
        polled
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(piece) = self.pieces.next() {
            return Poll::Ready(Some(piece));
        }
        let Some(bytes) = ready!(self.poll_next(cx)) else {
            return Poll::Ready(None);
        };
        self.pieces = Pieces::uncounted(bytes);
        if let Some(unread) = &self.unread {
            self.pieces.count(unread);
        }
        Poll::Ready(self.pieces.next())
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(bytes) = self.first.pop_front() {
            return Poll::Ready(Some(bytes));
        }
        self.first_held = None;
        if let Some(access) = &mut self.access {
            if access.has_ended {
                return Poll::Ready(None);
            }
            let ends = access
                .ends
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            access.has_ended = ends.as_mut().poll(cx).is_ready();
            if access.has_ended {
                return Poll::Ready(Some(self.last(cx)));
            }
        }
        self.poll_work(cx);
        match self.reading.stream.poll_items(self.reading.ticket, cx) {
            Poll::Ready(StreamRead::Items(items)) => {
                self.silence
                    .as_mut()
                    .reset(Instant::now() + self.period.min(FOREVER));
                Poll::Ready(Some(self.written(&items)))
            }
            Poll::Ready(StreamRead::Cut {
                retry,
                last_sequence,
            }) => {
                let id = self.id(last_sequence).to_string();
                Poll::Ready(Some(sse::empty(&id, Some(retry.as_millis()))))
            }
            Poll::Ready(StreamRead::End) => Poll::Ready(None),
            Poll::Pending => self.poll_silence(cx).map(Some),
        }
    }

    /// Returns the last events for a client whose access has ended.
    fn last(&mut self, cx: &mut Context<'_>) -> Bytes {
        let access = self.access.as_mut();
        if let Some(session) = access.and_then(|access| access.session.take()) {
            session.cut(&RequestError::AccessExpired);
        }
        let polled = self.reading.stream.poll_items(self.reading.ticket, cx);
        let mut last = match polled {
            Poll::Ready(StreamRead::Items(items)) => BytesMut::from(&*self.written(&items)),
            _ => BytesMut::new(),
        };
        last.extend_from_slice(sse::EXPIRED);
        last.freeze()
    }

    fn poll_work(&mut self, cx: &mut Context<'_>) {
        let mut holdings = self.reading.holdings();
        if let Some(work) = &mut holdings.work
            && let Poll::Ready((status, message)) = work.as_mut().poll(cx)
        {
            let done = holdings.work.take();
            drop(holdings);
            drop(done);
            self.reading.stream.answer(status, message);
        }
    }

    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        if self.silence.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.silence
            .as_mut()
            .reset(Instant::now() + self.period.min(FOREVER));
        // Registers the new deadline.
        cx.waker().wake_by_ref();
        Poll::Ready(sse::COMMENT)
    }

    fn written(&self, items: &VecDeque<Item>) -> Bytes {
        let mut events = items.iter().map(|item| {
            self.recorder.sent(&item.message);
            let logged = self.reading.stream.log.is_some();
            let id = logged.then(|| self.id(item.sequence).to_string());
            sse::event(id.as_deref(), &item.message)
        });
        if items.len() == 1 {
            return events.next().unwrap_or_default();
        }
        let mut all = BytesMut::new();
        events.for_each(|event| all.extend_from_slice(&event));
        all.freeze()
    }

    fn id(&self, sequence: u64) -> EventId {
        EventId {
            stream: self.reading.stream.number,
            sequence,
        }
    }
}

/// A stream that a client is reading.
///
/// The body of a response is polled only when the client has read what was sent before. If another
/// program owns the connection, nothing else shows that a client does not read. So a task checks
/// whether the body has been polled. If it has not been polled for the write timeout, the client is
/// treated as lost, as if the connection had been closed: the handler and everything else that is
/// held for the client are dropped.
struct Reading {
    stream: Arc<Stream>,
    ticket: u64,
    polls: AtomicU64,
    /// True if the last poll found nothing to send.
    waits: AtomicBool,
    holdings: Mutex<Holdings>,
}

#[derive(Default)]
struct Holdings {
    /// The handler, if no task drives it.
    work: Option<Work>,
    held: Option<Arc<dyn Send + Sync>>,
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Reading {
    fn holdings(&self) -> MutexGuard<'_, Holdings> {
        lock(&self.holdings)
    }

    /// Returns true if the client has read everything.
    fn is_read(&self) -> bool {
        self.waits.load(Ordering::Relaxed) && !self.stream.is_unread(self.ticket)
    }

    fn give_up(&self) {
        tracing::debug!("a stream was given up because its client does not read it");
        self.stream.detach(self.ticket);
        // Dropping may take long, so it must not happen under the lock.
        let holdings = std::mem::take(&mut *self.holdings());
        drop(holdings);
    }
}

/// Ends a stream whose body has not been polled for [`CHECKS`] periods.
async fn watch(reading: Weak<Reading>, period: Duration) {
    let mut before = 0;
    let mut unread = 0;
    loop {
        tokio::time::sleep(period).await;
        let Some(reading) = reading.upgrade() else {
            return;
        };
        let polls = reading.polls.load(Ordering::Relaxed);
        if polls != before || reading.is_read() {
            (before, unread) = (polls, 0);
            continue;
        }
        unread += 1;
        if unread == CHECKS {
            return reading.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;
    use crate::transport::http::exchange::events::{EventLog, MemoryEventStore};
    use crate::transport::http::session::SessionId;

    fn read(events: &mut EventStream) -> String {
        let mut cx = Context::from_waker(Waker::noop());
        let mut read = Vec::new();
        while let Poll::Ready(Some(bytes)) = events.poll_bytes(&mut cx) {
            read.extend_from_slice(&bytes);
        }
        String::from_utf8(read).unwrap()
    }

    #[tokio::test]
    async fn what_is_sent_while_events_are_looked_up_comes_once() {
        let log = EventLog::new(Arc::new(MemoryEventStore::new()), SessionId::new(1));
        let stream = Arc::new(Stream::new(1, Some(log.clone())));
        stream.push(b"a".to_vec());
        let ticket = stream.attach();
        stream.push(b"b".to_vec());
        let from = EventId {
            stream: 1,
            sequence: 0,
        };
        let missed = log.replay(from).await.unwrap();
        stream.push(b"c".to_vec());
        let mut resumed =
            EventStream::resumed(stream, ticket, from, &missed, &HttpOptions::default());
        let expected = "id: 1-1\ndata: a\n\nid: 1-2\ndata: b\n\nid: 1-3\ndata: c\n\n";
        assert_eq!(read(&mut resumed), expected);
    }

    #[tokio::test]
    async fn a_reader_that_comes_later_takes_over() {
        let stream = Arc::new(Stream::new(1, None));
        let mut first = EventStream::new(Arc::clone(&stream), None, &HttpOptions::default());
        let mut second = EventStream::new(Arc::clone(&stream), None, &HttpOptions::default());
        stream.push(b"a".to_vec());
        assert_eq!(read(&mut first), "");
        assert_eq!(read(&mut second), "data: a\n\n");
    }
}
