//! Tools whose calls may become tasks.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::Context;
use mcp_runtime::layer::{
    BoxError, InvalidResponse, McpRequest, McpResponse, Next, TooManyRequests,
};
use mcp_runtime::server::{Detachable, DetachedCall, ToolExtension};
use mcp_runtime::types::{CallToolResult, ContentBlock, RawJson, Tool};
use serde::Serialize;
use tower_service::Service as _;

use super::Tasks;
use super::defer::{CallState, check_declared};
use super::process::random_id;
use super::records::{milliseconds, unavailable};
use super::running::{Outcome, RunningTask};
use crate::tasks::limits::{POLL_INTERVAL, TTL};
use crate::tasks::store::{SavedCall, TaskRecord};
use crate::tasks::types::{ID, RESULT_TYPE, TASK_SUPPORT, TaskStatus, is_offered};

/// When calls of a tool become tasks, for `#[tool(with(…))]`.
///
/// Only calls of clients that declare the extension become tasks, in 2026-07-28. All other calls
/// stay plain calls. The server needs the extension [`Tasks`].
///
/// # Panics
///
/// Functions with a duration panic if it can't be parsed, which keeps the server from starting.
#[derive(Clone, Debug)]
pub struct Task {
    moment: Moment,
    is_required: bool,
    restarts: bool,
    ttl: Option<Duration>,
    poll_interval: Option<Duration>,
}

/// When a call becomes a task.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Start,
    After(Duration),
    Deferred,
}

/// A length of time: a [`Duration`], or a string such as `"250ms"`, `"90s"` or `"24h"`.
pub trait TaskDuration {
    /// Converts the value into a [`Duration`].
    ///
    /// # Panics
    ///
    /// Panics if the string is not a duration.
    #[track_caller]
    fn duration(self) -> Duration;
}

impl TaskDuration for Duration {
    fn duration(self) -> Duration {
        self
    }
}

impl TaskDuration for &str {
    #[track_caller]
    fn duration(self) -> Duration {
        match humantime::parse_duration(self) {
            Ok(duration) => duration,
            Err(error) => {
                panic!("{self:?} is not a duration, such as \"250ms\" or \"24h\": {error}")
            }
        }
    }
}

impl Task {
    const fn at(moment: Moment) -> Self {
        Self {
            moment,
            is_required: false,
            restarts: false,
            ttl: Some(TTL),
            poll_interval: Some(POLL_INTERVAL),
        }
    }

    /// Calls become tasks before their function is entered, after the arguments were checked and
    /// the questions in parameters were answered.
    #[must_use]
    pub const fn now() -> Self {
        Self::at(Moment::Start)
    }

    /// Like [`now`](Self::now), but calls of other clients fail: with -32021 in 2026-07-28, and
    /// with `isError` in earlier revisions. Calls beyond the [limits](crate::tasks::TaskLimits)
    /// also fail.
    #[must_use]
    pub const fn required() -> Self {
        let mut task = Self::now();
        task.is_required = true;
        task
    }

    /// Calls become tasks if their function runs for longer than `time`. Faster calls stay plain
    /// calls. The function can [`defer`](super::Defer::defer) the call earlier.
    #[must_use]
    #[track_caller]
    pub fn after(time: impl TaskDuration) -> Self {
        Self::at(Moment::After(time.duration()))
    }

    /// Calls become tasks when their function [defers](super::Defer::defer) them.
    #[must_use]
    pub const fn deferred() -> Self {
        Self::at(Moment::Deferred)
    }

    /// Sets the time to live of a task, counted from its creation. The default is an hour.
    ///
    /// After this time, a finished task is deleted, and an unfinished task fails. The time is never
    /// shorter, but may be longer: by a few seconds in a store that processes share, and by the
    /// time during which no process was running.
    #[must_use]
    #[track_caller]
    pub fn ttl(mut self, time: impl TaskDuration) -> Self {
        let time = time.duration();
        assert!(
            milliseconds(time) > 0,
            "the time to live must be 1 ms or more"
        );
        self.ttl = Some(time);
        self
    }

    /// Keeps tasks forever.
    #[must_use]
    pub const fn without_ttl(mut self) -> Self {
        self.ttl = None;
        self
    }

    /// Sets the time that clients are asked to wait between two requests for the status. The
    /// default is a second.
    #[must_use]
    #[track_caller]
    pub fn poll_interval(mut self, time: impl TaskDuration) -> Self {
        let time = time.duration();
        assert!(milliseconds(time) > 0, "the interval must be 1 ms or more");
        self.poll_interval = Some(time);
        self
    }

    /// Runs the function again, in another process, if this process stops while it works on a task.
    ///
    /// The function runs from its beginning, with the same arguments. Answered questions are not
    /// asked again, and [`Context::once`] returns the stored values. Without this setting, such a
    /// task fails.
    ///
    /// The store has to outlive the process.
    #[must_use]
    pub const fn restart(mut self) -> Self {
        self.restarts = true;
        self
    }

