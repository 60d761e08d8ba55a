//! A part of the server that logs.

use mcp_types::LoggingLevel;
use serde::Serialize;

use crate::server::Context;

/// Logs in the name of a part of the server; made by [`Context::logger`].
#[derive(Clone, Debug)]
pub struct Logger {
    context: Context,
    name: String,
}

impl Logger {
    pub(super) fn new(context: Context, name: String) -> Self {
        Self { context, name }
    }

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
    /// Details for finding faults.
    debug: Debug;
    /// What happens.
    info: Info;
    /// What is in order, but worth to be noticed.
    notice: Notice;
    /// What may become a fault.
    warning: Warning;
    /// What has failed.
    error: Error;
    /// What has failed, and much else with it.
    critical: Critical;
    /// What somebody has to see to at once.
    alert: Alert;
    /// What makes the server useless.
    emergency: Emergency;
}
