//! Levels, in order.

use std::sync::atomic::{AtomicU8, Ordering};

use mcp_types::LoggingLevel;

/// From the least severe to the most.
pub(in crate::server) const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// How severe a message is: the more, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct Severity(pub(in crate::server) u8);

impl Severity {
    const INFO: Self = Self(1);

    /// The severity of a level, if it is known.
    pub(in crate::server) fn of(level: &LoggingLevel) -> Option<Self> {
        let place = LEVELS.iter().position(|known| known == level)?;
        u8::try_from(place).ok().map(Self)
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
