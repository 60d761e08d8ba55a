//! Default limits and times of the runtime.
//!
//! Each is listed in `docs/configuration.md`, which a test below checks. A default of a setting can
//! be changed by the setting; the others are fixed.

use std::time::Duration;

/// Upper bound of times that are added to a moment, since clocks can't count up to
/// [`Duration::MAX`].
pub(crate) const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

// Connections and messages of both sides.

/// Levels of nesting in the JSON of a message; no message of the protocol comes near it.
pub(crate) const MAX_DEPTH: usize = mcp_types::jsonrpc::DEFAULT_MAX_DEPTH;
/// The largest message that a stream or a WebSocket accepts by default, in bytes: 16 MiB, which has room for an
/// image in Base64.
pub const MAX_FRAME_BYTES: usize = 16 * MIB;
/// Requests of one peer that are served at the same time; bounds the memory that a peer can take.
pub(crate) const MAX_IN_FLIGHT: usize = 256;
/// Subscriptions of one connection that are open at the same time; they do not count as calls.
pub(crate) const MAX_OPEN: usize = 256;
/// Time for calls in flight once shutdown begins; supervisors kill a process after 10 to 30 s.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for which a peer may leave unread what it was sent; a peer at work reads within seconds.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of answers that wait to be sent, beyond which requests wait; makes writes long enough.
pub(crate) const MAX_UNSENT_BYTES: usize = MIB;
/// Bytes of requests and notifications that wait to be sent to one peer; some hundred messages.
pub(crate) const MAX_QUEUED_BYTES: usize = 64 * KIB;
/// Bytes that each direction of a connection in memory holds; as much as a pipe on Linux.
pub(crate) const MEMORY_BYTES: usize = 64 * KIB;
/// Characters that logs and errors quote of what is no message; enough to recognize it.
pub(crate) const EXCERPT_CHARS: usize = 200;

// Servers.

/// Connections of one listener; below the usual limits of file descriptors for a service.
pub(crate) const MAX_CONNECTIONS: usize = 10_000;
/// Pause after a connection could not be accepted; most likely no file descriptor was left.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Time for a client's opening handshake of WebSocket; allows for a slow network.
pub(crate) const WEBSOCKET_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between two pings of WebSocket; proxies close connections that are silent for 60 s.
pub(crate) const WEBSOCKET_PING: Duration = Duration::from_secs(30);
/// Resources that one client, or a proxy, may subscribe to; bounds what is kept for a client.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 1000;
/// Time between two announcements of changes to a client; joins those of one edit.
pub(crate) const ANNOUNCE_INTERVAL: Duration = Duration::from_millis(50);
/// Time between two progress notifications of a call; more than 50 a second are not visible.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(20);
/// Rounds of questions of one call; ends a handler that asks without end.
pub(crate) const MAX_ASKING_ROUNDS: u32 = 8;
/// Time for a client to answer a question, or to come back with a sealed state; a person reads it.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);
/// Calls that wait for answers in a build without `seal`; bounds the memory that they take.
#[allow(dead_code, reason = "builds with `seal` keep no states")]
pub(crate) const MAX_KEPT_STATES: usize = 1024;
/// Token buckets of a rate limit; more callers than most servers have in a minute.
pub(crate) const MAX_BUCKETS: usize = 10_000;
/// Tokens that a model may return for a sampling request; some hundred words.
pub(crate) const SAMPLING_TOKENS: i64 = 1000;
/// Suggestions of one completion (2025-11-25, "Completion").
pub(crate) const MAX_COMPLETIONS: usize = 100;
/// Faults of arguments that one error lists; more are not useful at a time.
pub(crate) const MAX_LISTED_FAULTS: usize = 16;
/// Bytes that an error shows of one fault, which may quote the caller's whole value.
pub(crate) const MAX_FAULT_BYTES: usize = 240;
/// Faults of arguments that are looked for; more are never listed.
pub(crate) const MAX_FOUND_FAULTS: usize = 100;
/// Values of arguments that are searched for faults; bounds the time of an answer.
pub(crate) const MAX_CHECKED_VALUES: usize = 100_000;
/// Levels of nesting of values and schemas that are checked; no type of a tool is as deep.
pub(crate) const MAX_CHECKED_DEPTH: usize = 64;
/// Levels of nesting of arguments that headers repeat, or a sealed state is bound to; reading them
/// takes stack.
pub(crate) const MAX_STRICT_DEPTH: usize = 256;
/// References of schemas to each other that are followed in a row; ends a circle of references.
pub(crate) const MAX_SCHEMA_REFERENCES: usize = 8;
/// Bytes of a URI that is matched with templates; browsers and proxies take no longer ones.
pub(crate) const MAX_URI_BYTES: usize = 8 * KIB;
/// URIs without a resource whose announced changes are logged, and handlers that are logged because
/// they repeat something; bounds what is kept of them.
pub(crate) const MAX_WARNINGS: usize = 100;
/// Time for which a function may hold its thread until debug builds log it; people notice it then.
#[allow(dead_code, reason = "release builds do not log it")]
pub(crate) const LONG_HOLD: Duration = Duration::from_millis(50);
/// Bytes of a file that a `FileTree` lists and reads; a model reads no longer text.
pub(crate) const MAX_FILE_BYTES: u64 = MIB as u64;
/// Time for which the walk of a first page of files serves the pages after it.
pub(crate) const FILE_WALK_LIFETIME: Duration = Duration::from_secs(30);

