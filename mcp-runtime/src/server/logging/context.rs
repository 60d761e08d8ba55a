//! Logging from a handler.

use mcp_types::{
    Conform, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, RawJson,
};
use serde::Serialize;

use super::{Logger, Severity};
use crate::error::CallError;
use crate::server::Context;

impl Context {
    /// Sends a log message to the client: text, or anything else that has a JSON form.
    ///
    /// Only where the server [says](crate::ServerBuilder::logging) that it logs, and only if the
    /// client wants messages of this level: in revisions with a handshake those that it asked for
    /// with `logging/setLevel`, and from `info` upwards until then; in those without, what the
    /// request at hand asks for, which is nothing unless it says so. Else nothing is serialised.
    ///
    /// Never waits: a client that does not read loses messages.
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

    /// Logs in the name of a part of the server.
    #[must_use]
    pub fn logger(&self, name: impl Into<String>) -> Logger {
        Logger::new(self.clone(), name.into())
    }

    /// Whether a message of this level would be sent. To be asked before one is put together at
    /// some cost.
    #[must_use]
    pub fn wants_log(&self, level: &LoggingLevel) -> bool {
        let (session, least) = (self.session(), self.least_severity());
        session.logs() && Severity::of(level).zip(least).is_some_and(|(a, b)| a >= b)
    }

    fn least_severity(&self) -> Option<Severity> {
        if self.negotiated().outlive_requests() {
            Some(self.session().log_level.get())
        } else {
            self.wishes().log_level
        }
    }

    pub(in crate::server) fn log_as(
        &self,
        logger: Option<&str>,
        level: LoggingLevel,
        data: &impl Serialize,
    ) {
        if !self.wants_log(&level) {
            return;
        }
        let data = match RawJson::new(data) {
            Ok(data) => data,
            Err(fault) => return tracing::error!(%fault, "a log message can't be serialised"),
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
