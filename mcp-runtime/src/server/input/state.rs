//! State of a call that may ask the client: its questions, the answers, and its time limit.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_types::{Conform, InputRequest, OrderedMap, RawJson, Revision};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::AskError;
use super::ask::Question;
use super::retry_state::RetryState;
use crate::error::RequestError;
use crate::server::Context;

/// Questions that a call is answered with.
#[derive(Debug)]
pub(super) struct Questions {
    pub(super) requests: OrderedMap<InputRequest>,
    /// A text for the next round, see [`InputRequired::note`](super::InputRequired::note).
    pub(super) note: Option<String>,
    /// Whether clients of the handshake era get an error with the web pages, instead of requests.
    pub(super) by_error: bool,
}

/// State of a call that may ask the client.
#[derive(Debug, Default)]
pub(in crate::server) struct InputState {
    state: Mutex<State>,
    /// Notified when there may be questions to take.
    asked: Notify,
    /// Notified when the round ends.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    retry: RetryState,
    /// The answers to the last round. Of several to one question the last counts.
    responses: Vec<(String, RawJson)>,
    /// The names of the answers used in this round.
    used: Vec<String>,
    /// The number of questions of each name in this round.
    names: OrderedMap<u32>,
    /// The questions of the next round.
    questions: OrderedMap<InputRequest>,
    /// The questions that the handler asks by hand.
    required: Option<Result<Questions, RequestError>>,
    clock: Clock,
    /// The number of side effects in progress, which must not be interrupted.
    busy: usize,
    ended: bool,
}

impl InputState {
    /// The state of a call that is retried.
    pub(super) fn retried(retry: RetryState, responses: Vec<(String, RawJson)>) -> Self {
        let clock = Clock {
            used: Duration::from_millis(retry.worked),
            ..Clock::default()
        };
        let state = State {
            retry,
            responses,
            clock,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            ..Self::default()
        }
    }

    /// The answer of the client in an earlier round; without one the question is left for the next
    /// round, and this waits until the call is suspended.
    pub(super) async fn answer_to(
        &self,
        mut question: Question,
        revision: Revision,
    ) -> Result<RawJson, AskError> {
        question.request.conform(revision);
        let name = self.unique_name(&question);
        let ended = self.ended.notified();
        {
            let mut state = self.lock();
            if let Some(answer) = state.answer(&name) {
                return Ok(answer);
            }
            if state.ended {
                return Err(AskError::Suspended);
            }
            state.questions.insert(name.clone(), question.request);
        }
        self.asked.notify_one();
        let _withdrawn = Withdraw { input: self, name };
        ended.await;
        Err(AskError::Suspended)
    }

    /// The name of a question; a number is added when it is asked again in the same round.
    fn unique_name(&self, question: &Question) -> String {
        let name = question.name();
        let mut state = self.lock();
        let times = state.names.entry(name.clone()).or_insert(0);
        *times += 1;
        match times {
            1 => name,
            times => format!("{name}-{times}"),
        }
    }

    /// The answer to a question that was asked by hand.
    pub(super) fn answer(&self, name: &str) -> Option<RawJson> {
        self.lock().answer(name)
    }

    /// The names of the answers, in order.
    pub(super) fn answered(&self) -> Vec<String> {
        let state = self.lock();
        let mut names: Vec<_> = state.retry.answers.keys().cloned().collect();
        names.extend(state.responses.iter().map(|(name, _)| name.clone()));
        drop(state);
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn note(&self) -> Option<String> {
        self.lock().retry.note.clone()
    }

    /// Ends the round with questions that are asked by hand.
    pub(super) fn require(&self, questions: Result<Questions, RequestError>) {
        self.lock().required = Some(questions);
        self.asked.notify_one();
    }

    pub(super) fn is_required(&self) -> bool {
        self.lock().required.is_some()
    }

    /// Waits until [`take_required`](Self::take_required) or [`take_asked`](Self::take_asked) may
    /// have questions.
    pub(super) async fn asked(&self) {
        self.asked.notified().await;
    }

    /// Takes the questions that are asked by hand.
    pub(super) fn take_required(&self) -> Option<Result<Questions, RequestError>> {
        self.lock().required.take()
    }

    /// Takes the questions that the handler waits for, unless a side effect is in progress.
    pub(super) fn take_asked(&self) -> Option<Questions> {
        let mut state = self.lock();
        if state.questions.is_empty() || state.busy > 0 {
            return None;
        }
        Some(Questions {
            requests: std::mem::take(&mut state.questions),
            note: state.retry.note.clone(),
            by_error: false,
        })
    }

    /// Ends the last round: questions that still wait fail.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.ended.notify_waiters();
    }

