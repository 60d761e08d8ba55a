//! Server-sent events, as they are written.

use bytes::Bytes;

/// A comment, which keeps the connection from looking idle.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// One event: `data` is a single line.
pub(super) fn event(id: Option<&str>, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 32);
    if let Some(id) = id {
        field(&mut out, b"id: ", id.as_bytes());
    }
    field(&mut out, b"data: ", data);
    out.push(b'\n');
    out.into()
}

/// An event without a message: it tells the client which id to resume from and, where the stream
/// is about to be cut, when.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines_closed_by_an_empty_one() {
        assert_eq!(event(None, b"{}"), "data: {}\n\n");
        assert_eq!(event(Some("1-2"), b"{}"), "id: 1-2\ndata: {}\n\n");
        assert_eq!(empty("1-2", Some(500)), "id: 1-2\nretry: 500\ndata:\n\n");
    }
}
