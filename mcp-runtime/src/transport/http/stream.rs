//! Messages on their way to one response, or to the stream of a session.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::StatusCode;
use tokio::sync::Notify;

use super::events::EventLog;
use super::server::unread::{Held, Unread};
use crate::limits::MAX_QUEUED_BYTES;

/// What is sent to the client in answer to one of its requests, in order.
///
/// At most one reader takes from it at a time. One that comes later takes over; so a client that
/// resumes a stream does not have to wait until the server notices that the old connection is
/// gone.
pub(super) struct Stream {
    number: u64,
    log: Option<EventLog>,
    /// Where messages count until they are read from here.
    unread: Option<Arc<Unread>>,
    state: Mutex<State>,
    /// Told when messages have been read, and at the end.
    room: Notify,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Item>,
    /// The length of what is in the queue.
    bytes: usize,
    last_sequence: u64,
    ended: bool,
    /// How long the client is asked to stay away.
    cut: Option<Duration>,
    reader: u64,
    waker: Option<Waker>,
}

/// One message, without a line break.
#[derive(Debug)]
pub(super) struct Item {
    /// Its place in the stream, from 1.
    pub(super) sequence: u64,
    pub(super) message: Vec<u8>,
    /// For the answer to the request: the status it has if it is all there is to say.
    pub(super) answer: Option<StatusCode>,
    _held: Option<Held>,
}

/// Why a message was not sent.
pub(super) enum NoRoom {
    /// Nothing can be sent any more.
    Ended,
    /// The client has to read what waits first.
    Full(Vec<u8>),
}

/// What a reader finds.
pub(super) enum Found {
    Items(VecDeque<Item>),
    /// The client is to come back later; the last event had this sequence number.
    Cut {
        retry: Duration,
        last_sequence: u64,
    },
    /// Nothing more will come, or another reader took over.
    End,
}

impl Stream {
    /// A stream whose messages are kept in `log`, if there is one.
    pub(super) fn new(number: u64, log: Option<EventLog>) -> Self {
        Self {
            number,
            log,
            unread: None,
            state: Mutex::default(),
            room: Notify::new(),
        }
    }

    /// The same stream, whose messages count as unread of a connection.
    pub(super) fn counting(mut self, unread: &Arc<Unread>) -> Self {
        self.unread = Some(Arc::clone(unread));
        self
    }

    /// Where its messages count.
    pub(super) fn unread(&self) -> Option<&Arc<Unread>> {
        self.unread.as_ref()
    }

    /// Where its messages are kept.
    pub(super) fn log(&self) -> Option<&EventLog> {
        self.log.as_ref()
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a client can come back for what it missed.
    pub(super) fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    /// Sends a message. `false` when nothing can be sent any more.
    pub(super) fn push(&self, message: Vec<u8>) -> bool {
        let mut state = self.lock();
        if !state.ended {
            self.append(&mut state, message, None);
        }
        !state.ended
    }

    /// Sends a message, unless `most` others wait already.
    ///
    /// # Errors
    ///
    /// When nothing can be sent any more, or too much waits.
    pub(super) fn offer(&self, message: Vec<u8>, most: usize) -> Result<(), NoRoom> {
        let mut state = self.lock();
        if state.ended {
            return Err(NoRoom::Ended);
        }
        if state.queue.len() >= most || state.bytes >= MAX_QUEUED_BYTES {
            return Err(NoRoom::Full(message));
        }
        self.append(&mut state, message, None);
        Ok(())
    }

    /// Sends a message once there is room for it. `false` when nothing can be sent any more.
    pub(super) async fn push_later(self: Arc<Self>, mut message: Vec<u8>, most: usize) -> bool {
        loop {
            let mut room = pin!(self.room.notified());
            room.as_mut().enable();
            message = match self.offer(message, most) {
                Ok(()) => return true,
                Err(NoRoom::Ended) => return false,
                Err(NoRoom::Full(message)) => message,
            };
            room.await;
        }
    }

    /// Sends the answer, which is the last message.
    pub(super) fn answer(&self, status: StatusCode, message: Vec<u8>) {
        let mut state = self.lock();
        if !state.ended {
            self.append(&mut state, message, Some(status));
            state.ended = true;
            self.room.notify_waiters();
        }
    }

    fn append(&self, state: &mut State, message: Vec<u8>, answer: Option<StatusCode>) {
        state.last_sequence += 1;
        // An answer that nothing went before leaves as plain JSON, which can't be resumed.
        let streams = state.last_sequence > 1 || state.cut.is_some() || state.reader > 0;
        let resumable = answer.is_none() || streams;
        if let Some(log) = &self.log
            && resumable
        {
            log.append(self.number, state.last_sequence, &message);
        }
        state.bytes += message.len();
        let held = self.unread().map(|unread| unread.hold(message.len()));
        state.queue.push_back(Item {
            sequence: state.last_sequence,
            message,
            answer,
            _held: held,
        });
        state.wake();
    }

    /// Nothing more will come.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.wake();
        self.room.notify_waiters();
    }