// HTTP servers.

/// Bytes of a request body; messages of clients are shorter than those of servers.
pub(crate) const MAX_BODY_BYTES: usize = 4 * MIB;
/// Bytes of request bodies that are being received from all clients; 16 of the longest.
pub(crate) const MAX_BUFFERED_BODY_BYTES: usize = 64 * MIB;
/// Clients that it takes to use up [`MAX_BUFFERED_BODY_BYTES`]: each has an eighth.
pub(crate) const BODY_SHARES: usize = 8;
/// Bytes of each body that count for no budget; most requests are shorter.
pub(crate) const FREE_BODY_BYTES: usize = 16 * KIB;
/// Bytes of a request body for an endpoint of the access policy; forms of OAuth are shorter.
pub(crate) const ENDPOINT_BODY_BYTES: usize = 64 * KIB;
/// Bytes of unread answers of one connection; one answer of [`MAX_FRAME_BYTES`].
pub(crate) const MAX_UNREAD_BYTES: usize = 16 * MIB;
/// Bytes of unread answers of all connections; 16 connections that read nothing.
pub(crate) const MAX_UNREAD_BYTES_TOTAL: usize = 256 * MIB;
/// Bytes of the head of a request over HTTP/1, and of a body that are read ahead of it; bounds the
/// memory of bodies that are refused.
pub(crate) const MAX_HEAD_BYTES: usize = 32 * KIB;
/// Bytes of the id of an event, and of `Last-Event-ID`; an event of this server has a name of at most 41.
pub(crate) const MAX_EVENT_ID_BYTES: usize = KIB;
/// Time for the head of a request, including the wait for it; ends clients that send nothing.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for the body of a request; ends clients that send a byte at a time.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for an access policy to decide; it may have to ask another server.
pub(crate) const AUTH_TIMEOUT: Duration = Duration::from_secs(10);
/// Least time between two questions whether the access to a stream still holds, also after one that
/// was not answered.
pub(crate) const REVALIDATION_PAUSE: Duration = Duration::from_secs(5);
/// Silence of a stream before a comment is sent; proxies close streams that are silent for 30 s.
pub(crate) const STREAM_KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Time for which idle connections stay open once shutdown begins; requests under way arrive.
pub(crate) const LINGER: Duration = Duration::from_secs(1);
/// Time for answers to calls that the drain time cuts, and for goodbyes; nothing is computed then.
pub(crate) const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for a client to close its half of a connection; without it an answer could be lost.
pub(crate) const HALF_CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of one body over HTTP/2, and half of those of one connection, that are received before
/// they are read; the longest body comes in time with 300 ms for each window.
pub(crate) const HTTP2_WINDOW: u32 = 48 * KIB as u32;
/// Requests that one connection of HTTP/2 may have open; as many as calls.
pub(crate) const MAX_HTTP2_STREAMS: u32 = 256;
/// Calls of all callers that are in flight; some kilobytes each.
pub(crate) const MAX_CALLS: usize = 10_000;
/// Subscriptions of all callers that are open; some kilobytes each.
pub(crate) const MAX_HTTP_SUBSCRIPTIONS: usize = 10_000;
/// Sessions of one process; at most 4 KiB each while they are idle.
pub(crate) const MAX_SESSIONS: usize = 10_000;
/// Time without a request or a stream until a session ends; a person takes a break.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);
/// Bytes of the parameters of `initialize`, which are kept as long as the session.
pub(crate) const MAX_INITIALIZE_BYTES: usize = 64 * KIB;
/// Cancellations of one session that are kept until their requests come; as many as it may have
/// calls in flight.
pub(crate) const MAX_EARLY_CANCELLATIONS: usize = 256;
/// Time for a request to come after its cancellation; both were sent at about the same time.
pub(crate) const EARLY_CANCELLATION: Duration = Duration::from_secs(5);
/// Messages of a server, other than answers, that wait in one stream; bounds short messages.
pub(crate) const MAX_STREAM_MESSAGES: usize = 1024;
/// Messages outside of requests that wait for a client; it may never open a stream for them.
pub(crate) const MAX_SESSION_MESSAGES: usize = 16;
/// Events of one session that are kept for resumption; the break of a connection lasts seconds.
pub(crate) const MAX_SESSION_EVENTS: usize = 256;
/// Bytes of the events of one session that are kept for resumption.
pub(crate) const MAX_SESSION_EVENT_BYTES: usize = MIB;
/// Bytes of the events of all sessions that are kept for resumption; 128 full sessions.
pub(crate) const MAX_EVENT_BYTES: usize = 128 * MIB;
/// Pause before a store that failed is called again about a session that is over.
pub(crate) const STORE_PAUSE: Duration = Duration::from_secs(10);

