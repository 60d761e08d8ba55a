//! Warnings and errors of this crate, in programs without a subscriber of `tracing`: debug builds
//! write them to standard error. No part of the public interface: it changes without notice.

use std::fmt::{Debug, Write as _};
use std::io::{self, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fmt};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber, dispatcher};

/// The environment variable that silences them, if it is `off`.
const VARIABLE: &str = "MCP_LOG";

/// True in a program that tells a person by itself what went wrong.
static SILENCED: AtomicBool = AtomicBool::new(false);

/// Writes to standard error; `None` if that is silenced.
static STDERR: LazyLock<Option<Dispatch>> = LazyLock::new(|| {
    let is_off = env::var_os(VARIABLE).is_some_and(|value| value == "off");
    (!is_off && !SILENCED.load(Ordering::Relaxed)).then(|| Dispatch::new(StderrLog))
});

/// Silences warnings and errors, as the variable does. For the start of a program.
pub fn silence() {
    SILENCED.store(true, Ordering::Relaxed);
}

/// `tracing::warn!`, which is seen without a subscriber as well.
#[macro_export]
#[doc(hidden)]
macro_rules! __warn {
    ($($part:tt)*) => { $crate::log::seen(|| ::tracing::warn!($($part)*)) };
}

/// `tracing::error!`, which is seen without a subscriber as well.
#[macro_export]
#[doc(hidden)]
macro_rules! __error {
    ($($part:tt)*) => { $crate::log::seen(|| ::tracing::error!($($part)*)) };
}

pub use {__error as error, __warn as warn};

/// Runs `event`, which logs something.
pub fn seen(event: impl FnOnce()) {
    let is_unseen = || dispatcher::get_default(Dispatch::is::<NoSubscriber>);
    match &*STDERR {
        Some(stderr) if cfg!(debug_assertions) && is_unseen() => {
            dispatcher::with_default(stderr, event);
        }
        _ => event(),
    }
}

/// Lets something be logged once. Unlike that of `std`, it may be used while a log is written.
#[derive(Debug, Default)]
pub struct Once(AtomicBool);

impl Once {
    /// Returns true the first time.
    pub fn is_first(&self) -> bool {
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
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
        // If it can't be written, nobody reads it.
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

/// The text of one event.
struct Line {
    message: String,
    /// Each with a blank before it.
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // A `String` takes any text.
        let _: fmt::Result = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
