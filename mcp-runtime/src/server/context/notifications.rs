//! Notifications that a handler sends: progress (2026-07-28, "Progress"), log messages (2025-11-25
//! and 2026-07-28, "Logging") and changes.

use mcp_types::{
    Conform, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, RawJson,
};
use serde::Serialize;

use super::{Context, ProgressAmount, ProgressTotal};
use crate::error::CallError;
use crate::protocol::Change;
use crate::server::subscriptions::Severity;

impl Context {
    /// Reports progress: the amount done, the total, and the current step or `""`.
    ///
    /// A report is sent only if the client requests progress and the amount has grown, and at most
    /// fifty times a second. The last report is always sent before the result. Since progress must
    /// increase, an amount that is smaller than before, or not finite, is not sent; the first such
    /// amount is logged.
    ///
    /// ```
    /// use mcp_runtime::Context;
    ///
    /// fn steps(cx: &Context) {
    ///     cx.progress(1, 3, "reading");
    ///     cx.progress(2.5, 3.0, "still reading");
    ///     cx.progress(3, None, "");
    /// }
    /// ```
    pub fn progress(
        &self,
        done: impl ProgressAmount,
        total: impl ProgressTotal,
        message: impl Into<String>,
    ) {
        if let Some(call) = self.detached() {
            return call.progress(done.amount(), total.total(), &message.into());
        }
        match self.reporter() {
            Some(reporter) => {
                let done = done.amount();
                if !reporter.report(done, total.total(), message.into()) {
                    self.warnings().progress(done);
                }
            }
            None => self.warnings().unwanted_progress(),
        }
    }

    /// Returns true if the client requests progress, or an extension takes it.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.progress_token().is_some() || self.detached().is_some()
    }

    /// Notifies the clients that have subscribed to `change`. See
    /// [`Server::notify_changed`](crate::Server::notify_changed).
    pub fn notify_changed(&self, change: Change) {
        self.server().notify_changed(change);
    }

    /// Notifies the clients that have subscribed to the resource `uri`.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// Sends a log message to the client: a string, or any other value that implements `Serialize`.
    ///
    /// The message is sent only if the server [declares](crate::ServerBuilder::logging) logging and
    /// the client requests messages of this level; otherwise, `data` is not serialized. In the
    /// handshake era, the client sets the level with `logging/setLevel`, and the default is `info`.
    /// In the stateless era, the `_meta` of the request has the level.
    ///
    /// This never waits: if the client does not read, the message is dropped.
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
    ///         cx.log(LoggingLevel::Notice, format!("lent: {title}"));
    ///         cx.info("the same, at another level");
    ///         cx.logger("stock").warning(serde_json::json!({ "title": title, "left": 0 }));
    ///     }
    /// }
    /// # use mcp_runtime::serde_json;
    /// ```
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.log_as(None, level, &data);
    }

    /// Returns a logger that adds `name`, such as a part of the server, to its messages.
    #[must_use]
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn logger(&self, name: impl Into<String>) -> Logger {
        Logger {
            context: self.clone(),
            name: name.into(),
        }
    }

    /// Returns true if a message of this level would be sent. Check it before composing a costly
    /// message.
    #[must_use]
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn wants_log(&self, level: &LoggingLevel) -> bool {
        self.sends_log(level)
    }

    pub(in crate::server) fn sends_log(&self, level: &LoggingLevel) -> bool {
        if self.detached().is_some() {
            return true;
        }
        let least = if self.negotiated().outlive_requests() {
            Some(self.session().log_level())
        } else {
            self.log_level()
        };
        let level = Severity::of(level).zip(least);
        self.session().logging && level.is_some_and(|(level, least)| level >= least)
    }

    pub(in crate::server) fn log_as(
        &self,
        logger: Option<&str>,
        level: LoggingLevel,
        data: &impl Serialize,
    ) {
        if !self.sends_log(&level) {
            if !self.session().logging {
                self.warnings().logging();
            }
            return;
        }
        let data = match RawJson::new(data) {
            Ok(data) => data,
            Err(fault) => return crate::log::error!(%fault, "a log message can't be serialized"),
        };
        let mut params = LoggingMessageNotificationParams::new(level, data);
        params.logger = logger.map(str::to_owned);
        params.conform(self.revision());
        if let Some(call) = self.detached() {
            return call.log(params);
        }
        let sent = self
            .peer()
            .notify::<LoggingMessageNotification>(Some(&params));
        if let Err(CallError::Full) = sent {
            tracing::debug!("a log message was dropped: the client does not read");
        }
    }
}

/// Sends log messages under the name of a logger; made by [`Context::logger`].
#[derive(Clone, Debug)]
pub struct Logger {
    context: Context,
    name: String,
}

impl Logger {
    /// Sends a log message, as [`Context::log`] does.
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.context.log_as(Some(&self.name), level, &data);
    }
}

/// Generates the methods of `Context` and `Logger` that log at one level.
macro_rules! levels {
    ($($(#[$doc:meta])* $method:ident: $level:ident;)*) => {
        impl Context {$(
            $(#[$doc])*
            #[deprecated(
                note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                        log to standard error, or use OpenTelemetry"
            )]
            pub fn $method(&self, data: impl Serialize) {
                self.log_as(None, LoggingLevel::$level, &data);
            }
        )*}

        impl Logger {$(
            $(#[$doc])*
            #[deprecated(
                note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                        log to standard error, or use OpenTelemetry"
            )]
            pub fn $method(&self, data: impl Serialize) {
                self.context.log_as(Some(&self.name), LoggingLevel::$level, &data);
            }
        )*}
    };
}

levels! {
    /// Sends a log message with details for debugging.
    debug: Debug;
    /// Sends a log message about normal events.
    info: Info;
    /// Sends a log message about normal but significant events.
    notice: Notice;
    /// Sends a log message about conditions that may become errors.
    warning: Warning;
    /// Sends a log message about failures.
    error: Error;
    /// Sends a log message about failures of whole components.
    critical: Critical;
    /// Sends a log message about conditions that need immediate action.
    alert: Alert;
    /// Sends a log message that says that the server is unusable.
    emergency: Emergency;
}
