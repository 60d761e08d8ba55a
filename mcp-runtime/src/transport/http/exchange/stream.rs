//! A queue of messages for one response, or for the stream of a session.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::StatusCode;
use mcp_types::RequestId;
use mcp_types::jsonrpc::ErrorObject;
use tokio::sync::Notify;

use super::events::EventLog;
use crate::connection::{self, BoxFuture, Command, Link, Unsent};
use crate::error::{CallError, RequestError};
use crate::limits::{MAX_QUEUED_BYTES, MAX_SESSION_MESSAGES};
use crate::server::Answer;
use crate::sync::lock;
use crate::transport::http::server::unread::{Held, Unread};

/// The messages that answer one request, or the messages of a session that do not belong to a
/// request, in order.
///
/// At most one reader takes messages at a time. A new reader takes over from the previous one, so a
/// client that resumes a stream does not have to wait until the server notices that the old
/// connection is gone.
pub(crate) struct Stream {
    pub(crate) number: u64,
    /// Stores the messages for a client that comes back after losing its connection.
    pub(crate) log: Option<EventLog>,
    /// Counts the messages as unread until they are taken from the queue.
    pub(crate) unread: Option<Arc<Unread>>,
    state: Mutex<StreamState>,
    /// Notified when messages were read, when a reader attaches, and when the stream ends.
    room: Notify,
}

#[derive(Default)]
struct StreamState {
    queue: VecDeque<Item>,
    /// The number of bytes in the queue.
    bytes: usize,
    /// Counts answers that will be added to the queue later.
    later: Vec<Held>,
    last_sequence: u64,
    ended: bool,
    /// How long the client is asked to wait before it comes back.
    cut: Option<Duration>,
    reader: u64,
    waker: Option<Waker>,
}

/// One message, without a line break.
#[derive(Debug)]
pub(crate) struct Item {
    /// The number of the message in its stream, starting from 1.
    pub(crate) sequence: u64,
    pub(crate) message: Vec<u8>,
    /// Set for the answer to the request: the HTTP status to use if the answer is the only message.
    answer: Option<StatusCode>,
    _held: Option<Held>,
}

pub(crate) enum StreamRead {
    Items(VecDeque<Item>),
    /// The client is asked to come back later. The last event had this sequence number.
    Cut {
        retry: Duration,
        last_sequence: u64,
    },
    /// Nothing more will come, or another reader took over.
    End,
}

impl Stream {
    pub(crate) fn new(number: u64, log: Option<EventLog>) -> Self {
        Self {
            number,
            log,
            unread: None,
            state: Mutex::default(),
            room: Notify::new(),
        }
    }

    /// Counts the messages of the stream as unread bytes of a connection.
    pub(crate) fn counting(mut self, unread: &Arc<Unread>) -> Self {
        self.unread = Some(Arc::clone(unread));
        self
    }

    /// Sends a message. Returns false if the stream has ended.
    pub(crate) fn push(&self, message: Vec<u8>) -> bool {
        let mut state = self.lock();
        if !state.ended {
            self.append(&mut state, message, None);
        }
        !state.ended
    }

    /// Sends a notification. If it is not urgent, it is refused while `most` messages or too many
    /// bytes are queued.
    ///
    /// # Errors
    ///
    /// When the stream has ended, or too much is queued.
    pub(crate) fn notify(&self, command: Command, most: usize) -> Result<(), Unsent> {
        let mut state = self.lock();
        match command {
            Command::Notify { frame, urgent } if !state.ended => {
                if !urgent && (state.queue.len() >= most || state.bytes >= MAX_QUEUED_BYTES) {
                    return Err(Unsent::Full(Box::new(Command::Notify { frame, urgent })));
                }
                self.append(&mut state, frame, None);
                Ok(())
            }
            _ => Err(Unsent::Closed),
        }
    }

    /// Sends a notification as soon as there is room for it. Fails if the stream has ended.
    pub(crate) fn notify_later(
        self: &Arc<Self>,
        mut command: Command,
        most: usize,
    ) -> BoxFuture<Result<(), CallError>> {
        let stream = Arc::clone(self);
        Box::pin(async move {
            loop {
                let mut room = pin!(stream.room.notified());
                room.as_mut().enable();
                command = match stream.notify(command, most) {
                    Ok(()) => return Ok(()),
                    Err(Unsent::Closed) => return Err(CallError::Closed),
                    Err(Unsent::Full(command)) => *command,
                };
                room.await;
            }
        })
    }

    /// Returns the response to the request `id`. If the client leaves too much unread, the response
    /// is an error and the outcome is dropped.
    pub(crate) fn response(
        &self,
        id: &RequestId,
        outcome: &Result<Answer, ErrorObject>,
    ) -> Vec<u8> {
        let response = connection::response(id, outcome);
        match &self.unread {
            Some(unread) if !unread.takes(response.len()) => RequestError::Unread.response(id),
            _ => response,
        }
    }