    /// The state for the next round: the answers that were used, and the values of `once`.
    pub(super) fn retry_state(&self, note: Option<String>) -> RetryState {
        let state = self.lock();
        let worked = state.clock.used().as_millis();
        let used = state.used.iter();
        let answers = used.filter_map(|name| Some((name.clone(), state.find(name)?.clone())));
        RetryState {
            rounds: state.retry.rounds + 1,
            answers: answers.collect(),
            done: state.retry.done.clone(),
            note,
            worked: u64::try_from(worked).unwrap_or(u64::MAX),
        }
    }

    /// Begins the next round, for a handler that runs again in the same call.
    pub(super) fn begin_round(&self, retry: RetryState) {
        let mut state = self.lock();
        let (mut clock, busy) = (std::mem::take(&mut state.clock), state.busy);
        clock.stop();
        *state = State {
            retry,
            clock,
            busy,
            ..State::default()
        };
    }

    /// Stops the clock of the time limit until the guard is dropped.
    pub(super) fn pause_clock(&self) -> Paused<'_> {
        self.lock().clock.pause();
        Paused(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&self, name: &str) -> Option<&RawJson> {
        let mut responses = self.responses.iter().rev();
        let newest = responses.find(|(known, _)| known == name);
        newest.map_or_else(|| self.retry.answers.get(name), |(_, answer)| Some(answer))
    }

    /// The answer to a question, which is marked as used.
    fn answer(&mut self, name: &str) -> Option<RawJson> {
        let answer = self.find(name)?.clone();
        self.used.push(name.to_owned());
        Some(answer)
    }
}

/// Withdraws a question whose future is dropped, such as the slower branch of a `select!`.
struct Withdraw<'a> {
    input: &'a InputState,
    name: String,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.input.lock().questions.shift_remove(&self.name);
    }
}

/// A side effect in progress.
struct Busy<'a>(&'a InputState);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.asked.notify_one();
    }
}

/// A question that is open at the client.
pub(super) struct Paused<'a>(&'a InputState);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.lock().clock.resume();
    }
}

/// The time that a handler with a time limit has worked, in all rounds.
#[derive(Debug, Default)]
struct Clock {
    used: Duration,
    /// Whether the handler has a time limit.
    started: bool,
    /// The start of the present period; `None` before the start, and while the client is asked.
    since: Option<Instant>,
    /// The number of questions open at the client.
    questions: usize,
}

impl Clock {
    fn start(&mut self) {
        self.used = self.used();
        self.started = true;
        self.since = Some(Instant::now());
    }

    fn stop(&mut self) {
        self.used = self.used();
        self.started = false;
        self.since = None;
    }

    fn used(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.used + running.unwrap_or_default()
    }

    /// The rest of `limit`; `None` when it is used up and no question is open.
    fn left(&self, limit: Duration) -> Option<Duration> {
        let left = limit.saturating_sub(self.used());
        match self.questions {
            0 => Some(left).filter(|left| !left.is_zero()),
            _ => Some(left.max(Duration::from_millis(1))),
        }
    }

    fn pause(&mut self) {
        self.questions += 1;
        self.used = self.used();
        self.since = None;
    }

    fn resume(&mut self) {
        self.questions -= 1;
        if self.questions == 0 && self.started {
            self.start();
        }
    }
}

impl Context {
    /// Runs `future` once, even if the handler runs several times because it asks: later runs get
    /// its first output. `key` tells it from others of the same handler.
    ///
    /// The output travels through the client, sealed. A client that repeats an old round makes it
    /// happen again: what must never happen twice needs a record of its own.
    ///
    /// # Errors
    ///
    /// [`AskError::Value`] when the value can't be written or read as JSON.
    pub async fn once<F>(&self, key: impl Into<String>, future: F) -> Result<F::Output, AskError>
    where
        F: Future<Output: Serialize + DeserializeOwned>,
    {
        // A call that can't be suspended runs once.
        let Some(input) = self.input() else {
            return Ok(future.await);
        };
        let key = key.into();
        let done = input.lock().retry.done.get(&key).cloned();
        if let Some(done) = done {
            return done.parse().map_err(AskError::Value);
        }
        input.lock().busy += 1;
        let busy = Busy(input);
        let value = future.await;
        let json = RawJson::new(&value).map_err(AskError::Value)?;
        input.lock().retry.done.insert(key, json);
        drop(busy);
        Ok(value)
    }

    /// Runs `future` for at most `limit`, which all rounds of the call share, without the time in
    /// which the client is asked. Returns `None` when the limit is reached.
    pub(in crate::server) async fn within<F: Future>(
        &self,
        limit: Duration,
        future: F,
    ) -> Option<F::Output> {
        let input = self.input_or_default();
        input.lock().clock.start();
        let mut future = pin!(future);
        let mut left = input.lock().clock.left(limit).unwrap_or_default();
        loop {
            if let Ok(output) = tokio::time::timeout(left, future.as_mut()).await {
                return Some(output);
            }
            left = input.lock().clock.left(limit)?;
        }
    }
}
