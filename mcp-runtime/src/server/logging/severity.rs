//! Levels, in order.

use std::sync::atomic::{AtomicU8, Ordering};

use mcp_types::LoggingLevel;

/// How severe a message is: the more, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct Severity(u8);

impl Severity {
    const INFO: Self = Self(1);

    /// The severity of a level, if it is known.
    pub(in crate::server) fn of(level: &LoggingLevel) -> Option<Self> {
        Some(Self(match level {
            LoggingLevel::Debug => 0,
            LoggingLevel::Info => 1,
            LoggingLevel::Notice => 2,
            LoggingLevel::Warning => 3,
            LoggingLevel::Error => 4,
            LoggingLevel::Critical => 5,
            LoggingLevel::Alert => 6,
            LoggingLevel::Emergency => 7,
            _ => return None,
        }))
    }
}

/// The least severe messages that a client wants; `info` until it says so.
#[derive(Debug)]
pub(in crate::server) struct Threshold(AtomicU8);

impl Threshold {
    pub(in crate::server) fn set(&self, least: Severity) {
        self.0.store(least.0, Ordering::Relaxed);
    }

    pub(in crate::server) fn get(&self) -> Severity {
        Severity(self.0.load(Ordering::Relaxed))
    }
}

impl Default for Threshold {
    fn default() -> Self {
        Self(AtomicU8::new(Severity::INFO.0))
    }
}