    /// Counts `length` bytes of an answer that is sent later with the rest of its batch.
    pub(crate) fn hold(&self, length: usize) {
        if let Some(unread) = &self.unread {
            self.lock().later.push(unread.hold(length));
        }
    }

    /// Sends the answer, which is the last message of the stream.
    pub(crate) fn answer(&self, status: StatusCode, message: Vec<u8>) {
        let mut state = self.lock();
        if !state.ended {
            self.append(&mut state, message, Some(status));
            state.later.clear();
            state.ended = true;
            self.room.notify_waiters();
        }
    }

    fn append(&self, state: &mut StreamState, message: Vec<u8>, answer: Option<StatusCode>) {
        state.last_sequence += 1;
        // An answer without preceding messages is sent as plain JSON, which can't be resumed.
        let streams = state.last_sequence > 1 || state.cut.is_some() || state.reader > 0;
        let resumable = answer.is_none() || streams;
        if let Some(log) = &self.log
            && resumable
        {
            log.append(self.number, state.last_sequence, &message);
        }
        state.bytes += message.len();
        let held = self
            .unread
            .as_ref()
            .map(|unread| unread.hold(message.len()));
        state.queue.push_back(Item {
            sequence: state.last_sequence,
            message,
            answer,
            _held: held,
        });
        state.wake();
    }

    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        state.wake();
        self.room.notify_waiters();
    }

    /// Ends the connection, but not the stream: the client may come back for the rest after
    /// `retry`. Returns false if the client could not come back.
    pub(crate) fn cut(&self, retry: Duration) -> bool {
        let mut state = self.lock();
        if self.log.is_none() || state.ended {
            return false;
        }
        state.cut = Some(retry);
        state.wake();
        true
    }

    /// Returns true if nothing has been sent yet.
    pub(crate) fn is_untouched(&self) -> bool {
        let state = self.lock();
        state.last_sequence == 0 && state.cut.is_none()
    }

    /// Returns the number of the last message that was read.
    pub(crate) fn position(&self) -> u64 {
        let state = self.lock();
        state.last_sequence - state.queue.len() as u64
    }

    /// Waits for a message or the end of the stream.
    pub(crate) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.ended || state.cut.is_some() || !state.queue.is_empty() {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Takes the answer if it is the only message.
    pub(crate) fn take_lone_answer(&self) -> Option<(StatusCode, Vec<u8>)> {
        let mut state = self.lock();
        if state.queue.len() != 1 || state.last_sequence != 1 || state.cut.is_some() {
            return None;
        }
        let status = state.queue.front()?.answer?;
        let item = state.queue.pop_front()?;
        Some((status, item.message))
    }

    /// Returns a ticket for a new reader, which replaces the previous reader.
    pub(crate) fn attach(&self) -> u64 {
        let mut state = self.lock();
        state.reader += 1;
        state.wake();
        self.room.notify_waiters();
        state.reader
    }

    /// Waits until the stream has, or has had, a reader.
    pub(crate) async fn opened(&self) {
        loop {
            let mut attached = pin!(self.room.notified());
            attached.as_mut().enable();
            if self.lock().reader > 0 {
                return;
            }
            attached.await;
        }
    }

    /// Removes the messages up to `sequence`, which are replayed from the log, and cancels a
    /// pending cut.
    pub(crate) fn skip_to(&self, sequence: u64) {
        let mut state = self.lock();
        state.cut = None;
        state.queue.retain(|item| item.sequence > sequence);
        state.bytes = state.queue.iter().map(|item| item.message.len()).sum();
        self.room.notify_waiters();
    }

    /// Returns true if messages are waiting for the reader with this ticket.
    pub(crate) fn is_unread(&self, ticket: u64) -> bool {
        let state = self.lock();
        state.reader == ticket && !state.queue.is_empty()
    }

    /// Detaches the reader with this ticket, which was lost. If it can't come back, the stream
    /// ends.
    pub(crate) fn detach(&self, ticket: u64) {
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

    pub(crate) fn poll_items(&self, ticket: u64, cx: &mut Context<'_>) -> Poll<StreamRead> {
        let mut state = self.lock();
        if state.reader != ticket {
            return Poll::Ready(StreamRead::End);
        }
        if !state.queue.is_empty() {
            state.bytes = 0;
            self.room.notify_waiters();
            return Poll::Ready(StreamRead::Items(std::mem::take(&mut state.queue)));
        }
        if let Some(retry) = state.cut.take() {
            state.reader += 1;
            let last_sequence = state.last_sequence;
            return Poll::Ready(StreamRead::Cut {
                retry,
                last_sequence,
            });
        }
        if state.ended {
            return Poll::Ready(StreamRead::End);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, StreamState> {
        lock(&self.state)
    }
}

/// The link to a session's client for messages that do not belong to a request. Only notifications
/// are sent there. The link does not keep the session open.
impl Link for Arc<Stream> {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        self.notify(command, MAX_SESSION_MESSAGES)
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        self.notify_later(command, MAX_SESSION_MESSAGES)
    }

    fn next_id(&self) -> i64 {
        0
    }
}

impl StreamState {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
