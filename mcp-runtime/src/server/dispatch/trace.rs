//! The tracing spans and log events of requests.

use std::time::Instant;

use mcp_types::{ErrorObject, RequestId};
use tracing::{Instrument, Span, field};

use crate::TraceContext;
use crate::connection::{BoxFuture, Served};
use crate::protocol::{Negotiated, RequestParams};

/// The debug span of a request, and the event that logs its end.
pub(in crate::server) struct Trace {
    span: Span,
    ending: Option<Ending>,
}

impl Trace {
    pub(in crate::server) fn begin(id: &RequestId, method: &str) -> Self {
        let span = tracing::debug_span!(
            "request",
            %id,
            method,
            name = field::Empty,
            revision = field::Empty,
            client = field::Empty,
            otel.kind = "server",
            trace_id = field::Empty,
            traceparent = field::Empty,
            tracestate = field::Empty,
            baggage = field::Empty,
        );
        let ending = (!span.is_disabled()).then(|| Ending {
            begun: Instant::now(),
            outcome: "cancelled",
        });
        Self { span, ending }
    }

    pub(in crate::server) fn in_scope<T>(&self, serve: impl FnOnce() -> T) -> T {
        self.span.in_scope(serve)
    }

    /// Records what is known after the request was admitted: the revision, the client, the tool,
    /// prompt or URI, and the caller's trace context.
    pub(in crate::server) fn admitted(&self, negotiated: &Negotiated, params: &RequestParams<'_>) {
        if self.ending.is_none() {
            return;
        }
        self.span.record("revision", negotiated.revision.as_str());
        if let Some(client) = &negotiated.peer_info {
            self.span.record("client", &*client.name);
        }
        if let Ok(Some(name)) = params.target() {
            self.span.record("name", &*name);
        }
        if let Some(trace) = params.shared.meta.and_then(TraceContext::of_meta) {
            self.span.record("trace_id", trace.trace_id());
            self.span.record("traceparent", trace.traceparent());
            self.span.record("tracestate", trace.tracestate());
            self.span.record("baggage", trace.baggage());
        }
    }

    /// Logs the end of the request and its duration, if the span is enabled.
    pub(in crate::server) fn end<A: Send + 'static>(self, served: Served<A>) -> Served<A> {
        let Some(mut ending) = self.ending else {
            return served;
        };
        match served {
            Served::Now(result) => {
                ending.note(&result);
                self.span.in_scope(|| drop(ending));
                Served::Now(result)
            }
            Served::Later(future) => Served::Later(watched(self.span, ending, future)),
            Served::Open(future) => Served::Open(watched(self.span, ending, future)),
        }
    }
}

fn watched<A: Send + 'static>(
    span: Span,
    mut ending: Ending,
    future: BoxFuture<Result<A, ErrorObject>>,
) -> BoxFuture<Result<A, ErrorObject>> {
    let watched = async move {
        let result = future.await;
        ending.note(&result);
        result
    };
    Box::pin(watched.instrument(span))
}

/// Logs the end of a request when it is dropped, so that cancelled requests are logged as well.
struct Ending {
    begun: Instant,
    outcome: &'static str,
}

impl Ending {
    fn note<A>(&mut self, result: &Result<A, ErrorObject>) {
        self.outcome = match result {
            Ok(_) => "answered",
            Err(_) => "failed",
        };
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let elapsed_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(outcome = self.outcome, elapsed_us, "request ended");
    }
}
