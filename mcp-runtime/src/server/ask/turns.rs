//! Whether a session about tools is in good order.

use mcp_types::{SamplingMessage, SamplingMessageContentBlock as Block};

/// Checks that each use of a tool is followed by its result before anything else is said, and that
/// a message with results holds nothing else (2026-07-28, "Sampling", section Message Content
/// Constraints).
///
/// # Errors
///
/// What is out of order.
pub(super) fn check(messages: &[SamplingMessage]) -> Result<(), String> {
    let mut open = Vec::new();
    for message in messages {
        let blocks = message.content.as_slice();
        let results = ids(blocks, result_of);
        let is_mixed = !results.is_empty() && results.len() != blocks.len();
        if is_mixed {
            return Err("a message with results of tools may hold nothing else".to_owned());
        }
        if results != open {
            return Err(
                "each use of a tool has to be answered by its result in the next message"
                    .to_owned(),
            );
        }
        open = ids(blocks, use_of);
    }
    if open.is_empty() {
        return Ok(());
    }
    Err("the last message uses tools, whose results are missing".to_owned())
}

/// The ids that `id` finds in blocks, in order.
fn ids(blocks: &[Block], id: fn(&Block) -> Option<&str>) -> Vec<&str> {
    let mut ids = Vec::new();
    for block in blocks {
        ids.extend(id(block));
    }
    ids.sort_unstable();
    ids
}

fn use_of(block: &Block) -> Option<&str> {
    match block {
        Block::ToolUse(usage) => Some(&usage.id),
        _ => None,
    }
}

fn result_of(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(result) => Some(&result.tool_use_id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::SamplingMessage;
    use serde_json::{Value, json};

    use super::check;

    fn fault(messages: Value) -> Option<String> {
        let messages: Vec<SamplingMessage> = serde_json::from_value(messages).unwrap();
        check(&messages).err()
    }

    fn text(role: &str) -> Value {
        json!({"role": role, "content": {"type": "text", "text": "hm"}})
    }

    fn uses(ids: &[&str]) -> Value {
        let blocks = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "t", "input": {}}));
        json!({"role": "assistant", "content": blocks.collect::<Value>()})
    }

    fn results(ids: &[&str]) -> Value {
        let blocks = ids
            .iter()
            .map(|id| json!({"type": "tool_result", "toolUseId": id, "content": []}));
        json!({"role": "user", "content": blocks.collect::<Value>()})
    }

    #[test]
    fn each_use_of_a_tool_is_followed_by_its_result() {
        assert_eq!(fault(json!([text("user"), text("assistant")])), None);
        assert_eq!(
            fault(json!([
                text("user"),
                uses(&["a", "b"]),
                results(&["b", "a"]),
                text("assistant")
            ])),
            None
        );
        for wrong in [
            json!([text("user"), uses(&["a", "b"]), results(&["a"])]),
            json!([text("user"), uses(&["a"]), text("user")]),
            json!([text("user"), uses(&["a"])]),
            json!([text("user"), results(&["a"])]),
        ] {
            assert!(fault(wrong.clone()).is_some(), "{wrong}");
        }
    }

    #[test]
    fn results_stand_by_themselves() {
        let mut mixed = results(&["a"]);
        mixed["content"]
            .as_array_mut()
            .unwrap()
            .push(json!({"type": "text", "text": "so"}));
        let fault = fault(json!([text("user"), uses(&["a"]), mixed])).unwrap();
        assert!(fault.contains("nothing else"), "{fault}");
    }
}
