//! Server-sent events, as they are read.

use std::time::Duration;

/// Takes a stream of events apart, however its bytes arrive.
#[derive(Debug, Default)]
pub(super) struct EventParser {
    /// The beginning of a line.
    buffer: Vec<u8>,
    /// Whether any line has come.
    begun: bool,
    /// Whether the last line ended with a carriage return, of which a line feed may be a part.
    returned: bool,
    data: Vec<u8>,
    has_data: bool,
    /// What kind of event it is; empty for a message.
    kind: Vec<u8>,
    /// Where messages are to be posted: the first event of HTTP+SSE.
    pub(super) endpoint: Option<String>,
    /// The id of the last event, to resume from.
    pub(super) last_id: Option<String>,
    /// How long the server asks to wait before resuming.
    pub(super) retry: Option<Duration>,
}

/// A stream of events may begin with one, which is no part of them.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A stream whose event is longer than is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl EventParser {
    /// Takes in bytes, and gives back the messages that they complete.
    ///
    /// # Errors
    ///
    /// When an event is longer than `limit` bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], limit: usize) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut messages = Vec::new();
        let mut rest = bytes;
        while let Some(length) = memchr::memchr2(b'\n', b'\r', rest) {
            let (piece, end) = (&rest[..length], rest[length]);
            rest = &rest[length + 1..];
            self.buffer.extend_from_slice(piece);
            let mut line = std::mem::take(&mut self.buffer);
            let ended = std::mem::replace(&mut self.returned, end == b'\r');
            if !(ended && end == b'\n' && line.is_empty()) {
                messages.extend(self.line(&line));
            }
            line.clear();
            self.buffer = line;
        }
        self.buffer.extend_from_slice(rest);
        if self.buffer.len() > limit || self.data.len() > limit {
            return Err(TooLong);
        }
        Ok(messages)
    }

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let mut line = line;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            self.has_data = false;
            let data = std::mem::take(&mut self.data);
            let kind = std::mem::take(&mut self.kind);
            return match &*kind {
                b"" | b"message" => (!data.is_empty()).then_some(data),
                b"endpoint" => {
                    self.endpoint = String::from_utf8(data).ok();
                    None
                }
                _ => None,
            };
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    // White space between tokens of JSON, which stays on one line that way.
                    self.data.push(b' ');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.kind = value.to_vec(),
            b"id" if !value.contains(&0) => self.last_id = String::from_utf8(value.to_vec()).ok(),
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok()?.parse().ok()?;
                self.retry = Some(Duration::from_millis(millis));
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(parser: &mut EventParser, pieces: &[&str]) -> Vec<String> {
        let pieces = pieces
            .iter()
            .flat_map(|piece| parser.feed(piece.as_bytes(), 100).unwrap());
        pieces
            .map(|message| String::from_utf8(message).unwrap())
            .collect()
    }

    #[test]
    fn events_are_found_however_they_arrive() {
        let mut parser = EventParser::default();
        let pieces = [
            "id: 1-0\nda",
            "ta:\n\nda",
            "ta: {\"a\"\ndata: :1}\r\n\r",
            "\n: comment\n\n",
        ];
        assert_eq!(fed(&mut parser, &pieces), [r#"{"a" :1}"#]);
        assert_eq!(parser.last_id.as_deref(), Some("1-0"));
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
            assert_eq!(fed(&mut EventParser::default(), pieces), ["1", "2", "3"]);
        }
    }

    #[test]
    fn what_is_no_id_or_time_is_left_out() {
        let mut parser = EventParser::default();
        let pieces = ["id: 7\nretry: 5\nid: 8\0\nretry: +9\nretry: 1s\n\n"];
        assert!(fed(&mut parser, &pieces).is_empty());
        assert_eq!(parser.last_id.as_deref(), Some("7"));
        assert_eq!(parser.retry, Some(Duration::from_millis(5)));
    }

    #[test]
    fn events_of_other_kinds_are_no_messages() {
        let mut parser = EventParser::default();
        let pieces = ["event: endpoint\ndata: /m\n\nevent: x\ndata: 1\n\ndata: 2\n\n"];
        assert_eq!(fed(&mut parser, &pieces), ["2"]);
        assert_eq!(parser.endpoint.as_deref(), Some("/m"));
    }

    #[test]
    fn an_event_without_end_is_not_held() {
        let mut parser = EventParser::default();
        let long = "x".repeat(200);
        assert_eq!(
            parser.feed(format!("data: {long}").as_bytes(), 100),
            Err(TooLong)
        );
    }
}
