//! Log messages for clients (2025-11-25 and 2026-07-28, "Logging").

#[cfg(feature = "log-layer")]
mod layer;
#[cfg(not(feature = "log-layer"))]
#[path = "logging/no_layer.rs"]
mod layer;

use std::sync::atomic::{AtomicU8, Ordering};

use mcp_types::{
    Conform, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, RawJson,
};
use serde::Serialize;

use super::Context;
use crate::error::CallError;

pub(super) use layer::attach;
#[cfg(feature = "log-layer")]
pub use layer::client_logs;

/// All levels, from the least severe to the most.
pub(super) const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// The index of a level in [`LEVELS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Severity(pub(super) u8);

impl Severity {
    /// The severity of a level, if it is known.
    pub(super) fn of(level: &LoggingLevel) -> Option<Self> {
        let index = LEVELS.iter().position(|known| known == level)?;
        u8::try_from(index).ok().map(Self)
    }
}

/// The least severe messages that a client asked for; `info` by default.
#[derive(Debug)]
pub(super) struct Threshold(AtomicU8);

impl Threshold {
    pub(super) fn set(&self, least: Severity) {
        self.0.store(least.0, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Severity {
        Severity(self.0.load(Ordering::Relaxed))
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self(AtomicU8::new(1))
    }
}

impl Context {
    /// Sends a log message to the client: text, or anything else that has a JSON form.
    ///
    /// Only if the server [declares](crate::ServerBuilder::logging) logging, and the client asked
    /// for messages of this level: in revisions with a handshake by `logging/setLevel`, and from
    /// `info` upwards until then; in the others by the `_meta` of the request. Otherwise nothing is
    /// serialized.
    ///
    /// Never waits: messages for a client that does not read are dropped.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::types::LoggingLevel;
    ///
    /// struct Library;
    ///
    /// #[mcp_server(logging)]
    /// impl Library {
    ///     /// Lends a book.
    ///     #[tool]
    ///     fn lend(&self, title: String, cx: &Context) {
    ///         cx.log(LoggingLevel::Info, format!("lent: {title}"));
    ///         cx.logger("stock").warning(serde_json::json!({ "title": title, "left": 0 }));
    ///     }
    /// }
    /// # use mcp_runtime::serde_json;
    /// ```
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.log_as(None, level, &data);
    }

    /// A logger with the name of a part of the server.
    #[must_use]
    pub fn logger(&self, name: impl Into<String>) -> Logger {
        Logger {
            context: self.clone(),
            name: name.into(),
        }
    }

    /// Whether a message of this level would be sent, for messages that are costly to compose.
    #[must_use]
    pub fn wants_log(&self, level: &LoggingLevel) -> bool {
        let (session, least) = (self.session(), self.least_severity());
        session.logs() && Severity::of(level).zip(least).is_some_and(|(a, b)| a >= b)
    }

    fn least_severity(&self) -> Option<Severity> {
        if self.negotiated().outlive_requests() {
            Some(self.session().log_level.get())
        } else {
            self.log_level()
        }
    }

    pub(super) fn log_as(&self, logger: Option<&str>, level: LoggingLevel, data: &impl Serialize) {
        if !self.wants_log(&level) {
            return;
        }
        let data = match RawJson::new(data) {
            Ok(data) => data,
            Err(fault) => return tracing::error!(%fault, "a log message can't be serialized"),
        };
        let mut params = LoggingMessageNotificationParams::new(level, data);
        params.logger = logger.map(str::to_owned);
        params.conform(self.revision());
        let sent = self
            .peer()
            .notify::<LoggingMessageNotification>(Some(&params));
        if let Err(CallError::Full) = sent {
            tracing::debug!("a log message was dropped: the client does not read");
        }
    }
}

/// Logs under the name of a part of the server; made by [`Context::logger`].
#[derive(Clone, Debug)]
pub struct Logger {
    context: Context,
    name: String,
}

impl Logger {
    /// Sends a log message, as [`Context::log`] does.
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.context.log_as(Some(&self.name), level, &data);
    }
}

macro_rules! levels {
    ($($(#[$doc:meta])* $method:ident: $level:ident;)*) => {
        impl Logger {$(
            $(#[$doc])*
            pub fn $method(&self, data: impl Serialize) {
                self.log(LoggingLevel::$level, data);
            }
        )*}
    };
}

levels! {
    /// Details for debugging.
    debug: Debug;
    /// Normal events.
    info: Info;
    /// Normal but significant events.
    notice: Notice;
    /// Conditions that may become errors.
    warning: Warning;
    /// Failures.
    error: Error;
    /// Failures of whole components.
    critical: Critical;
    /// Conditions that need action at once.
    alert: Alert;
    /// The server is unusable.
    emergency: Emergency;
}
