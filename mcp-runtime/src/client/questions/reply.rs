//! What a user decided.

use mcp_types::{ElicitAction, ElicitResult};
use serde_json::{Map, Value};

/// How the user answers a question.
///
/// Made by [`Form`](super::Form) and [`Page`](super::Page), which know what was asked.
#[must_use = "the server waits for it"]
#[derive(Clone, Debug, PartialEq)]
pub struct ElicitReply {
    pub(super) outcome: Result<ElicitResult, String>,
}

impl ElicitReply {
    /// The user says no.
    pub fn decline() -> Self {
        Self::without_content(ElicitAction::Decline)
    }

    /// The user dismisses the question without saying anything.
    pub fn cancel() -> Self {
        Self::without_content(ElicitAction::Cancel)
    }

    pub(super) fn accept() -> Self {
        Self::without_content(ElicitAction::Accept)
    }

    pub(super) fn accept_with(content: Map<String, Value>) -> Self {
        let result = serde_json::from_value(Value::Object(content));
        Self {
            outcome: result
                .map(|content| {
                    let mut result = ElicitResult::new(ElicitAction::Accept);
                    result.content = Some(content);
                    result
                })
                .map_err(|fault| fault.to_string()),
        }
    }

    /// Nobody could answer: the server gets an error that says why.
    pub(crate) fn fault(reason: String) -> Self {
        Self {
            outcome: Err(reason),
        }
    }

    fn without_content(action: ElicitAction) -> Self {
        Self {
            outcome: Ok(ElicitResult::new(action)),
        }
    }
}
