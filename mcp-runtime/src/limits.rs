//! The default limits and times of the runtime.
//!
//! All of them are listed in `docs/configuration.md`, which the tests check. Defaults of settings
//! can be changed by these settings; the other limits are fixed.

use std::time::Duration;

/// An upper bound for durations that are added to an instant, since clocks can't represent
/// [`Duration::MAX`] from now.
pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Formats a limit for an error message, in MiB if that is a whole number.
pub(crate) fn size(bytes: usize) -> String {
    match (bytes / MIB, bytes % MIB) {
        (1.., 0) => format!("{} MiB", bytes / MIB),
        _ => format!("{bytes} bytes"),
    }
}

// Connections and messages of both sides.

/// How deeply the JSON of a message may be nested. No message of the protocol comes near it.
pub(crate) const MAX_DEPTH: usize = mcp_types::jsonrpc::DEFAULT_MAX_DEPTH;
/// The size of the largest message that is accepted by default: 24 MiB, which has room for 16 MiB in
/// Base64. A file of a skill may be as long.
pub const MAX_FRAME_BYTES: usize = 24 * MIB;
/// How many requests of one peer are served at the same time. Bounds the memory for one peer.
pub(crate) const MAX_IN_FLIGHT: usize = 256;
/// How many subscriptions of one connection are open at the same time, in addition to calls.
pub(crate) const MAX_OPEN: usize = 256;
/// How long calls in flight may continue during shutdown. Supervisors kill after 10 to 30 s.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a peer may leave messages unread. A healthy peer reads within seconds.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// How many bytes of answers may wait to be sent before no more requests are read. Large enough for
/// efficient writes.
pub(crate) const MAX_UNSENT_BYTES: usize = MIB;
/// How many bytes of requests and notifications may wait for one peer: a few hundred messages.
pub(crate) const MAX_QUEUED_BYTES: usize = 64 * KIB;
/// How many bytes each direction of an in-memory connection buffers: as many as a pipe on Linux.
pub(crate) const MEMORY_BYTES: usize = 64 * KIB;
/// How many characters of input that is not a message are quoted in logs and errors. Enough to
/// recognize it.
pub(crate) const EXCERPT_CHARS: usize = 200;

// Servers.

