//! Recordings of the messages of connections.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use mcp_types::{RawJsonRef, Side};

use crate::sync::lock;

/// The messages of connections, in order. Cloning is cheap: the clones share the messages.
///
/// A recording keeps the messages in memory for tests, or [writes them to a file](Self::to_file).
/// Attach it to a connection with [`Connect::record`](crate::testing::Connect::record),
/// [`Server::record`](crate::Server::record) or
/// [`ClientBuilder::record`](crate::ClientBuilder::record).
///
/// # Format
///
/// Each message is a JSON object on one line:
///
/// ```json
/// {"time":"2026-11-28T02:00:00.123Z","connection":1,"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"ping"}}
/// ```
///
/// | member | meaning |
/// |---|---|
/// | `time` | when the message was received, or was about to be sent (RFC 3339, UTC) |
/// | `connection` | a number, because ids are only unique within a connection |
/// | `from` | the side that sent the message: `client` or `server` |
/// | `message` | the message or batch as it was sent; line breaks between its tokens are spaces |
/// | `text` | instead of `message`: what a faulty peer sent, if it is not JSON |
///
/// Over HTTP, a connection is a session, or a single request outside of sessions. Headers are not
/// recorded. A message that exceeds a size limit is not recorded, but its error is, except over HTTP.
///
/// [`without_times`](Self::without_times) leaves out `time`, for snapshots.
#[derive(Clone, Default)]
pub struct Recording {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    connections: u64,
    sink: Sink,
    on_error: Option<Box<dyn FnOnce(io::Error) + Send>>,
}

enum Sink {
    Memory(Vec<Entry>),
    Writer(Box<dyn Write + Send>),
    /// An earlier message could not be written.
    Failed,
}

struct Entry {
    time: SystemTime,
    connection: u64,
    from: Side,
    message: String,
    is_json: bool,
}

impl Default for Sink {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Recording {
    /// Records to the file at `path`, which is created or emptied. On Unix, only its owner may read
    /// and write it (mode 0600), even if others could before: messages may contain secrets.
    ///
    /// Each line is written as soon as the message is sent or received. After the process was
    /// killed, at most the last line is incomplete.
    ///
    /// # Errors
    ///
    /// When the file can't be opened for writing, or its mode can't be changed.
    pub fn to_file(path: impl AsRef<Path>) -> io::Result<Self> {
        create(path.as_ref()).map(Self::to_writer)
    }

    /// Records to `writer`, which gets each line in one call of [`Write::write_all`], followed by a
    /// [`Write::flush`]. Nothing is kept in memory. Connections wait for the writer, so it must be
    /// fast. If it fails, nothing more is recorded, and the error is logged unless
    /// [`on_error`](Self::on_error) handles it.
    pub fn to_writer(writer: impl Write + Send + 'static) -> Self {
        let recording = Self::default();
        recording.lock().sink = Sink::Writer(Box::new(writer));
        recording
    }

    /// Calls `observer` instead of logging an error when a message can't be written. The observer must
    /// not use the recording.
    #[must_use]
    pub fn on_error(self, observer: impl FnOnce(io::Error) + Send + 'static) -> Self {
        self.lock().on_error = Some(Box::new(observer));
        self
    }

    /// The messages in memory and their senders.
    #[must_use]
    pub fn messages(&self) -> Vec<(Side, String)> {
        let state = self.lock();
        let entries = state.entries().iter();
        entries.map(|it| (it.from, it.message.clone())).collect()
    }

    /// Removes the messages in memory, such as the negotiation.
    pub fn clear(&self) {
        if let Sink::Memory(entries) = &mut self.lock().sink {
            entries.clear();
        }
    }

    /// The lines of the messages in memory without `time`, for snapshots.
    #[must_use]
    pub fn without_times(&self) -> String {
        let state = self.lock();
        let lines = state.entries().iter().map(Entry::line_without_time);
        lines.map(|line| format!("{{{line}")).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// The lines of the messages in memory.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        let mut entries = state.entries().iter();
        entries.try_for_each(|entry| f.write_str(&entry.line()))
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").finish_non_exhaustive()
    }
}

impl State {
    fn entries(&self) -> &[Entry] {
        match &self.sink {
            Sink::Memory(entries) => entries,
            Sink::Writer(_) | Sink::Failed => &[],
        }
    }