// Clients.

/// Time to wait for the answer to a request; most tools answer within it.
pub(crate) const ANSWER_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Time to wait for the answer to a request in all, where progress extends the wait.
pub(crate) const ANSWER_TOTAL_TIMEOUT: Duration = Duration::from_secs(600);
/// Time for the answer to `server/discover`; some old servers ignore unknown methods.
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// Time between two `ping`s of a client; a lost server is noticed within two minutes.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(30);
/// Time for the answer to a `ping`; nothing is computed for it.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Unanswered `ping`s in a row until the connection counts as lost; one may be late.
pub(crate) const PING_MISSES: u32 = 3;
/// Tries in a row to connect anew; about half a minute in all.
pub(crate) const RECONNECT_TRIES: u32 = 5;
/// Pause before the first try to connect anew; each further one is twice as long.
pub(crate) const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause before a try to connect anew; a server that is back is found soon.
pub(crate) const MAX_RECONNECT_PAUSE: Duration = Duration::from_secs(30);
/// Time that a connection must last for the tries to begin anew; a server that crashes does not.
pub(crate) const STABLE_CONNECTION: Duration = Duration::from_secs(30);
/// Time that a stream must last for the pauses before it is reopened to begin anew.
pub(crate) const STABLE_STREAM: Duration = Duration::from_secs(10);
/// Pages of one list; ends a list whose server always names another page.
pub(crate) const MAX_PAGES: usize = 1000;
/// Bytes of one list, all pages together; the pages alone would allow 16 GiB.
pub(crate) const MAX_LIST_BYTES: usize = 64 * MIB;
/// Rounds of questions that a client answers for one call; ends a server that asks without end.
pub(crate) const MAX_QUESTION_ROUNDS: usize = 10;
/// Repetitions of a call that is safe to repeat; ends a call that kills its server each time.
pub(crate) const MAX_REPEATS: u32 = 2;
/// Notifications that one reader may leave unread; the oldest are dropped.
pub(crate) const MAX_UNREAD_NOTIFICATIONS: usize = 256;
/// Answers that the cache keeps; few servers have as many resources in use.
pub(crate) const MAX_CACHED_ANSWERS: usize = 1024;
/// Bytes of answers that the cache keeps.
pub(crate) const MAX_CACHED_BYTES: usize = 16 * MIB;
/// Time for what is left to be sent when a connection is closed; `close` does not hang.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time to read on from a server that takes no more; the last it sent may be an answer.
pub(crate) const LAST_READ_TIMEOUT: Duration = Duration::from_millis(200);

// Child processes.

/// Time for the negotiation with a child until the log names it; most programs start within it.
pub(crate) const FIRST_ANSWER_NOTICE: Duration = Duration::from_secs(5);
/// Time for each step of ending a child: after its input is closed, and after SIGTERM.
pub(crate) const CHILD_GRACE: Duration = Duration::from_secs(2);
/// Time for the exit of a child after the end of its output, so that errors name its status.
pub(crate) const EXIT_STATUS_TIMEOUT: Duration = Duration::from_millis(200);
/// Time to read the rest of standard error of a child that has ended; descendants may hold it open.
pub(crate) const STDERR_TIMEOUT: Duration = Duration::from_secs(1);
/// Bytes of standard error that `ChildExited` carries; the last words explain the end.
pub(crate) const EXIT_STDERR_BYTES: usize = 4 * KIB;
/// Bytes of standard error that are captured; the newest are kept.
pub(crate) const CAPTURED_STDERR_BYTES: usize = 64 * KIB;
/// Bytes of one line of standard error in the log; longer lines are logged in parts.
pub(crate) const STDERR_LINE_BYTES: u64 = 8 * KIB as u64;

