//! What can still be learned from a frame that was too large to keep.

use mcp_types::RequestId;

/// The id of the message whose first bytes are `head`, where it stands among them.
///
/// Members are read one by one until the id or the cut; only members of the outermost object
/// count.
pub(super) fn id_in_head(head: &[u8]) -> Option<RequestId> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(cut) => std::str::from_utf8(&head[..cut.valid_up_to()]).ok()?,
    };
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        let mut name = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let key = name.next()?.ok()?;
        rest = rest[name.byte_offset()..].trim_start().strip_prefix(':')?;
        if key == "id" {
            let mut id = serde_json::Deserializer::from_str(rest).into_iter::<RequestId>();
            let found = id.next()?.ok();
            // A number that touches the cut may go on behind it.
            return found.filter(|_| id.byte_offset() < rest.len());
        }
        let mut value =
            serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
        value.next()?.ok()?;
        rest = rest[value.byte_offset()..].trim_start().strip_prefix(',')?;
    }
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
