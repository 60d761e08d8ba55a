//! Makes warnings and errors of this crate visible. If a program has no `tracing` subscriber, debug
//! builds write them to standard error. This module is not part of the public API, and changes
//! without notice.

use std::fmt::{Debug, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;
use std::{env, fmt};

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber, dispatcher};

use crate::sync::lock;

/// The environment variable that silences warnings and errors, if it is `off`.
const VARIABLE: &str = "MCP_LOG";

/// True in a program that reports problems to its user in another way.
static SILENCED: AtomicBool = AtomicBool::new(false);

/// Writes to standard error; `None` if warnings and errors are silenced.
static STDERR: LazyLock<Option<Dispatch>> = LazyLock::new(|| {
    let is_off = env::var_os(VARIABLE).is_some_and(|value| value == "off");
    (!is_off && !SILENCED.load(Ordering::Relaxed)).then(|| Dispatch::new(StderrLog))
});

/// Silences warnings and errors, like the variable. Call this at the start of a program.
pub fn silence() {
    SILENCED.store(true, Ordering::Relaxed);
}

/// Like `tracing::warn!`, but also visible without a subscriber.
#[macro_export]
#[doc(hidden)]
macro_rules! __warn {
    ($($part:tt)*) => { $crate::log::seen(|| ::tracing::warn!($($part)*)) };
}

/// Like `tracing::error!`, but also visible without a subscriber.
#[macro_export]
#[doc(hidden)]
macro_rules! __error {
    ($($part:tt)*) => { $crate::log::seen(|| ::tracing::error!($($part)*)) };
}

pub use {__error as error, __warn as warn};

/// Runs `event`, which logs something, with a subscriber that writes to standard error if there is
/// no other one.
pub fn seen(event: impl FnOnce()) {
    let is_unseen = || dispatcher::get_default(Dispatch::is::<NoSubscriber>);
    match &*STDERR {
        Some(stderr) if cfg!(debug_assertions) && is_unseen() => {
            dispatcher::with_default(stderr, event);
        }
        _ => event(),
    }
}

/// A flag to log something only once. Unlike `std::sync::Once`, it never blocks, so a subscriber
/// may use it.
#[derive(Debug, Default)]
pub struct Once(AtomicBool);

impl Once {
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Returns true the first time.
    pub fn is_first(&self) -> bool {
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
    }
}

/// The time of the last warning about something that lasts, to log it once a minute.
#[derive(Debug, Default)]
pub struct OnceAMinute(Mutex<Option<Instant>>);

impl OnceAMinute {
    /// Returns true for the first time in a minute.
    pub fn is_first(&self) -> bool {
        let mut last = lock(&self.0);
        let is_first = last.is_none_or(|last| last.elapsed() >= Duration::from_secs(60));
        if is_first {
            *last = Some(Instant::now());
        }
        is_first
    }
}

/// A subscriber that writes each event as a line to standard error.
struct StderrLog;

impl Subscriber for StderrLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line {
            message: String::new(),
            fields: String::new(),
        };
        event.record(&mut line);
        let metadata = event.metadata();
        let level = metadata.level();
        let target = metadata.target();
        let target = target.split(':').next().unwrap_or(target);
        let Line { message, fields } = line;
        // There is no other place to report that standard error can't be written.
        let _ = writeln!(io::stderr(), "{level} {target}: {message}{fields}");
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line {
    message: String,
    /// The fields, each with a preceding space.
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a `String` never fails.
        let _: fmt::Result = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
