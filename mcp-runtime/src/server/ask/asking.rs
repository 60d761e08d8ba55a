//! What one call has asked so far, and what it was answered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as Task, Poll, Waker};
use std::time::Duration;

use mcp_types::{InputRequest, OrderedMap, RawJson};
use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::question::Question;
use super::{AskError, InputRequired};

/// What a call knows from its earlier rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    /// How many rounds there were.
    #[serde(rename = "r")]
    pub(super) rounds: u32,
    /// What the client answered, by the names of the questions.
    #[serde(rename = "a", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) answers: OrderedMap<RawJson>,
    /// What was done once and for all.
    #[serde(rename = "o", skip_serializing_if = "OrderedMap::is_empty")]
    pub(super) done: OrderedMap<RawJson>,
    /// What a handler that asks by hand wants to know again.
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

/// The questions of one call. Exists only for calls that may ask.
#[derive(Debug)]
pub(in crate::server) struct Asking {
    /// How long a person may take to answer.
    pub(super) patience: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    memory: Memory,
    /// What the client has answered to the last round. Of answers to one question the last counts.
    responses: Vec<(String, RawJson)>,
    /// The answers that this run made use of.
    used: Vec<String>,
    /// How often each name was used for a question in this run.
    names: OrderedMap<u32>,
    /// What is to be asked in the next round.
    questions: OrderedMap<InputRequest>,
    /// What the handler asks by hand.
    required: Option<InputRequired>,
    /// How long the handler has worked.
    clock: Clock,
    /// Side effects at work, which must not be interrupted.
    busy: usize,
    /// Whether this run is over, and nothing more can be asked.
    ended: bool,
    waiting: Vec<Waker>,
    runner: Option<Waker>,
}

impl Asking {
    /// The questions of a call that knows `memory`.
    pub(super) fn new(patience: Duration, memory: Memory) -> Self {
        Self::answered_by(patience, memory, Vec::new())
    }

    /// The same, if the client has just answered `responses`.
    pub(super) fn answered_by(
        patience: Duration,
        memory: Memory,
        responses: Vec<(String, RawJson)>,
    ) -> Self {
        Self {
            patience,
            state: Mutex::new(State {
                clock: Clock::after(Duration::from_millis(memory.worked)),
                memory,
                responses,
                ..State::default()
            }),
        }
    }

    /// The name of a question of this run: one that is asked twice gets a number.
    pub(super) fn name(&self, question: &Question) -> String {
        let name = question.name();
        let mut state = self.lock();
        let times = state.names.get(&name).map_or(1, |times| times + 1);
        state.names.insert(name.clone(), times);
        match times {
            1 => name,
            times => format!("{name}-{times}"),
        }
    }

    /// The answer to the question `name`; else the question waits for the next round.
    pub(super) fn poll_answer(
        &self,
        name: &str,
        request: &InputRequest,
        task: &mut Task<'_>,
    ) -> Poll<Result<RawJson, AskError>> {
        let mut state = self.lock();
        if let Some(answer) = state.answer(name) {
            return Poll::Ready(Ok(answer));
        }
        if state.ended {
            return Poll::Ready(Err(AskError::Suspended));
        }
        state.questions.insert(name.to_owned(), request.clone());
        if !state
            .waiting
            .iter()
            .any(|known| known.will_wake(task.waker()))
        {
            state.waiting.push(task.waker().clone());
        }
        state.wake_runner();
        Poll::Pending
    }

    /// The question `name` is not asked any more.
    pub(super) fn withdraw(&self, name: &str) {
        self.lock().questions.shift_remove(name);
    }

    /// What the client answered to `name`, for handlers that ask by hand.
    pub(super) fn answer(&self, name: &str) -> Option<RawJson> {
        self.lock().answer(name)
    }

    /// The names of all questions that are answered, in order.
    pub(super) fn answered(&self) -> Vec<String> {
        let state = self.lock();
        let mut names: Vec<_> = state.memory.answers.keys().cloned().collect();
        names.extend(state.responses.iter().map(|(name, _)| name.clone()));
        drop(state);
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn note(&self) -> Option<String> {
        self.lock().memory.note.clone()
    }

    pub(super) fn require(&self, required: InputRequired) {
        self.lock().required = Some(required);
    }

    pub(super) fn is_required(&self) -> bool {
        self.lock().required.is_some()
    }

    pub(super) fn take_required(&self) -> Option<InputRequired> {
        self.lock().required.take()
    }

    pub(super) fn done(&self, key: &str) -> Option<RawJson> {
        self.lock().memory.done.get(key).cloned()
    }

    pub(super) fn set_done(&self, key: String, value: RawJson) {
        self.lock().memory.done.insert(key, value);
    }

    /// A side effect begins, and is not interrupted until the guard is dropped.
    pub(super) fn busy(self: &Arc<Self>) -> Busy {
        self.lock().busy += 1;
        Busy(Arc::clone(self))
    }

    /// Whoever runs the handler wants to know of questions that other tasks ask.
    pub(super) fn watch(&self, task: &mut Task<'_>) {
        let mut state = self.lock();
        let known = state.runner.as_ref();
        if known.is_none_or(|runner| !runner.will_wake(task.waker())) {
            state.runner = Some(task.waker().clone());
        }
    }

    /// Takes the questions of this round, if the handler waits for answers.
    pub(super) fn take_questions(&self) -> Option<OrderedMap<InputRequest>> {
        let mut state = self.lock();
        if state.questions.is_empty() || state.busy > 0 {
            return None;
        }
        Some(std::mem::take(&mut state.questions))
    }

    /// This run is over; those who still wait for an answer learn so.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// What the next round has to know: the answers that were of use, and what was done.
    pub(super) fn memory(&self) -> Memory {
        let state = self.lock();
        let mut memory = state.memory.clone();
        let worked = state.clock.used().as_millis();
        memory.worked = u64::try_from(worked).unwrap_or(u64::MAX);
        memory.answers = OrderedMap::new();
        for name in &state.used {
            if let Some(answer) = state.find(name) {
                memory.answers.insert(name.clone(), answer.clone());
            }
        }
        memory
    }

    /// The time limit of the call begins to run.
    pub(super) fn start_clock(&self) {
        self.with_clock(Clock::start);
    }

    /// What is left of `limit`; `None` when it is reached.
    pub(super) fn time_left(&self, limit: Duration) -> Option<Duration> {
        self.with_clock(|clock| clock.left(limit))
    }

    pub(super) fn with_clock<T>(&self, look: impl FnOnce(&mut Clock) -> T) -> T {
        look(&mut self.lock().clock)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&self, name: &str) -> Option<&RawJson> {
        let mut responses = self.responses.iter().rev();
        let fresh = responses.find(|(known, _)| known == name);
        fresh.map_or_else(|| self.memory.answers.get(name), |(_, answer)| Some(answer))
    }

    /// The answer to the question `name`, which is of use.
    fn answer(&mut self, name: &str) -> Option<RawJson> {
        let answer = self.find(name)?.clone();
        self.used.push(name.to_owned());
        Some(answer)
    }

    fn wake_runner(&self) {
        if let Some(runner) = &self.runner {
            runner.wake_by_ref();
        }
    }
}

/// A side effect at work.
pub(super) struct Busy(Arc<Asking>);

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.busy -= 1;
        state.wake_runner();
    }
}
