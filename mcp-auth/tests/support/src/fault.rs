//! Faults.

use std::time::Duration;

use tokio::sync::watch;

/// A fault of an endpoint, until it is healed.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers with this status.
    Status(u16),
    /// Answers 200 with what is no JSON.
    Garbage,
    /// Answers 200 with this JSON.
    Json(String),
    /// Answers 200 with a document of this many bytes.
    Large(usize),
    /// Answers with this status, `Retry-After` in seconds, and this JSON.
    Refusal(u16, Option<u64>, &'static str),
    /// Redirects with 302.
    Redirect(String),
    /// Answers rightly, after this time.
    Slow(Duration),
    /// Never answers.
    Hang,
}

/// Holds requests to an endpoint back until it is dropped.
#[derive(Debug)]
pub struct Hold {
    pub(crate) _sender: watch::Sender<()>,
}