    fn push(&mut self, entry: Entry) {
        match &mut self.sink {
            Sink::Memory(entries) => entries.push(entry),
            Sink::Failed => {}
            Sink::Writer(writer) => {
                let line = entry.line();
                let written = writer.write_all(line.as_bytes());
                if let Err(error) = written.and_then(|()| writer.flush()) {
                    self.sink = Sink::Failed;
                    match self.on_error.take() {
                        Some(observer) => observer(error),
                        None => {
                            crate::log::error!(%error, "a message could not be recorded, so the recording ends");
                        }
                    }
                }
            }
        }
    }
}

impl Entry {
    fn line(&self) -> String {
        let time = rfc3339(self.time);
        format!(r#"{{"time":"{time}",{}"#, self.line_without_time())
    }

    /// Returns the line without its beginning.
    fn line_without_time(&self) -> String {
        let connection = self.connection;
        let from = match self.from {
            Side::Client => "client",
            Side::Server => "server",
        };
        let message = if self.is_json {
            // In JSON, line breaks are only between tokens.
            let message = self.message.replace(['\n', '\r'], " ");
            format!(r#""message":{message}"#)
        } else {
            let text = serde_json::Value::from(&*self.message);
            format!(r#""text":{text}"#)
        };
        format!("\"connection\":{connection},\"from\":\"{from}\",{message}}}\n")
    }
}

/// Records the messages of one connection. The default records nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Option<(Recording, u64, Side)>);

impl Recorder {
    /// Returns a recorder for a new connection. `side` is this end of the connection.
    pub(crate) fn new(recording: Option<&Recording>, side: Side) -> Self {
        Self(recording.map(|recording| {
            let mut state = recording.lock();
            state.connections += 1;
            (recording.clone(), state.connections, side)
        }))
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn sent(&self, message: &[u8]) {
        self.push(message, true);
    }

    pub(crate) fn received(&self, message: &[u8]) {
        self.push(message, false);
    }

    fn push(&self, message: &[u8], is_sent: bool) {
        let Some((recording, connection, side)) = &self.0 else {
            return;
        };
        let from = match is_sent == (*side == Side::Client) {
            true => Side::Client,
            false => Side::Server,
        };
        recording.lock().push(Entry {
            time: SystemTime::now(),
            connection: *connection,
            from,
            message: String::from_utf8_lossy(message).into_owned(),
            is_json: serde_json::from_slice::<RawJsonRef<'_>>(message).is_ok(),
        });
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<File> {
    use std::fs::Permissions;
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

    let mut options = OpenOptions::new();
    // Another process may record to the same file, so write at its end.
    let file = options.append(true).create(true).mode(0o600).open(path)?;
    // Devices and pipes can't be emptied, and keep their mode.
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.set_len(0)?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Formats a time as RFC 3339 in UTC, with milliseconds. A time before 1970 becomes 1970.
fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or(Duration::ZERO);
    let (mut day, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let february = |year| 28 + u64::from(is_leap(year));
    let mut year = 1970;
    while day >= 337 + february(year) {
        day -= 337 + february(year);
        year += 1;
    }
    let lengths = [31, february(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (month, day) = (month + 1, day + 1);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let milli = since.subsec_millis();
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn at(seconds: u64, millis: u32) -> String {
        rfc3339(SystemTime::UNIX_EPOCH + Duration::new(seconds, millis * 1_000_000))
    }

    #[test]
    fn times_are_dates_in_utc() {
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399, 999), "2000-02-28T23:59:59.999Z");
        assert_eq!(at(951_782_400, 0), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_795_831_200, 123), "2026-11-28T02:00:00.123Z");
        assert_eq!(at(1_798_761_599, 0), "2026-12-31T23:59:59.000Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(rfc3339(before), at(0, 0));
    }

    #[test]
    fn a_line_has_the_message_as_it_was_sent() {
        let recording = Recording::default();
        let recorder = Recorder::new(Some(&recording), Side::Client);
        recorder.sent(b"{ \"id\":1.0,\n\t\"id\": 1 }");
        recorder.received(b"Hello, \"\xff\"");
        assert_eq!(
            recording.without_times(),
            "{\"connection\":1,\"from\":\"client\",\"message\":{ \"id\":1.0, \t\"id\": 1 }}\n\
             {\"connection\":1,\"from\":\"server\",\"text\":\"Hello, \\\"\u{fffd}\\\"\"}\n"
        );
        let line = recording.to_string();
        assert!(line.starts_with("{\"time\":\"2"), "{line}");
        assert!(line.contains("Z\",\"connection\":1,\"from\":\"client\","));
    }

    #[test]
    fn a_file_is_emptied_and_gets_whole_lines_of_all_connections() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("messages.jsonl");
        std::fs::write(&path, "old").unwrap();
        let recording = Recording::to_file(&path).unwrap();
        let message = format!("\"{}\"", "x".repeat(100_000));
        thread::scope(|scope| {
            for _ in 0..4 {
                let recorder = Recorder::new(Some(&recording), Side::Server);
                let message = &message;
                scope.spawn(move || (0..10).for_each(|_| recorder.sent(message.as_bytes())));
            }
        });
        // The recording is still open.
        let lines = std::fs::read_to_string(&path).unwrap();
        assert_eq!(lines.lines().count(), 40);
        for line in lines.lines() {
            assert!(line.starts_with("{\"time\":") && line.ends_with("\"}"));
            assert_eq!(line.matches(&message).count(), 1);
        }
        assert!(recording.messages().is_empty(), "nothing is kept in memory");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_for_its_owner_only() {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| {
            let path = folder.path().join(name);
            Recording::to_file(&path).unwrap();
            path.metadata().unwrap().permissions().mode() & 0o777
        };
        let old = folder.path().join("old");
        std::fs::write(&old, "").unwrap();
        std::fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
        assert_eq!([mode("old"), mode("new")], [0o600, 0o600]);
        assert!(Recording::to_file(folder.path()).is_err());
    }

    #[test]
    fn a_recording_that_can_not_be_written_ends() {
        struct Full(Arc<Mutex<usize>>);
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                *lock(&self.0) += 1;
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let tries = Arc::default();
        let recording = Recording::to_writer(Full(Arc::clone(&tries)));
        let errors = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&errors);
        let recording = recording.on_error(move |error| lock(&seen).push(error.kind()));
        let recorder = Recorder::new(Some(&recording), Side::Server);
        recorder.sent(b"1");
        recorder.sent(b"2");
        assert_eq!(*lock(&tries), 1);
        assert_eq!(*lock(&errors), [io::ErrorKind::StorageFull]);
    }
}
