//! The state of a call that may ask the client: its questions and answers, its time limit, and the
//! part that is kept between rounds (2026-07-28, "Multi Round-Trip Requests").

use std::pin::pin;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_types::{InputRequest, OrderedMap, RawJson, RawJsonRef};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::AskError;
use crate::error::RequestError;
use crate::protocol::StrictJson;
use crate::sync::lock;

/// The questions that a call is answered with.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    pub(super) requests: OrderedMap<InputRequest>,
    /// The error of the first question that can't be asked.
    pub(super) error: Option<RequestError>,
    /// The note for the next round; see [`InputRequired::note`](super::InputRequired::note).
    pub(super) note: Option<String>,
    /// True if clients of the handshake era get an error that lists the web pages, instead of
    /// requests.
    pub(super) by_error: bool,
}

/// The answers and values of a call that are kept when it is detached, by the names of the
/// questions and the keys of the values.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KeptInputs {
    /// The answers that the handler has used.
    pub answers: OrderedMap<RawJson>,
    /// The values of [`Context::once`](crate::Context::once).
    pub values: OrderedMap<RawJson>,
}

#[derive(Debug, Default)]
pub(in crate::server) struct InputState {
    state: Mutex<Round>,
    /// Notified when [`take_questions`](Self::take_questions) may return questions.
    pub(super) asked: Notify,
    ended: Notify,
}

#[derive(Debug, Default)]
pub(super) struct Round {
    /// The state of the earlier rounds, with all answers.
    retry: RetryState,
    /// The names of the answers used in this round.
    used: Vec<String>,
    /// How often each name was used for a question in this round.
    names: Vec<(String, u32)>,
    /// The questions of the next round.
    questions: OrderedMap<InputRequest>,
    /// The questions of [`Context::require`](crate::Context::require).
    required: Option<Box<Questions>>,
    clock: Clock,
    /// The number of side effects in progress, which must not be interrupted.
    busy: usize,
    /// True if the handler waited for something other than an answer or `once` in this round.
    waited: bool,
    ended: bool,
}

impl InputState {
    pub(super) fn retried(retry: RetryState) -> Self {
        Self {
            state: Mutex::new(Round::retried(retry)),
            ..Self::default()
        }
    }

    /// Returns true if the client has answered questions of the call.
    pub(in crate::server) fn is_retry(&self) -> bool {
        let state = self.lock();
        state.retry.rounds > 0 || !state.retry.answers.is_empty()
    }

    /// Restarts the call, for a layer that calls the handler twice.
    pub(super) fn restart(&self, retry: RetryState) {
        let mut state = self.lock();
        let busy = state.busy;
        *state = Round {
            busy,
            ..Round::retried(retry)
        };
    }

    /// Makes the name of a question unique in this round: if the question is repeated, a number is
    /// added.
    pub(super) fn unique(&self, name: String) -> String {
        let mut state = self.lock();
        match state.names.iter_mut().find(|(asked, _)| *asked == name) {
            Some((_, times)) => {
                *times += 1;
                format!("{name}-{times}")
            }
            None => {
                state.names.push((name.clone(), 1));
                name
            }
        }
    }

    /// Returns the client's answer to the question `name` from an earlier round. If there is no
    /// answer, this asks the question in the next round, and waits until the call is suspended.
    pub(super) async fn answer_to(
        &self,
        name: &str,
        request: InputRequest,
    ) -> Result<RawJson, AskError> {
        let ended = self.ended.notified();
        {
            let mut state = self.lock();
            if let Some(answer) = state.answer(name) {
                return Ok(answer);
            }
            if state.ended {
                return Err(AskError::Suspended);
            }
            state.questions.insert(name.to_owned(), request);
        }
        self.asked.notify_one();
        // If this future is dropped, such as the slower branch of a `select!`, withdraw the
        // question.
        let _withdrawn = self.on_drop(|state| drop(state.questions.shift_remove(name)));
        ended.await;
        Err(AskError::Suspended)
    }

    /// Returns the answer to a question, and marks it as used.
    pub(super) fn answer(&self, name: &str) -> Option<RawJson> {
        self.lock().answer(name)
    }