    /// Ends the connection, not the stream: the client may come back after `retry` for the rest.
    /// `false` where it could not.
    pub(super) fn cut(&self, retry: Duration) -> bool {
        let mut state = self.lock();
        if self.log.is_none() || state.ended {
            return false;
        }
        state.cut = Some(retry);
        state.wake();
        true
    }

    /// Whether nothing was sent yet.
    pub(super) fn is_untouched(&self) -> bool {
        let state = self.lock();
        state.last_sequence == 0 && state.cut.is_none()
    }

    /// The place of the last message that was read.
    pub(super) fn position(&self) -> u64 {
        let state = self.lock();
        state.last_sequence - state.queue.len() as u64
    }

    /// Waits until there is something to say, or never will be.
    pub(super) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.ended || state.cut.is_some() || !state.queue.is_empty() {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The answer, if it is all there is to say.
    pub(super) fn take_lone_answer(&self) -> Option<(StatusCode, Vec<u8>)> {
        let mut state = self.lock();
        if state.queue.len() != 1 || state.last_sequence != 1 || state.cut.is_some() {
            return None;
        }
        let status = state.queue.front()?.answer?;
        let item = state.queue.pop_front()?;
        Some((status, item.message))
    }

    /// A ticket for a new reader; the one before is done.
    pub(super) fn attach(&self) -> u64 {
        let mut state = self.lock();
        state.reader += 1;
        state.wake();
        state.reader
    }

    /// Removes the messages up to `sequence`, which are replayed, and calls off a cut.
    pub(super) fn skip_to(&self, sequence: u64) {
        let mut state = self.lock();
        state.cut = None;
        state.queue.retain(|item| item.sequence > sequence);
        state.bytes = state.queue.iter().map(|item| item.message.len()).sum();
        self.room.notify_waiters();
    }

    /// Whether something waits for the reader that has `ticket`.
    pub(super) fn is_unread(&self, ticket: u64) -> bool {
        let state = self.lock();
        state.reader == ticket && !state.queue.is_empty()
    }

    /// The reader that has `ticket` is lost. Where it can't come back, this is the end.
    pub(super) fn detach(&self, ticket: u64) {
        let mut state = self.lock();
        if state.reader != ticket {
            return;
        }
        state.reader += 1;
        if self.log.is_none() {
            state.ended = true;
            state.queue.clear();
            state.bytes = 0;
            self.room.notify_waiters();
        }
        state.wake();
    }

    pub(super) fn poll_items(&self, ticket: u64, cx: &mut Context<'_>) -> Poll<Found> {
        let mut state = self.lock();
        if state.reader != ticket {
            return Poll::Ready(Found::End);
        }
        if !state.queue.is_empty() {
            state.bytes = 0;
            self.room.notify_waiters();
            return Poll::Ready(Found::Items(std::mem::take(&mut state.queue)));
        }
        if let Some(retry) = state.cut.take() {
            state.reader += 1;
            let last_sequence = state.last_sequence;
            return Poll::Ready(Found::Cut {
                retry,
                last_sequence,
            });
        }
        if state.ended {
            return Poll::Ready(Found::End);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
