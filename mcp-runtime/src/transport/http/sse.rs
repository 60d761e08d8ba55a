//! Server-sent events, which servers write and clients parse.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;

use crate::connection::BYTE_ORDER_MARK;
use crate::limits::MAX_EVENT_ID_BYTES;

/// A comment that keeps the connection from looking idle.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The comment that ends a stream when the client's access has expired.
pub(super) const EXPIRED: &[u8] = b": the access has expired: come back with a new token\n\n";

/// Writes one event. `data` must be a single line.
pub(super) fn event(id: Option<&str>, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 32);
    if let Some(id) = id {
        field(&mut out, b"id: ", id.as_bytes());
    }
    field(&mut out, b"data: ", data);
    out.push(b'\n');
    out.into()
}

/// Writes an event without a message. It carries the id to resume from and, if the stream is about
/// to be cut, the time after which to resume.
pub(super) fn empty(id: &str, retry_ms: Option<u128>) -> Bytes {
    let mut out = Vec::new();
    field(&mut out, b"id: ", id.as_bytes());
    if let Some(retry) = retry_ms {
        field(&mut out, b"retry: ", retry.to_string().as_bytes());
    }
    field(&mut out, b"data:", b"");
    out.push(b'\n');
    out.into()
}

fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(value);
    out.push(b'\n');
}

#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The largest message, in bytes.
    limit: usize,
    /// The beginning of a line that has not ended yet.
    buffer: Vec<u8>,
    /// True if any line has been received.
    begun: bool,
    /// True if the last line ended with a carriage return, so that a line feed may still belong to
    /// it.
    returned: bool,
    data: Option<Vec<u8>>,
    /// The number of bytes in the event's other lines.
    other_bytes: usize,
    /// The number of bytes parsed since the event was refused for exceeding the limit.
    refused: Option<usize>,
    /// The type of the current event; empty for a message.
    kind: Vec<u8>,
    /// The data of the event `endpoint`, which comes first in HTTP+SSE.
    pub(super) endpoint: Option<String>,
    /// The id of the last event, to resume from; `None` if there is no id, if a header can't carry the
    /// id, or if the id is longer than [`MAX_EVENT_ID_BYTES`].
    pub(super) last_id: Option<HeaderValue>,
    /// How long the server asks clients to wait before they resume.
    pub(super) retry: Option<Duration>,
}

/// An event with a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    Message(Vec<u8>),
    /// The beginning of a message that exceeds the limit. The rest may not have arrived yet.
    TooLarge(Vec<u8>),
}

/// How many bytes of an oversized message are kept, to look for its id.
const HEAD: usize = 4096;

/// The length of the longest known field name, with a colon and a space.
const FIELD: usize = "event: ".len();