/// How many connections one listener has. Below the usual limits of file descriptors for a service.
pub(crate) const MAX_CONNECTIONS: usize = 10_000;
/// The pause after a connection could not be accepted, most likely for lack of file descriptors.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long a client may take for the opening handshake of WebSocket. Allows for slow networks.
pub(crate) const WEBSOCKET_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// The time between two WebSocket pings. Proxies close connections that are silent for 60 s.
pub(crate) const WEBSOCKET_PING: Duration = Duration::from_secs(30);
/// How many resources one client may subscribe to. Bounds the memory for each client.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 1000;
/// The time between two announcements of changes to a client. Merges the changes of one edit.
pub(crate) const ANNOUNCE_INTERVAL: Duration = Duration::from_millis(50);
/// The time between two progress notifications of a call. More than 50 a second would not be
/// visible.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(20);
/// How many rounds of questions one call may have. Stops a handler that never stops asking.
pub(crate) const MAX_ASKING_ROUNDS: u32 = 8;
/// How long a client may take to answer a question or send back a sealed state. A person has to
/// read the question.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);
/// How many calls may wait for answers in a build without `seal`. Bounds their memory.
#[allow(dead_code, reason = "builds with `seal` keep no states")]
pub(crate) const MAX_KEPT_STATES: usize = 1024;
/// How many token buckets a rate limit has. Most servers have fewer callers in a minute.
pub(crate) const MAX_BUCKETS: usize = 10_000;
/// How many tokens a model may return for a sampling request: a few hundred words.
pub(crate) const SAMPLING_TOKENS: i64 = 1000;
/// How many suggestions one completion has (2025-11-25, "Completion").
pub(crate) const MAX_COMPLETIONS: usize = 100;
/// How many faults of arguments one error lists. A longer list would not help the caller.
pub(crate) const MAX_LISTED_FAULTS: usize = 16;
/// How many bytes of one fault an error shows. A fault may quote the caller's whole value.
pub(crate) const MAX_FAULT_BYTES: usize = 240;
/// How many faults of arguments are searched for. More would never be listed.
pub(crate) const MAX_FOUND_FAULTS: usize = 100;
/// How many values of arguments are searched for faults. Bounds the time for an answer.
pub(crate) const MAX_CHECKED_VALUES: usize = 100_000;
/// How deep values and schemas are checked. No type of a tool is nested as deeply.
pub(crate) const MAX_CHECKED_DEPTH: usize = 64;
/// How deeply arguments may be nested that headers repeat or a sealed state is bound to. Reading
/// them uses the stack.
pub(crate) const MAX_STRICT_DEPTH: usize = 256;
/// How many references of schemas are followed in a row. Stops at circular references.
pub(crate) const MAX_SCHEMA_REFERENCES: usize = 8;
/// The size of the longest URI that is matched with templates. Browsers allow no more.
pub(crate) const MAX_URI_BYTES: usize = 8 * KIB;
/// How many URIs without a resource, and how many handlers that repeat work, are logged. Bounds the
/// memory to remember them.
pub(crate) const MAX_WARNINGS: usize = 100;
/// How long a function may block its thread before debug builds log it. People notice such a delay.
#[allow(dead_code, reason = "release builds do not log it")]
pub(crate) const LONG_HOLD: Duration = Duration::from_millis(50);
/// The size of the largest file that a `FileTree` lists and reads. Models do not read longer text.
pub(crate) const MAX_FILE_BYTES: u64 = MIB as u64;
/// How long the walk for the first page of files is reused for the following pages.
pub(crate) const FILE_WALK_LIFETIME: Duration = Duration::from_secs(30);

// HTTP servers.

