//! What can still be learned from a frame that was too large to keep.

use crate::RequestId;
use crate::json::{self, Scanner};

/// The id of the message whose first bytes are `head`, where it stands among them.
///
/// Members are read one by one until the id or the cut; only members of the outermost object
/// count.
///
/// ```
/// use mcp_types::jsonrpc::{RequestId, id_in_head};
///
/// let head = br#"{"jsonrpc":"2.0","id":7,"params":{"text":"aaa"#;
/// assert_eq!(id_in_head(head), Some(RequestId::from(7)));
/// ```
#[must_use]
pub fn id_in_head(head: &[u8]) -> Option<RequestId> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(cut) => std::str::from_utf8(&head[..cut.valid_up_to()]).ok()?,
    };
    let mut scanner = Scanner::new(text);
    let mut before = b'{';
    while scanner.eat(before) {
        let name = scanner.string().filter(|_| scanner.eat(b':'))?;
        let value = scanner.value(usize::MAX)?;
        if name.text() == "id" {
            // A number that touches the cut may go on behind it.
            let is_whole = scanner.place() < text.len();
            return json::decode(value).ok().filter(|_| is_whole);
        }
        before = b',';
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_before_the_cut_only() {
        let head = br#"{"jsonrpc":"2.0","x":{"id":1},"id":"seven","params":{"text":"aaa"#;
        assert_eq!(id_in_head(head), Some(RequestId::from("seven")));
        assert_eq!(id_in_head(br#"{"id":7,"par"#), Some(RequestId::from(7)));
        for head in [
            &br#"{"params":{"id":7"#[..],
            br#"{"id":nul"#,
            br#"{"id":12"#,
            b"[{\"id\":1",
            b"",
            b"{",
        ] {
            assert_eq!(id_in_head(head), None);
        }
    }
}