    pub(super) fn record(&self, tasks: &Tasks, cx: &Context) -> TaskRecord {
        let now = tasks.0.records.now();
        TaskRecord {
            id: random_id(),
            principal: cx.principal().map(str::to_owned),
            scopes: cx.needed_scopes(),
            created: now,
            updated: now,
            ttl: self.ttl.map(milliseconds),
            poll_interval: self.poll_interval.map(milliseconds),
            ..TaskRecord::default()
        }
    }

    /// The call, if it may run again.
    fn saved(&self, request: &McpRequest, cx: &Context) -> Option<Box<SavedCall>> {
        let params = request.params().filter(|_| self.restarts)?.as_raw();
        let arguments = params.member("arguments");
        Some(Box::new(SavedCall {
            tool: cx.tool()?.to_owned(),
            arguments: arguments.map_or_else(RawJson::empty_object, RawJson::from),
            revision: cx.revision(),
            capabilities: cx.client_capabilities().clone(),
            client: cx.client_info().cloned(),
        }))
    }

    async fn moment(&self, call: &mut Detachable, state: &CallState) {
        match self.moment {
            Moment::Start => call.entered().await,
            Moment::Deferred => state.deferred().await,
            Moment::After(time) => {
                let takes_long = async {
                    call.entered().await;
                    tokio::time::sleep(time).await;
                };
                tokio::select! {
                    () = takes_long => {}
                    () = state.deferred() => {}
                }
            }
        }
        if state.created().is_some() {
            // The call is already a task, whose work is done elsewhere.
            std::future::pending::<()>().await;
        }
    }

    async fn serve(
        self: Arc<Self>,
        mut request: McpRequest,
        cx: Context,
        mut next: Next,
    ) -> Outcome {
        let Some(tasks) = cx.extension::<Tasks>().cloned() else {
            return next.run(request).await;
        };
        let mut record = self.record(&tasks, &cx);
        record.call = self.saved(&request, &cx);
        let state = CallState::new(Arc::clone(&self));
        request.insert(state.clone());
        let keeps_request = !matches!(self.moment, Moment::Start);
        let Some(mut call) = request.detachable(keeps_request) else {
            return next.run(request).await;
        };
        poll_fn(|cx| next.poll_ready(cx)).await?;
        let mut work = next.call(request);
        tokio::select! {
            biased;
            outcome = &mut work => {
                let answered = outcome?;
                return match state.created() {
                    Some(status) => Ok(created(status)?),
                    None => Ok(answered),
                };
            }
            () = self.moment(&mut call, &state) => {}
        }
        record.runner = Some(Arc::clone(&tasks.0.process.runner));
        if record.call.is_some() {
            record.inputs = Some(Box::new(call.inputs().into()));
        }
        match tasks
            .insert_for_call(record.clone())
            .await
            .map_err(unavailable)
        {
            Ok(Some(new)) => new.keep(),
            Ok(None) if self.is_required => {
                return Err(TooManyRequests::retry_after(POLL_INTERVAL).into());
            }
            Err(error) if self.is_required => return Err(error.into()),
            Ok(None) | Err(_) => {
                state.decide();
                return work.await;
            }
        }
        let status = record.status();
        let task = RunningTask::new(tasks, &record);
        let detached = call.detach(Arc::clone(&task) as Arc<dyn DetachedCall>);
        state.decide();
        tokio::spawn(task.run(work, Some(detached)));
        Ok(created(&status)?)
    }
}

fn created(status: &TaskStatus) -> Result<McpResponse, InvalidResponse> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct CreateTaskResult<'a> {
        result_type: &'static str,
        #[serde(flatten)]
        status: &'a TaskStatus,
    }

    McpResponse::of(&CreateTaskResult {
        result_type: RESULT_TYPE,
        status,
    })
}

impl ToolExtension for Task {
    fn needs(&self) -> Option<&'static str> {
        Some(ID)
    }

    fn describe(&self, tool: &mut Tool) {
        let support = if self.is_required {
            "required"
        } else {
            "optional"
        };
        let meta = tool.meta.get_or_insert_default();
        meta.insert(TASK_SUPPORT.to_owned(), support.into());
    }

    fn call(
        self: Arc<Self>,
        request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(async move {
            let cx = request.context().cloned();
            // A detached call is a task that runs again.
            let Some(cx) = cx.filter(|cx| !cx.is_detached()) else {
                return next.run(request).await;
            };
            let is_stateless = is_offered(cx.revision());
            match check_declared(&cx) {
                Ok(()) if is_stateless => self.serve(request, cx, next).await,
                _ if !self.is_required => next.run(request).await,
                Err(error) if is_stateless => Err(error.into()),
                _ => Ok(McpResponse::of(&no_tasks())?),
            }
        })
    }
}

/// The answer of a tool whose calls have to be tasks, in revisions without the extension.
fn no_tasks() -> CallToolResult {
    let reason = "this tool takes long: its calls have to be tasks of the extension \
        io.modelcontextprotocol/tasks, which needs the revision 2026-07-28 of the protocol";
    let mut result = CallToolResult::new([ContentBlock::text(reason)]);
    result.is_error = Some(true);
    result
}
