//! Checks that the guide documents each limit.

use super::*;

const DOCUMENT: &str = include_str!("../../../docs/configuration.md");
const SOURCE: &str = include_str!("../limits.rs");

/// Lists constants: the name, the value as the document writes it, and a part of its line.
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
        MAX_QUEUED_BYTES bytes "a server's own messages"
        MEMORY_BYTES bytes "a connection in memory"
        EXCERPT_CHARS count "is not a message"
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
        MAX_STREAM_MESSAGES count "a server's own messages"
        MAX_SESSION_MESSAGES count "a server's own messages"
        MAX_SESSION_EVENTS count "`event_store`"
        MAX_SESSION_EVENT_BYTES bytes "`event_store`"
        MAX_EVENT_BYTES bytes "`event_store`"
        MAX_SESSION_EVENT_BYTES bytes "wait for a store"
        MAX_EDIT_ATTEMPTS count "applied again"
        MAX_BUS_MESSAGE_BYTES bytes "messages between replicas"
        MAX_WAITING_CHANGES count "changes that wait for other replicas"
        BUS_PAUSE time "published again"
        GAP_SPREAD time "possibly missed changes"
        FORWARD_WAIT time "forwarded to other replicas"
        FORWARD_ATTEMPTS count "forwarded to other replicas"
        MEMORY_BUS_MESSAGES count "`MemoryBus`"
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
        MAX_PROXY_CONNECTIONS count "connections to one server"
        PROXY_IDLE time "a connection of stateless callers"
        PROXY_RECONNECT_PAUSE time "to restore a lost connection"
        PROXY_LOGIN_WAIT time "a person who logs in"
        MAX_PARKED_CALLS count "the answers of stateless callers"
        PARKED_CALL time "wait of such a call"
        PROXY_CLOSE time "at the end of the proxy"
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

/// Formats a time without its unit, for lists of times that share the unit.
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

/// Returns true if the line contains the value as a whole: `15 s` does not contain `5 s`.
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

/// Returns the rows of a table, or a paragraph as one line.
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