/// The size of the largest request body. Clients send shorter messages than servers.
pub(crate) const MAX_BODY_BYTES: usize = 4 * MIB;
/// How many bytes of request bodies are received at the same time from all clients: 16 of the
/// largest bodies.
pub(crate) const MAX_BUFFERED_BODY_BYTES: usize = 64 * MIB;
/// How many clients share [`MAX_BUFFERED_BODY_BYTES`]: each of them may use an eighth.
pub(crate) const BODY_SHARES: usize = 8;
/// How many bytes of each body are not charged to any budget. Most requests are shorter.
pub(crate) const FREE_BODY_BYTES: usize = 16 * KIB;
/// The size of the largest request body for an endpoint of the access policy, such as a form.
pub(crate) const ENDPOINT_BODY_BYTES: usize = 64 * KIB;
/// How many bytes of answers one connection may leave unread: one answer of [`MAX_FRAME_BYTES`].
pub(crate) const MAX_UNREAD_BYTES: usize = MAX_FRAME_BYTES;
/// How many bytes of answers all connections may leave unread: ten connections that read nothing.
pub(crate) const MAX_UNREAD_BYTES_TOTAL: usize = 256 * MIB;
/// The size of the largest head of a request over HTTP/1, and how much of a body is read ahead.
/// Bounds the memory for bodies that are refused.
pub(crate) const MAX_HEAD_BYTES: usize = 32 * KIB;
/// The size of the longest event id, and of `Last-Event-ID`. Event ids of this server have at most
/// 41 bytes.
pub(crate) const MAX_EVENT_ID_BYTES: usize = KIB;
/// How long a client may take for the head of a request, including the wait for it. Ends clients
/// that send nothing.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a client may take for the body of a request. Ends clients that send a byte at a time.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an access policy may take to decide. It may have to ask another server.
pub(crate) const AUTH_TIMEOUT: Duration = Duration::from_secs(10);
/// The minimum time between two checks whether the access to a stream is still granted, even after
/// a check that failed.
pub(crate) const REVALIDATION_PAUSE: Duration = Duration::from_secs(5);
/// How long a stream is silent before a comment is sent. Proxies close streams that are silent for
/// 30 s.
pub(crate) const STREAM_KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long open connections are served after the listener was closed, for requests that are already
/// on their way.
pub(crate) const LINGER: Duration = Duration::from_secs(1);
/// How long the server may take to send the last answers and close messages after the drain time.
/// No handlers run during this time.
pub(crate) const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a client may take to close its half of a connection, to avoid losing an answer.
pub(crate) const HALF_CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How many bytes of one HTTP/2 body, and half as many as of one connection, are received before
/// they are read. The longest body arrives in time with 300 ms for each window.
pub(crate) const HTTP2_WINDOW: u32 = 48 * KIB as u32;
/// How many requests one HTTP/2 connection may have open: as many as calls.
pub(crate) const MAX_HTTP2_STREAMS: u32 = 256;
/// How many calls of all callers are in flight. Each needs a few kilobytes.
pub(crate) const MAX_CALLS: usize = 10_000;
/// How many subscriptions of all callers are open. Each needs a few kilobytes.
pub(crate) const MAX_HTTP_SUBSCRIPTIONS: usize = 10_000;
/// How many sessions one process has. Each needs at most 4 KiB while it is idle.
pub(crate) const MAX_SESSIONS: usize = 10_000;
/// How long a session exists without a request or a stream. A person may take a break.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);
/// The size of the largest parameters of `initialize`, which are kept as long as the session.
pub(crate) const MAX_INITIALIZE_BYTES: usize = 64 * KIB;
/// How many cancellations of one session are kept until their requests arrive: as many as it may
/// have calls in flight.
pub(crate) const MAX_EARLY_CANCELLATIONS: usize = 256;
/// How long a cancellation is kept until its request, sent at about the same time, arrives.
pub(crate) const EARLY_CANCELLATION: Duration = Duration::from_secs(5);
/// How many messages of a server, other than answers, wait in one stream.
pub(crate) const MAX_STREAM_MESSAGES: usize = 1024;
/// How many messages outside of requests wait for a client, which may never fetch them.
pub(crate) const MAX_SESSION_MESSAGES: usize = 16;
/// How many events of one session are kept for resumption, to bridge a few seconds.
pub(crate) const MAX_SESSION_EVENTS: usize = 256;
/// How many bytes of events of one session are kept for resumption.
pub(crate) const MAX_SESSION_EVENT_BYTES: usize = MIB;
/// How many bytes of events of all sessions are kept for resumption: 128 full sessions.
pub(crate) const MAX_EVENT_BYTES: usize = 128 * MIB;
/// How often a change of a session is applied again because other processes have changed it.
pub(crate) const MAX_EDIT_ATTEMPTS: usize = 32;
/// The longest message on a bus, and the longest value that a store must keep.
pub(crate) const MAX_BUS_MESSAGE_BYTES: usize = 4 * MIB;
/// How many changes wait until they can be published on the bus, or until hooks have run.
pub(crate) const MAX_WAITING_CHANGES: usize = 10_000;
/// The pause before changes are published again after the bus has failed.
pub(crate) const BUS_PAUSE: Duration = Duration::from_millis(500);
/// The time over which notifications of possibly missed changes are spread.
pub(crate) const GAP_SPREAD: Duration = Duration::from_secs(2);
/// How long a replica waits until another one has taken a forwarded answer, after each attempt.
pub(crate) const FORWARD_WAIT: Duration = Duration::from_secs(1);
/// How often an answer is forwarded.
pub(crate) const FORWARD_ATTEMPTS: usize = 3;
/// How many messages a [`MemoryBus`](crate::store::MemoryBus) keeps for slow listeners.
pub(crate) const MEMORY_BUS_MESSAGES: usize = 1024;
/// The pause before a store that failed is called again to end a session.
pub(crate) const STORE_PAUSE: Duration = Duration::from_secs(10);

