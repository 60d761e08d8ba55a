//! Limits and timeouts of the command, each with its unit and reason.

use std::time::Duration;

use mcp_runtime::transport::child_process::Grace;

// Servers.

/// How long a program may take to end after its input is closed, and after SIGTERM. Many programs
/// do not end when their input is closed, and a person is waiting.
pub(crate) const GRACE: Grace = Grace {
    close: Duration::from_millis(100),
    terminate: Duration::from_secs(1),
};
/// The same for the programs behind `mcp proxy`. Clients wait 2 s before they end the proxy.
pub(crate) const PROXY_GRACE: Grace = Grace {
    close: Duration::from_secs(1),
    terminate: Duration::from_millis(500),
};
/// How long a server may take to answer the probe of its era.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a server may take to handle a cancellation before it is ended.
pub(crate) const CANCELLATION_TIME: Duration = Duration::from_secs(1);
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of servers that `mcp servers --check` connects to at the same time. More programs that
/// start together would exceed their time limits.
pub(crate) const CHECKS: usize = 8;

/// How long each step of `mcp doctor` to a URL may take, by default. A person is waiting.
pub(crate) const DOCTOR_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of characters of a value that is left out of reports. Shorter ones, such as `true`, are
/// not secret, and occur in other words.
pub(crate) const MIN_SECRET_CHARS: usize = 6;

/// The size of the largest message of a server, and of the largest that `mcp proxy` passes on: a
/// picture or a document in Base64.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

// Output.

/// The number of lines shown of a program's standard error. The last lines explain why the program
/// ended.
pub(crate) const SHOWN_LINES: usize = 8;
/// The number of characters shown of an answer that is not a message of the protocol, enough to
/// recognize it.
pub(crate) const EXCERPT_CHARS: usize = 80;
/// The number of servers shown when the user is asked whether to trust a file. More do not fit on a
/// terminal.
pub(crate) const SHOWN_SERVERS: usize = 20;
/// The number of characters shown of each server in that question.
pub(crate) const SHOWN_CHARS: usize = 500;
/// The number of nested levels of JSON that are indented. Deeper values are written as they are.
pub(crate) const SHOWN_LEVELS: usize = 64;

/// The number of columns of a terminal that does not state it.
pub(crate) const USUAL_COLUMNS: usize = 80;
/// The number of columns that the last column of a table needs, to be readable when it is wrapped.
pub(crate) const MIN_COLUMN: usize = 16;

/// The number of resources that `mcp inspect` lists without `--resources`.
pub(crate) const SHOWN_RESOURCES: usize = 20;
/// The number of members of a schema that are listed. A schema may contain itself.
pub(crate) const LISTED_FIELDS: usize = 500;
/// The number of characters of a default that is shown in its own column.
pub(crate) const DEFAULT_CHARS: usize = 12;

/// The number of levels of objects and lists inside each other that are listed.
pub(crate) const LISTED_LEVELS: usize = 4;
/// The number of values of an enumeration that are listed in short.
pub(crate) const LISTED_VALUES: usize = 6;
/// The number of alternatives of one object that are listed.
pub(crate) const LISTED_SHAPES: usize = 8;

// Progress.

/// How long a call may take until a spinner is shown. Most calls end before.
pub(crate) const SPINNER_DELAY: Duration = Duration::from_secs(1);
/// How often a spinner moves.
pub(crate) const SPINNER_STEP: Duration = Duration::from_millis(100);

// Files of `--save`.

/// The number of characters of a name. With a number and a path, it fits into each system's limit.
pub(crate) const FILE_NAME_CHARS: usize = 100 - EXTENSION_CHARS;
/// The number of characters of an extension. A longer one belongs to the name.
pub(crate) const EXTENSION_CHARS: usize = 8;

// Examples of calls.

/// The number of values that are tried for an example.
pub(crate) const EXAMPLE_VALUES: usize = 2000;
/// The number of elements of a list in an example.
pub(crate) const EXAMPLE_ELEMENTS: usize = 16;
/// The number of characters of a string in an example.
pub(crate) const EXAMPLE_CHARS: usize = 200;

// Completion.

/// How long a list of a server is used to complete names. Servers change seldom.
pub(crate) const LIST_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The size of the longest list that is kept: thousands of tools. A shell waits while it is read.
pub(crate) const LIST_BYTES: usize = 1024 * 1024;
/// The number of lists that are kept, four for each server.
pub(crate) const LIST_FILES: usize = 200;
/// The number of values of an argument that are completed.
pub(crate) const COMPLETED_VALUES: usize = 100;
/// The number of characters that a shell shows of a description.
pub(crate) const COMPLETED_CHARS: usize = 100;

// Schemas, which may be of any size.

/// The number of alternatives of one schema. A union that would exceed it matches every value.
pub(crate) const SCHEMA_ALTERNATIVES: usize = 2048;
/// The number of schemas that apply together. All others are ignored.
pub(crate) const SCHEMA_PARTS: usize = 512;
/// The number of levels that are read of a schema if a part of it can't be parsed.
pub(crate) const SCHEMA_LEVELS: usize = 64;
pub(crate) const CHECKED_LEVELS: usize = 12;
