//! What a request wants to be told while it is served, and the end of that.

use std::sync::Arc;

use mcp_types::{LoggingLevel, RequestMetaRef};

use super::logging::Severity;
use super::progress::Reporter;
use super::{Answer, Context};
use crate::connection::Served;

/// What the `_meta` of a request asks for, looked up when a handler first has something to tell.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    pub(super) progress: Option<Arc<Reporter>>,
    pub(super) log_level: Option<Severity>,
}

impl Wishes {
    pub(super) fn of(cx: &Context) -> Self {
        // The protocol has refused requests of which any of this can't be read.
        let meta = cx.meta().map(mcp_types::RawJson::parse);
        let Some(Ok(RequestMetaRef {
            progress_token,
            log_level,
            ..
        })) = meta
        else {
            return Self::default();
        };
        let token = progress_token.and_then(|token| token.parse().ok());
        let level = log_level.and_then(|level| level.parse::<LoggingLevel>().ok());
        Self {
            progress: token.map(|token| {
                let reporter = Reporter::new(token, cx.revision(), cx.peer().clone());
                Arc::new(reporter)
            }),
            log_level: level.as_ref().and_then(Severity::of),
        }
    }
}

/// Brings what a handler tells of its call to an end with it: what it said last goes before the
/// answer, and nothing after. `serve` makes the answer.
///
/// A handler that kept nothing of its context has said everything already.
pub(super) fn follow(cx: Context, serve: impl FnOnce(Context) -> Served<Answer>) -> Served<Answer> {
    if !cx.is_shared() {
        if let Some(reporter) = cx.reporter_in_use() {
            reporter.finish();
        }
        return serve(cx);
    }
    let told = Told(cx.clone());
    match serve(cx) {
        Served::Later(future) => Served::Later(Box::pin(async move {
            let outcome = future.await;
            told.finish();
            outcome
        })),
        served => {
            told.finish();
            served
        }
    }
}

/// Keeps what a handler has to tell from outliving its call.
struct Told(Context);

impl Told {
    fn finish(self) {
        if let Some(reporter) = self.0.reporter_in_use() {
            reporter.finish();
        }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Some(reporter) = self.0.reporter_in_use() {
            reporter.close();
        }
    }
}
