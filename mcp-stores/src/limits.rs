//! Limits and times, each with its unit and reason.

#[cfg(feature = "sqlite")]
pub(crate) mod sqlite {
    use std::time::Duration;

    /// How long a call waits for earlier calls and for other processes.
    pub(crate) const CALL: Duration = Duration::from_millis(500);
    /// Maximum number of calls that wait.
    pub(crate) const QUEUED: usize = 1024;
    /// How long opening waits for other processes.
    pub(crate) const OPEN: Duration = Duration::from_secs(5);
    /// Pause before a database is opened again while another process sets up its journal.
    pub(crate) const OPEN_PAUSE: Duration = Duration::from_millis(10);
    /// Number of values that ended and are deleted when a value is set, more than are added then.
    pub(crate) const PURGED: u32 = 8;
}

#[cfg(feature = "redis")]
pub(crate) mod redis {
    use std::time::Duration;

    /// How long a call waits for Redis. Requests wait for it, and are answered with 503 after that.
    pub(crate) const COMMAND: Duration = Duration::from_millis(500);
    /// How long a connection may take until it is given up.
    pub(crate) const CONNECT: Duration = Duration::from_secs(1);
    /// How often a listener checks that its connection still works.
    pub(crate) const PING: Duration = Duration::from_secs(1);
    /// Pause before a listener connects again. Each later pause is twice as long as the one before.
    pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(100);
    pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(1);
    /// Time after which a process that has not renewed its lease is considered stopped.
    pub(crate) const LEASE: Duration = Duration::from_secs(3);
    /// Maximum number of expired tasks that one query returns.
    pub(crate) const MAX_DUE: isize = 64;
    /// The longest time that a value is kept, because the numbers of Redis are limited.
    pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
}
