//! Limits and times of the command, each with its unit and reason.

use std::time::Duration;

use mcp_runtime::transport::child_process::Grace;

// Servers.

/// Times of a program to end after its input is closed, and after SIGTERM: many do not end when their
/// input is closed, and a person waits.
pub(crate) const GRACE: Grace = Grace {
    close: Duration::from_millis(100),
    terminate: Duration::from_secs(1),
};
/// Longest time in which a server must answer the probe of its era.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Time of a server to handle a cancellation before it is ended.
pub(crate) const CANCELLATION_TIME: Duration = Duration::from_secs(1);
/// Time for the connection to be closed when the command is done.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

// What is shown.

/// Lines of a program's standard error; its last words explain the end.
pub(crate) const SHOWN_LINES: usize = 8;
/// Characters of what is no message of the protocol; enough to recognize it.
pub(crate) const EXCERPT_CHARS: usize = 80;
/// Servers of a file in the question whether it is trusted; more do not fit a terminal.
pub(crate) const SHOWN_SERVERS: usize = 20;
/// Characters of each of these servers.
pub(crate) const SHOWN_CHARS: usize = 500;
/// Levels of nesting of JSON.
pub(crate) const SHOWN_LEVELS: usize = 64;

/// Levels of types in a signature.
pub(crate) const SIGNATURE_LEVELS: usize = 4;
/// Values of an enumeration, and shapes, in a signature.
pub(crate) const SIGNATURE_VALUES: usize = 6;
/// Alternatives of one object that a signature is made of.
pub(crate) const SIGNATURE_SHAPES: usize = 8;
/// Members of an object without a name in a signature.
pub(crate) const SIGNATURE_MEMBERS: usize = 4;

// Schemas, which a server may make as large as it likes.

/// Alternatives of one schema. A union that would make more of them fits every value.
pub(crate) const SCHEMA_ALTERNATIVES: usize = 2048;
/// Schemas that apply together. Others are ignored.
pub(crate) const SCHEMA_PARTS: usize = 512;
/// Levels of a schema that are read if a part of it can't be.
pub(crate) const SCHEMA_LEVELS: usize = 64;
/// Levels of values that are checked.
pub(crate) const CHECKED_LEVELS: usize = 12;
