//! A `tracing` layer that sends events to the clients whose requests they belong to.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use mcp_types::LoggingLevel;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::Id;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context as Scope;
use tracing_subscriber::registry::LookupSpan;

use super::Context;
use crate::sync::lock;

/// Returns a `tracing` layer that sends the events of `target` as log messages to the client whose
/// request is being served.
///
/// `target` is a crate or module; events of its submodules are sent as well. The client gets an
/// event under the conditions of [`Context::log`], with the target of the event as the name of the
/// logger. An event that has only a message is sent as a string, any other event as an object with
/// its fields. Events outside of a request are not sent.
///
/// ```
/// use mcp_runtime::server::client_logs;
/// use tracing_subscriber::layer::SubscriberExt as _;
///
/// let subscriber = tracing_subscriber::registry().with(client_logs("my_server"));
/// # drop(subscriber);
/// ```
#[deprecated(
    note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
            log to standard error, or use OpenTelemetry"
)]
pub fn client_logs<S>(target: impl Into<String>) -> impl Layer<S> + Send + Sync + 'static
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    IN_USE.store(true, Ordering::Relaxed);
    let target = target.into();
    ClientLogs::default().with_filter(filter_fn(move |metadata| {
        (metadata.is_span() && is_request(metadata))
            || (metadata.is_event() && is_within(metadata.target(), &target))
    }))
}

/// True once a layer exists; until then, requests skip the lookup.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The contexts of the requests being served, by the ids of their spans.
#[derive(Default)]
struct ClientLogs {
    requests: Mutex<HashMap<u64, Context>>,
}

/// Registers `cx` as the context of the current span.
pub(in crate::server) fn attach(cx: &Context) {
    if !IN_USE.load(Ordering::Relaxed) {
        return;
    }
    tracing::Span::current().with_subscriber(|(id, dispatch)| {
        if let Some(logs) = dispatch.downcast_ref::<ClientLogs>() {
            logs.lock().insert(id.into_u64(), cx.clone());
        }
    });
}

fn is_request(metadata: &Metadata<'_>) -> bool {
    metadata.name() == "request" && metadata.target() == "mcp_runtime::server::dispatch::trace"
}

/// Returns true if `target` is `whole`, or a module in it.
fn is_within(target: &str, whole: &str) -> bool {
    let rest = target.strip_prefix(whole);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

impl ClientLogs {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Context>> {
        lock(&self.requests)
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for ClientLogs {
    fn on_event(&self, event: &Event<'_>, scope: Scope<'_, S>) {
        let mut spans = scope.event_scope(event).into_iter().flatten();
        let request = spans.find_map(|span| self.lock().get(&span.id().into_u64()).cloned());
        let Some(cx) = request else { return };
        let metadata = event.metadata();
        let level = level(*metadata.level());
        if cx.sends_log(&level) {
            let mut fields = Fields::default();
            event.record(&mut fields);
            cx.log_as(Some(metadata.target()), level, &fields.into_data());
        }
    }

    fn on_close(&self, id: Id, _: Scope<'_, S>) {
        let closed = self.lock().remove(&id.into_u64());
        // Dropping a context may run code of the server, so release the lock first.
        drop(closed);
    }
}

fn level(level: Level) -> LoggingLevel {
    match level {
        Level::ERROR => LoggingLevel::Error,
        Level::WARN => LoggingLevel::Warning,
        Level::INFO => LoggingLevel::Info,
        _ => LoggingLevel::Debug,
    }
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn into_data(mut self) -> Value {
        match (self.0.len(), self.0.remove("message")) {
            (1, Some(message)) => message,
            (_, Some(message)) => {
                self.0.insert("message".to_owned(), message);
                Value::Object(self.0)
            }
            (_, None) => Value::Object(self.0),
        }
    }

    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }
}
