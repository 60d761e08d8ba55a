//! Notifications that a handler sends: progress (2026-07-28, "Progress"), log messages (2025-11-25 and
//! 2026-07-28, "Logging") and changes.

use mcp_types::{
    Conform, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, RawJson,
};
use serde::Serialize;

use super::{Context, ProgressAmount, ProgressTotal};
use crate::error::CallError;
use crate::protocol::Change;
use crate::server::subscriptions::Severity;

impl Context {
    /// Reports the amount that is done, the total, and the present step, or `""`.
    ///
    /// Only sent to a client that requests progress, only if the amount has grown, and at most
    /// fifty times a second; the last report always goes out before the result. An amount that is
    /// smaller than before, or not finite, is not sent and logged once: progress must increase.
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

    /// Returns true if the client asked for progress, or an extension takes it.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.progress_token().is_some() || self.detached().is_some()
    }

    /// Notifies the clients that have subscribed to `change`, like
    /// [`Server::notify_changed`](crate::Server::notify_changed).
    pub fn notify_changed(&self, change: Change) {
        self.server().notify_changed(change);
    }

    /// Notifies the clients that have subscribed to the resource `uri`.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// Sends a log message to the client: text, or anything else that has a JSON form.
    ///
    /// Sent only if the server [declares](crate::ServerBuilder::logging) logging, and the client
    /// requests messages of this level: in revisions with a handshake by `logging/setLevel`, with
    /// `info` as the default; in the others by the `_meta` of the request. Otherwise nothing is
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
    ///         cx.log(LoggingLevel::Notice, format!("lent: {title}"));
    ///         cx.info("the same, at another level");
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

    /// Returns true if a message of this level would be sent, for messages that are costly to
    /// compose.
    #[must_use]
    pub fn wants_log(&self, level: &LoggingLevel) -> bool {
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
        if !self.wants_log(&level) {
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

/// Methods that log at one level, of a request and of a logger.
macro_rules! levels {
    ($($(#[$doc:meta])* $method:ident: $level:ident;)*) => {
        impl Context {$(
            $(#[$doc])*
            pub fn $method(&self, data: impl Serialize) {
                self.log(LoggingLevel::$level, data);
            }
        )*}

        impl Logger {$(
            $(#[$doc])*
            pub fn $method(&self, data: impl Serialize) {
                self.log(LoggingLevel::$level, data);
            }
        )*}
    };
}

levels! {
    /// Sends a log message about details for debugging.
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
    /// Sends a log message about conditions that need action at once.
    alert: Alert;
    /// Sends a log message about a server that is unusable.
    emergency: Emergency;
}