    /// Returns the names of the answered questions, sorted.
    pub(super) fn answered(&self) -> Vec<String> {
        let mut names: Vec<_> = self.lock().retry.answers.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    pub(super) fn note(&self) -> Option<String> {
        self.lock().retry.note.clone()
    }

    /// Ends the round with questions that the handler does not await.
    pub(super) fn require(&self, questions: Questions) {
        self.lock().required = Some(Box::new(questions));
        self.asked.notify_one();
    }

    pub(super) fn is_required(&self) -> bool {
        self.lock().required.is_some()
    }

    /// Takes the questions of [`require`](Self::require), or else the questions that the handler
    /// waits for. It does not take the latter if the handler is done or a side effect is in
    /// progress.
    pub(super) fn take_questions(&self, handler_is_done: bool) -> Option<Questions> {
        let mut state = self.lock();
        if state.required.is_some() {
            return state.required.take().map(|questions| *questions);
        }
        if handler_is_done || state.questions.is_empty() || state.busy > 0 {
            return None;
        }
        Some(Questions {
            requests: std::mem::take(&mut state.questions),
            note: state.retry.note.clone(),
            ..Questions::default()
        })
    }

    /// Records that the handler waits. Returns true if the handler asks now and waited for
    /// something else before, because that is repeated in the next round of the stateless era.
    pub(super) fn repeats(&self) -> bool {
        let mut state = self.lock();
        let asks = !state.questions.is_empty() || state.clock.questions > 0;
        state.waited |= !asks && state.busy == 0;
        asks && state.waited
    }

    /// Ends the call: all waiting and later questions fail with [`AskError::Suspended`].
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.ended.notify_waiters();
    }

    /// Returns the state for the next round: the answers that were used, and the values of `once`.
    pub(super) fn retry_state(&self, note: Option<String>) -> RetryState {
        let state = self.lock();
        let mut retry = state.retry.clone();
        retry.rounds += 1;
        retry.answers.retain(|name, _| state.used.contains(name));
        retry.note = note;
        retry.worked = u64::try_from(state.clock.used().as_millis()).unwrap_or(u64::MAX);
        retry
    }

    /// Returns the answers that were used, and the values of `once`.
    pub(in crate::server) fn kept(&self) -> KeptInputs {
        let state = self.lock();
        let mut kept = KeptInputs::default();
        kept.answers.clone_from(&state.retry.answers);
        kept.answers.retain(|name, _| state.used.contains(name));
        kept.values.clone_from(&state.retry.done);
        kept
    }

    /// Begins the next round, for a handler that runs again in the same call.
    pub(super) fn begin_round(&self, retry: RetryState) {
        let mut state = self.lock();
        let mut clock = std::mem::take(&mut state.clock);
        let busy = state.busy;
        clock.stop();
        *state = Round {
            retry,
            clock,
            busy,
            ..Round::default()
        };
    }

    /// Pauses the clock of the time limit until the guard is dropped.
    pub(super) fn pause_clock(&self) -> OnDrop<'_, impl FnMut(&mut Round)> {
        self.lock().clock.pause();
        self.on_drop(|state| state.clock.resume())
    }

    /// Runs `future` unless the value of `key` is known; see
    /// [`Context::once`](crate::Context::once).
    pub(in crate::server) async fn once<F>(
        &self,
        key: String,
        future: F,
    ) -> Result<F::Output, AskError>
    where
        F: Future<Output: Serialize + DeserializeOwned>,
    {
        let done = self.lock().retry.done.get(&key).cloned();
        if let Some(done) = done {
            return done.parse().map_err(AskError::Value);
        }
        self.lock().busy += 1;
        let _busy = self.on_drop(|state| state.busy -= 1);
        let value = future.await;
        let json = RawJson::new(&value).map_err(AskError::Value)?;
        self.lock().retry.done.insert(key, json);
        Ok(value)
    }

    /// Runs `future` for at most `limit`. All rounds of the call share the limit, and the time in
    /// which the client is asked is excluded. Returns `None` when the limit is reached.
    pub(in crate::server) async fn within<F: Future>(
        &self,
        limit: Duration,
        future: F,
    ) -> Option<F::Output> {
        self.lock().clock.start();
        let mut future = pin!(future);
        let mut left = self.lock().clock.left(limit).unwrap_or_default();
        loop {
            if let Ok(output) = tokio::time::timeout(left, future.as_mut()).await {
                return Some(output);
            }
            left = self.lock().clock.left(limit)?;
        }
    }

    fn on_drop<F: FnMut(&mut Round)>(&self, change: F) -> OnDrop<'_, F> {
        OnDrop {
            input: self,
            change,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Round> {
        lock(&self.state)
    }
}