impl EventParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Starts parsing a stream that continues the last one. An incomplete event is dropped.
    pub(super) fn resume(&mut self) {
        *self = Self {
            limit: self.limit,
            endpoint: self.endpoint.take(),
            last_id: self.last_id.take(),
            retry: self.retry,
            ..Self::default()
        };
    }

    /// Returns true if a refused event has since continued for more than the limit, so waiting
    /// for its end is not worthwhile.
    pub(super) fn is_endless(&self) -> bool {
        self.refused.is_some_and(|bytes| bytes > self.limit)
    }

    /// Parses bytes, and returns the events that are now complete or too large.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        self.refused = self
            .refused
            .map(|before| before.saturating_add(bytes.len()));
        let mut rest = bytes;
        while let Some(length) = memchr::memchr2(b'\n', b'\r', rest) {
            let piece = &rest[..length];
            let end = rest[length];
            rest = &rest[length + 1..];
            self.extend(piece);
            let mut line = std::mem::take(&mut self.buffer);
            let returned = std::mem::replace(&mut self.returned, end == b'\r');
            if !(returned && end == b'\n' && line.is_empty()) {
                events.extend(self.line(&line));
            }
            line.clear();
            self.buffer = line;
        }
        self.extend(rest);
        events.extend(self.refuse());
        events
    }

    /// Appends to the buffered line, but no more than is needed to see that it exceeds the limit.
    fn extend(&mut self, piece: &[u8]) {
        let room = self.longest_line() - self.buffer.len();
        self.buffer
            .extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// The length at which a line exceeds the limit, whatever its field.
    fn longest_line(&self) -> usize {
        self.limit.saturating_add(FIELD + BYTE_ORDER_MARK.len() + 1)
    }

    /// Refuses the event once if it exceeds the limit.
    fn refuse(&mut self) -> Option<Event> {
        let data = self.data.as_ref().map_or(0, Vec::len);
        let longest = data.max(self.other_bytes);
        let exceeds = longest > self.limit || self.buffer.len() >= self.longest_line();
        if !exceeds || self.refused.is_some() {
            return None;
        }
        self.refused = Some(0);
        let mut head = self.data.take().unwrap_or_else(|| {
            let line = self.buffer.strip_prefix(b"data:");
            line.unwrap_or_default().to_vec()
        });
        head.truncate(HEAD);
        Some(Event::TooLarge(head))
    }

    fn line(&mut self, mut line: &[u8]) -> Option<Event> {
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.complete();
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if field != b"data" {
            self.other_bytes = self.other_bytes.saturating_add(line.len());
        }
        match field {
            b"data" => self.data(value),
            b"event" => self.kind = value.to_vec(),
            b"id" if !value.contains(&0) => {
                // An id that a header can't carry makes the stream impossible to resume: resuming
                // from an earlier id would be wrong. The length of an oversized line is unknown,
                // because only its beginning is buffered.
                let longest = MAX_EVENT_ID_BYTES.min(self.limit);
                let is_kept = (1..=longest).contains(&value.len());
                let id = is_kept.then(|| HeaderValue::from_bytes(value).ok());
                self.last_id = id.flatten();
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok()?.parse().ok()?;
                self.retry = Some(Duration::from_millis(millis));
            }
            _ => {}
        }
        self.refuse()
    }

    fn data(&mut self, value: &[u8]) {
        match &mut self.data {
            _ if self.refused.is_some() => {}
            Some(data) => {
                // Line breaks are white space between JSON tokens, so a space in their place keeps
                // the message on one line.
                data.push(b' ');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    fn complete(&mut self) -> Option<Event> {
        let data = self.data.take().unwrap_or_default();
        let kind = std::mem::take(&mut self.kind);
        self.other_bytes = 0;
        if self.refused.take().is_some() {
            return None;
        }
        match &*kind {
            b"" | b"message" => (!data.is_empty()).then_some(Event::Message(data)),
            b"endpoint" => {
                // Data that is not UTF-8 is not a valid URL either, and is refused later.
                self.endpoint = Some(String::from_utf8_lossy(&data).into_owned());
                None
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines_closed_by_an_empty_one() {
        assert_eq!(event(None, b"{}"), "data: {}\n\n");
        assert_eq!(event(Some("1-2"), b"{}"), "id: 1-2\ndata: {}\n\n");
        assert_eq!(empty("1-2", Some(500)), "id: 1-2\nretry: 500\ndata:\n\n");
    }

    fn parser() -> EventParser {
        EventParser::new(100)
    }

    fn fed(parser: &mut EventParser, pieces: &[&str]) -> Vec<String> {
        let events = pieces
            .iter()
            .flat_map(|piece| parser.feed(piece.as_bytes()));
        let texts = events.map(|event| match event {
            Event::Message(message) => String::from_utf8(message).unwrap(),
            Event::TooLarge(head) => format!("too large: {}", head.len()),
        });
        texts.collect()
    }

    #[test]
    fn events_are_found_however_they_arrive() {
        let mut parser = parser();
        let pieces = [
            "id: 1-0\nda",
            "ta:\n\nda",
            "ta: {\"a\"\ndata: :1}\r\n\r",
            "\n: comment\n\n",
        ];
        assert_eq!(fed(&mut parser, &pieces), [r#"{"a" :1}"#]);
        assert_eq!(parser.last_id, Some("1-0".parse().unwrap()));
        assert_eq!(
            fed(&mut parser, &["retry: 500\nevent: message\ndata: 7\n\n"]),
            ["7"]
        );
        assert_eq!(parser.retry, Some(Duration::from_millis(500)));
    }

    #[test]
    fn lines_end_as_they_like() {
        for pieces in [
            &["\u{feff}data: 1\r\rdata: 2\n\rdata: 3\r\n\r\n"][..],
            &["data: 1\r", "\n\r", "\ndata: 2\r\r", "data: 3\n", "\n"],
            &["da", "ta", ": 1", "\r", "\rdata: 2\n\ndata: 3\r", "\r"],
        ] {
            assert_eq!(fed(&mut parser(), pieces), ["1", "2", "3"]);
        }
    }

    #[test]
    fn invalid_ids_and_times_are_left_out() {
        let mut parser = parser();
        let pieces = ["id: 7\nretry: 5\nid: 8\0\nretry: +9\nretry: 1s\n\n"];
        assert!(fed(&mut parser, &pieces).is_empty());
        assert_eq!(parser.last_id, Some("7".parse().unwrap()));
        assert_eq!(parser.retry, Some(Duration::from_millis(5)));
    }

    #[test]
    fn an_id_that_can_not_be_sent_back_is_none_to_resume_from() {
        let longest = "i".repeat(1024);
        let mut resumed = EventParser::new(2000);
        fed(&mut resumed, &[&*format!("id: {longest}\ndata: 1\n\n")]);
        assert_eq!(resumed.last_id, Some(longest.parse().unwrap()));
        for id in ["\u{1}", "", &"i".repeat(1025)] {
            let parser = parser();
            let pieces = [&*format!("id: 7\ndata: 1\n\nid: {id}\ndata: 2\n\n")];
            for mut parser in [parser, EventParser::new(2000)] {
                let found = fed(&mut parser, &pieces);
                assert_eq!(found[0], "1", "{id:?}");
                assert_eq!(parser.last_id, None, "{id:?}");
            }
        }
    }

    #[test]
    fn events_of_other_kinds_are_not_messages() {
        let mut parser = parser();
        let pieces = ["event: endpoint\ndata: /m\n\nevent: x\ndata: 1\n\ndata: 2\n\n"];
        assert_eq!(fed(&mut parser, &pieces), ["2"]);
        assert_eq!(parser.endpoint.as_deref(), Some("/m"));
    }

    #[test]
    fn an_event_over_the_limit_is_not_held_and_others_are_read() {
        let exact = "x".repeat(100);
        let long = "x".repeat(101);
        let half = "x".repeat(60);
        for (pieces, found) in [
            (format!("data: {exact}\n\n"), exact.clone()),
            (format!("\u{feff}data: {exact}\n\n"), exact.clone()),
            (format!("data: {long}\n\n"), "too large: 101".to_owned()),
            (
                format!("data: {half}\ndata: {half}\ndata: {half}\n\n"),
                "too large: 121".to_owned(),
            ),
        ] {
            let mut parser = parser();
            let texts = fed(&mut parser, &[&pieces, "id: 9\ndata: 2\n\n"]);
            assert_eq!(texts, [found, "2".to_owned()], "{pieces:?}");
            assert_eq!(parser.last_id, Some("9".parse().unwrap()));
        }
    }

    #[test]
    fn an_event_that_never_ends_is_refused_at_the_limit() {
        let half = "x".repeat(60);
        for (beginning, piece) in [
            ("data: ", &*half),
            ("data: 1\ndata: ", &half),
            ("", "data: 1\n"),
            ("", "data:\n"),
            ("", ": 1\n"),
            ("data: 1\n", "id: 1\n"),
        ] {
            let mut parser = parser();
            let mut found = fed(&mut parser, &[beginning]);
            while !parser.is_endless() {
                found.extend(fed(&mut parser, &[piece]));
                assert!(parser.buffer.capacity() < 500);
            }
            assert_eq!(found.len(), 1, "{beginning:?} {piece:?}");
            assert!(found[0].starts_with("too large: "), "{found:?}");
            // The event ends after all.
            assert_eq!(fed(&mut parser, &["\n\ndata: 2\n\n"]), ["2"]);
            assert!(!parser.is_endless());
        }
    }

    #[test]
    fn an_event_that_breaks_off_is_dropped() {
        let mut parser = parser();
        assert!(fed(&mut parser, &["id: 1\ndata: 1\ndata: brok"]).is_empty());
        parser.resume();
        assert_eq!(fed(&mut parser, &["\u{feff}data: 2\n\n"]), ["2"]);
        assert_eq!(parser.last_id, Some("1".parse().unwrap()));
    }
}