// Clients.

/// How long a client waits for the answer to a request. Most tools answer within this time.
pub(crate) const ANSWER_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a client waits for the answer in total, if progress extends the wait.
pub(crate) const ANSWER_TOTAL_TIMEOUT: Duration = Duration::from_secs(600);
/// How long a client waits for `server/discover`. Some old servers ignore unknown methods.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// The time between two `ping`s of a client. A lost server is noticed within two minutes.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(30);
/// How long a client waits for the answer to a `ping`. The server has nothing to compute for it.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// After how many unanswered `ping`s in a row a connection is lost. A single answer may be late.
pub(crate) const PING_MISSES: u32 = 3;
/// How often a client tries in a row to reconnect: for about half a minute in total.
pub(crate) const RECONNECT_TRIES: u32 = 5;
/// The pause before the first try to reconnect. Each following pause is twice as long.
pub(crate) const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause before a try to reconnect. A restarted server is then found soon.
pub(crate) const MAX_RECONNECT_PAUSE: Duration = Duration::from_secs(30);
/// How long a connection must last for the number of tries to be reset. A server that crashes at
/// start is faster.
pub(crate) const STABLE_CONNECTION: Duration = Duration::from_secs(30);
/// How long a stream must last for the pauses before it is reopened to be reset.
pub(crate) const STABLE_STREAM: Duration = Duration::from_secs(10);
/// How many pages one list may have. Stops at a server that always sends another cursor.
pub(crate) const MAX_PAGES: usize = 1000;
/// How many bytes all pages of one list may have. The limit of pages alone would allow 16 GiB.
pub(crate) const MAX_LIST_BYTES: usize = 64 * MIB;
/// How many rounds of questions a client answers for one call. Ends an endless loop.
pub(crate) const MAX_QUESTION_ROUNDS: usize = 10;
/// How often a call that is safe to repeat is repeated. Stops a call that crashes its server each
/// time.
pub(crate) const MAX_REPEATS: u32 = 2;
/// How many notifications one reader may leave unread. The oldest are dropped.
pub(crate) const MAX_UNREAD_NOTIFICATIONS: usize = 256;
/// How many answers the cache keeps. Few servers have as many resources in use.
pub(crate) const MAX_CACHED_ANSWERS: usize = 1024;
/// How many bytes of answers the cache keeps.
pub(crate) const MAX_CACHED_BYTES: usize = 16 * MIB;
/// How long remaining messages may take to be sent when a connection is closed, so that `close`
/// returns soon.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a client reads on from a server that no longer reads. An answer may be left.
pub(crate) const LAST_READ_TIMEOUT: Duration = Duration::from_millis(200);

// Proxies.

/// How many connections a proxy has to one server. Each may be a program of its own.
pub(crate) const MAX_PROXY_CONNECTIONS: usize = 100;
/// How long a connection without calls is kept for stateless callers. A person may read for a while
/// between two calls.
pub(crate) const PROXY_IDLE: Duration = Duration::from_secs(5 * 60);
/// The pause before a proxy tries to reconnect. Its callers wait, so it is short.
pub(crate) const PROXY_RECONNECT_PAUSE: Duration = Duration::from_millis(100);
/// How long a caller waits for a person who logs in. Some clients give up after 10 seconds.
pub(crate) const PROXY_LOGIN_WAIT: Duration = Duration::from_secs(8);
/// How many calls may wait for the answers of stateless callers. The oldest are cancelled.
pub(crate) const MAX_PARKED_CALLS: usize = 1000;
/// How long a call waits for the answers of a stateless caller: as long as [`ANSWER_TIMEOUT`].
pub(crate) const PARKED_CALL: Duration = Duration::from_secs(10 * 60);
/// How long a proxy waits at its end for the programs of its servers to end: longer than the two
/// pauses before a program is killed.
pub(crate) const PROXY_CLOSE: Duration = Duration::from_secs(10);