impl Round {
    fn retried(retry: RetryState) -> Self {
        let clock = Clock {
            used: Duration::from_millis(retry.worked),
            ..Clock::default()
        };
        Self {
            retry,
            clock,
            ..Self::default()
        }
    }

    fn answer(&mut self, name: &str) -> Option<RawJson> {
        let answer = self.retry.answers.get(name)?.clone();
        self.used.push(name.to_owned());
        Some(answer)
    }
}

/// A guard that changes the state when it is dropped.
pub(super) struct OnDrop<'a, F: FnMut(&mut Round)> {
    input: &'a InputState,
    change: F,
}

impl<F: FnMut(&mut Round)> Drop for OnDrop<'_, F> {
    fn drop(&mut self) {
        (self.change)(&mut self.input.lock());
        self.input.asked.notify_one();
    }
}

/// Returns the name of a question without a key: a hash that is the same when the handler runs
/// again, possibly on another machine.
pub(super) fn name(request: &InputRequest) -> String {
    let kind = match request {
        InputRequest::Elicit(_) => "elicit",
        InputRequest::CreateMessage(_) => "sample",
        _ => "roots",
    };
    let hash = fnv(RawJson::encode(request).get().as_bytes());
    format!("{kind}-{hash:016x}")
}

/// The 64-bit FNV-1a hash. It need not resist attacks, since all questions are the server's own.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Measures how long a handler with a time limit has worked in all rounds.
#[derive(Debug, Default)]
struct Clock {
    used: Duration,
    /// The start of the current period of work; `None` before the first, and while the client is
    /// asked.
    since: Option<Instant>,
    /// The number of questions that the client has not answered yet.
    questions: usize,
}

impl Clock {
    fn start(&mut self) {
        self.used = self.used();
        self.since = Some(Instant::now());
    }

    fn stop(&mut self) {
        self.used = self.used();
        self.since = None;
    }

    fn used(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.used + running.unwrap_or_default()
    }

    /// Returns the rest of `limit`, or `None` if it is used up and no question is open.
    fn left(&self, limit: Duration) -> Option<Duration> {
        let left = limit.saturating_sub(self.used());
        match self.questions {
            0 => Some(left).filter(|left| !left.is_zero()),
            _ => Some(left.max(Duration::from_millis(1))),
        }
    }

    fn pause(&mut self) {
        self.questions += 1;
        self.stop();
    }

    fn resume(&mut self) {
        self.questions -= 1;
        if self.questions == 0 {
            self.start();
        }
    }
}

/// The state of a call that is kept from its earlier rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RetryState {
    #[serde(rename = "r")]
    pub(super) rounds: u32,
    /// The answers that the handler used, by the names of the questions.
    #[serde(rename = "a", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) answers: OrderedMap<RawJson>,
    /// The values of [`Context::once`](crate::Context::once), by their keys.
    #[serde(rename = "o", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) done: OrderedMap<RawJson>,
    /// The note of the run that asked.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// How long the handler has worked, in milliseconds, if it has a time limit.
    #[serde(rename = "t", skip_serializing_if = "is_zero")]
    pub(super) worked: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Identifies the call that a state belongs to. Another call can't use the state.
#[derive(Clone, Debug)]
pub(super) struct Binding(String);

impl Binding {
    /// Binds to a call of `method` on `target` with `arguments` by `principal`.
    ///
    /// Arguments are compared as JSON values, so the order of members does not matter. Numbers are
    /// compared by their text, since no Rust type holds all JSON numbers.
    ///
    /// # Errors
    ///
    /// When the arguments can't be read; the error has the path.
    pub(super) fn new(
        method: &str,
        target: &str,
        arguments: Option<RawJsonRef<'_>>,
        principal: Option<&str>,
    ) -> Result<Self, RequestError> {
        let arguments = arguments.map(|raw| StrictJson::read(raw.get(), "params.arguments"));
        let arguments = arguments.transpose()?;
        let parts = (method, target, arguments, principal);
        Ok(Self(RawJson::encode(&parts).get().to_owned()))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// The reason why a state is not accepted. Clients can't tell the cases of `Foreign` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StateError {
    /// The state was changed, belongs to another call or caller, or was never issued here.
    #[error("not issued by this server for this call")]
    Foreign,
    #[error("expired")]
    Expired,
}

/// Returns the seconds since 1970. This uses the system clock because other processes must agree on
/// the time.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