// HTTP clients.

/// Bytes of the names of tools and of arguments that headers repeat; some thousand tools.
pub(crate) const MAX_PARAM_HEADER_BYTES: usize = MIB;
/// Repetitions of a request that was not served.
pub(crate) const HTTP_RETRIES: u32 = 2;
/// Pause before the first repetition of a request; each further one is twice as long.
pub(crate) const FIRST_RETRY: Duration = Duration::from_millis(200);
/// Longest `Retry-After` that is waited for; after a longer one the caller decides.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(10);
/// Redirects of one request, all within its origin; ends a circle of redirects.
pub(crate) const MAX_REDIRECTS: usize = 5;
/// Pause before a stream is resumed, where the server does not set it by `retry`.
pub(crate) const RESUMPTION_PAUSE: Duration = Duration::from_secs(1);
/// Shortest pause before a stream is resumed; a server may set `retry` to 0.
pub(crate) const MIN_RESUMPTION_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause before a stream is resumed, unless the server asks for a longer one.
pub(crate) const MAX_RESUMPTION_PAUSE: Duration = Duration::from_secs(30);
/// Resumptions of a call's stream in a row that bring no message; ends a call that is lost.
pub(crate) const MAX_RESUMPTIONS: usize = 5;
/// Silence before TCP asks whether the other side is there; a quiet stream would not notice.
pub(crate) const TCP_KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Time for the event `endpoint` of HTTP+SSE; another kind of server never sends it.
pub(crate) const ENDPOINT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for calls in flight to fail by themselves when the server has ended the session; their
/// errors show if they can be repeated.
pub(crate) const SESSION_END_TIMEOUT: Duration = Duration::from_millis(500);
/// Times that a request is sent again after 401 or 403: login, refresh, nonce, more scopes; ends a
/// server that is never content.
pub(crate) const MAX_CHALLENGES: u32 = 5;
/// Time for one HTTP request of an authenticator; a person waits for it.
pub(crate) const AUTH_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of an answer to an authenticator; metadata and keys have a few KiB.
pub(crate) const AUTH_ANSWER_BYTES: usize = MIB;
/// Messages of the server that wait to be read; beyond it the server is not read.
pub(crate) const HTTP_INBOX: usize = 64;
/// Notifications that wait to be sent, one request after the other; more are dropped.
pub(crate) const MAX_UNSENT_NOTIFICATIONS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = include_str!("../../docs/configuration.md");
    const SOURCE: &str = include_str!("limits.rs");

    /// Each constant: name, value in the words of the document, and text of the line that has it.
    macro_rules! documented {
        ($($constant:ident $unit:ident $text:literal)*) => {
            vec![$((stringify!($constant), $unit($constant), $text)),*]
        };
    }

    fn all() -> Vec<(&'static str, String, &'static str)> {
        documented! {
            MAX_DEPTH count "`max_depth`"
            MAX_FRAME_BYTES bytes "`max_frame_bytes`"
            MAX_IN_FLIGHT count "`max_in_flight`"
            MAX_OPEN count "subscriptions of a connection"
            DRAIN_TIMEOUT time "`drain_timeout`"
            WRITE_TIMEOUT time "`write_timeout`"
            MAX_UNSENT_BYTES bytes "answers that a client has not read"
            MAX_QUEUED_BYTES bytes "what a server says by itself"
            MEMORY_BYTES bytes "a connection in memory"
            EXCERPT_CHARS count "is no message"
            MAX_CONNECTIONS count "`max_connections`"
            ACCEPT_PAUSE time "could not be accepted"
            WEBSOCKET_HANDSHAKE_TIMEOUT time "handshake of a WebSocket"
            WEBSOCKET_PING time "`ping_every`"
            MAX_SUBSCRIPTIONS count "subscriptions of a client to resources"
            ANNOUNCE_INTERVAL time "announcements of changes"
            PROGRESS_INTERVAL time "reports of progress"
            MAX_ASKING_ROUNDS count "rounds in which a call asks"
            ANSWER_TIMEOUT time "sealed state"
            ANSWER_TIMEOUT time "`input_timeout`"
            MAX_KEPT_STATES count "without the feature `seal`"
            MAX_BUCKETS count "token buckets"
            SAMPLING_TOKENS count "tokens of a sampling request"
            MAX_COMPLETIONS count "suggestions of a completion"
            MAX_LISTED_FAULTS count "faults that an error lists"
            MAX_FAULT_BYTES count "faults that an error lists"
            MAX_FOUND_FAULTS count "faults that are looked for"
            MAX_CHECKED_VALUES count "faults that are looked for"
            MAX_CHECKED_DEPTH count "nesting of arguments"
            MAX_STRICT_DEPTH count "arguments that headers repeat"
            MAX_SCHEMA_REFERENCES count "references of schemas"
            MAX_URI_BYTES bytes "matched with templates"
            MAX_WARNINGS count "warnings of announced changes"
            LONG_HOLD time "hold their thread"
            MAX_FILE_BYTES bytes "`max_size`"
            FILE_WALK_LIFETIME time "walk that a first page"
            MAX_BODY_BYTES bytes "`max_body_bytes`"
            MAX_BUFFERED_BODY_BYTES bytes "`max_buffered_body_bytes`"
            BODY_SHARES share "`max_buffered_body_bytes`"
            FREE_BODY_BYTES bytes "`max_buffered_body_bytes`"
            ENDPOINT_BODY_BYTES bytes "endpoint of the policy"
            MAX_UNREAD_BYTES bytes "`max_unread_bytes`"
            MAX_UNREAD_BYTES_TOTAL bytes "`max_unread_bytes_total`"
            MAX_HEAD_BYTES bytes "head of a request"
            MAX_EVENT_ID_BYTES bytes "`Last-Event-ID`"
            HEAD_TIMEOUT time "`head_timeout`"
            BODY_TIMEOUT time "`body_timeout`"
            AUTH_TIMEOUT time "`auth_timeout`"
            REVALIDATION_PAUSE time "access to a stream"
            STREAM_KEEP_ALIVE time "`keep_alive`"
            LINGER time "`linger`"
            LAST_ANSWERS_TIMEOUT time "cut by the drain time"
            HALF_CLOSE_TIMEOUT time "close its half"
            HTTP2_WINDOW bytes "connection of HTTP/2"
            MAX_HTTP2_STREAMS count "connection of HTTP/2"
            MAX_CALLS count "`max_calls`"
            MAX_HTTP_SUBSCRIPTIONS count "`max_subscriptions`"
            MAX_SESSIONS count "`max_sessions`"
            SESSION_IDLE time "`session_idle`"
            MAX_INITIALIZE_BYTES bytes "parameters of `initialize`"
            MAX_EARLY_CANCELLATIONS count "before their requests"
            EARLY_CANCELLATION time "before their requests"
            MAX_STREAM_MESSAGES count "what a server says by itself"
            MAX_SESSION_MESSAGES count "what a server says by itself"
            MAX_SESSION_EVENTS count "`event_store`"
            MAX_SESSION_EVENT_BYTES bytes "`event_store`"
            MAX_EVENT_BYTES bytes "`event_store`"
            MAX_SESSION_EVENT_BYTES bytes "wait for a store"
            STORE_PAUSE time "store fails"
            ANSWER_IDLE_TIMEOUT time "`timeouts`"
            ANSWER_TOTAL_TIMEOUT time "`timeouts`"
            PROBE_TIMEOUT time "`probe_timeout`"
            PING_EVERY time "`ping` every"
            PING_TIMEOUT time "`ping` every"
            PING_MISSES count "`ping` every"
            RECONNECT_TRIES count "`reconnect`"
            RECONNECT_PAUSE seconds "`reconnect`"
            MAX_RECONNECT_PAUSE time "`reconnect`"
            STABLE_CONNECTION time "`stable_after`"
            STABLE_STREAM time "subscription's stream"
            STABLE_STREAM time "resumption of the session's stream"
            MAX_PAGES count "`max_pages`"
            MAX_LIST_BYTES bytes "`max_list_bytes`"
            MAX_QUESTION_ROUNDS count "`max_rounds`"
            MAX_REPEATS count "times that a call is sent again"
            MAX_UNREAD_NOTIFICATIONS count "a reader has not read"
            MAX_CACHED_ANSWERS count "answers that are kept"
            MAX_CACHED_BYTES bytes "answers that are kept"
            CLOSE_TIMEOUT time "when the connection is closed"
            CLOSE_TIMEOUT time "end of a connection"
            LAST_READ_TIMEOUT time "takes no more"
            FIRST_ANSWER_NOTICE time "child process that does not answer"
            CHILD_GRACE time "`ChildProcess::grace`"
            EXIT_STATUS_TIMEOUT time "after the end of its output"
            STDERR_TIMEOUT time "a child that has ended"
            EXIT_STDERR_BYTES bytes "`ChildExited`"
            CAPTURED_STDERR_BYTES bytes "standard error that is captured"
            STDERR_LINE_BYTES bytes "standard error that is captured"
            MAX_PARAM_HEADER_BYTES bytes "names of arguments"
            MAX_EVENT_ID_BYTES bytes "the id of an event"
            HTTP_RETRIES count "`http_client(…).retries`"
            FIRST_RETRY milliseconds "`http_client(…).retries`"
            MAX_RETRY_AFTER time "`http_client(…).retries`"
            MAX_REDIRECTS count "redirects"
            RESUMPTION_PAUSE time "resumption of a call's stream"
            MIN_RESUMPTION_PAUSE time "resumption of a call's stream"
            MAX_RESUMPTION_PAUSE time "resumption of the session's stream"
            MAX_RESUMPTIONS count "resumption of a call's stream"
            TCP_KEEP_ALIVE time "TCP keep-alive"
            ENDPOINT_TIMEOUT time "event `endpoint`"
            SESSION_END_TIMEOUT time "ended the session"
            MAX_CHALLENGES count "after 401 or 403"
            AUTH_REQUEST_TIMEOUT time "an authenticator's own"
            AUTH_ANSWER_BYTES bytes "an authenticator's own"
            HTTP_INBOX count "wait for the client"
            MAX_UNSENT_NOTIFICATIONS count "notifications that wait to be sent"
        }
    }

    fn count(number: impl TryInto<u64>) -> String {
        let number = number.try_into().unwrap_or_default();
        match (number / 1000, number % 1000) {
            (0, rest) => rest.to_string(),
            (thousands, rest) => format!("{thousands},{rest:03}"),
        }
    }

    fn bytes(number: impl TryInto<usize>) -> String {
        match number.try_into().unwrap_or_default() {
            bytes if bytes >= MIB => format!("{} MiB", bytes / MIB),
            bytes => format!("{} KiB", bytes / KIB),
        }
    }

    fn time(time: Duration) -> String {
        match (time.as_secs(), time.subsec_millis()) {
            (0, milliseconds) => format!("{milliseconds} ms"),
            (seconds @ ..=60, _) => format!("{seconds} s"),
            (seconds, _) => format!("{} minutes", seconds / 60),
        }
    }

    /// The first of several times that share their unit.
    fn seconds(time: Duration) -> String {
        time.as_secs().to_string()
    }

    fn milliseconds(time: Duration) -> String {
        time.as_millis().to_string()
    }

    fn share(of: usize) -> String {
        assert_eq!(of, 8);
        "an eighth".to_owned()
    }

    /// Returns true if the value stands in the line by itself: `5 s` does not in `15 s`.
    fn has(line: &str, value: &str) -> bool {
        line.match_indices(value).any(|(at, _)| {
            let before = line[..at].trim_end_matches([',', '.']);
            let after = &line[at + value.len()..];
            !before.ends_with(|last: char| last.is_ascii_digit())
                && !after.starts_with(|next: char| next.is_alphanumeric())
        })
    }

    #[test]
    fn the_document_lists_each_with_its_value() {
        let lines = || DOCUMENT.split_inclusive("\n\n").flat_map(rows);
        for (name, value, text) in all() {
            let mut about = lines().filter(|line| line.contains(text)).peekable();
            assert!(about.peek().is_some(), "{name}: nothing about {text:?}");
            assert!(
                about.any(|line| has(&line, &value)),
                "{name}: {text:?} is not said to be {value}"
            );
        }
    }

    /// Rows of a table, or a paragraph as one line.
    fn rows(block: &str) -> Vec<String> {
        if block.starts_with('|') {
            return block.lines().map(str::to_owned).collect();
        }
        vec![block.replace('\n', " ")]
    }

    #[test]
    fn none_is_left_out() {
        let all = all();
        let declared = SOURCE.lines().filter_map(|line| {
            line.trim_start()
                .strip_prefix("pub(crate) const ")?
                .split(':')
                .next()
        });
        for name in declared.filter(|name| *name != "FOREVER") {
            assert!(
                all.iter().any(|(known, ..)| *known == name),
                "{name} is not in the table of this test"
            );
        }
    }
}