// Child processes.

/// How long the negotiation with a child process may take before it is logged.
pub(crate) const FIRST_ANSWER_NOTICE: Duration = Duration::from_secs(5);
/// How long a child process may take to exit: after its input is closed, and after SIGTERM.
pub(crate) const CHILD_GRACE: Duration = Duration::from_secs(2);
/// How long a child process may take to exit after the end of its output, for its status.
pub(crate) const EXIT_STATUS_TIMEOUT: Duration = Duration::from_millis(200);
/// How long the rest of standard error is read after a child process has ended. Descendants of the
/// process may hold it open.
pub(crate) const STDERR_TIMEOUT: Duration = Duration::from_secs(1);
/// How many bytes of standard error `ChildExited` has. The last lines usually explain the end.
pub(crate) const EXIT_STDERR_BYTES: usize = 4 * KIB;
/// How many bytes of standard error are captured. The newest are kept.
pub(crate) const CAPTURED_STDERR_BYTES: usize = 64 * KIB;
/// The size of the longest line of standard error in the log. Longer lines are split.
pub(crate) const STDERR_LINE_BYTES: u64 = 8 * KIB as u64;

// HTTP clients.

/// How many bytes of names of tools and arguments that headers repeat are remembered: a few
/// thousand tools.
pub(crate) const MAX_PARAM_HEADER_BYTES: usize = MIB;
/// How often a request that was not served is repeated.
pub(crate) const HTTP_RETRIES: u32 = 2;
/// The pause before a request is repeated for the first time. Each following pause is twice as
/// long.
pub(crate) const FIRST_RETRY: Duration = Duration::from_millis(200);
/// The longest `Retry-After` that the client waits for. If it is longer, the caller decides.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(10);
/// How many redirects are followed for one request, all within its origin.
pub(crate) const MAX_REDIRECTS: usize = 5;
/// The pause before a stream is resumed, unless the server sets it with `retry`.
pub(crate) const RESUMPTION_PAUSE: Duration = Duration::from_secs(1);
/// The shortest pause before a stream is resumed, since a server may set `retry` to 0.
pub(crate) const MIN_RESUMPTION_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause before a stream is resumed, unless the server requests a longer pause.
pub(crate) const MAX_RESUMPTION_PAUSE: Duration = Duration::from_secs(30);
/// How often the stream of a call is resumed in a row without a message. Fails a call that is lost.
pub(crate) const MAX_RESUMPTIONS: usize = 5;
/// How long a connection is silent before TCP probes the other side, to detect a loss.
pub(crate) const TCP_KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long a client waits for the event `endpoint`, which only HTTP+SSE servers send.
pub(crate) const ENDPOINT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long calls in flight may take to fail when the server has ended the session. The error of
/// each call says whether to repeat it.
pub(crate) const SESSION_END_TIMEOUT: Duration = Duration::from_millis(500);
/// How often a request is sent again after 401 or 403, for a login, refresh, nonce or more scopes.
/// Stops at a server that is never satisfied.
pub(crate) const MAX_CHALLENGES: u32 = 5;
/// How long one HTTP request of an authenticator may take, while a person waits.
pub(crate) const AUTH_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The size of the largest answer to an authenticator. Metadata and keys have a few KiB.
pub(crate) const AUTH_ANSWER_BYTES: usize = MIB;
/// How many messages of the server wait to be read. Beyond it, the client stops reading.
pub(crate) const HTTP_INBOX: usize = 64;
/// How many notifications wait to be sent one after another. Additional ones are dropped.
pub(crate) const MAX_UNSENT_NOTIFICATIONS: usize = 256;

#[cfg(test)]
mod tests;
