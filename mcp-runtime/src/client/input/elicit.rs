//! Elicitation: questions to the user, and the user's answers.

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, ElicitSchema,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::protocol::form;

/// The user's answer to an elicitation; made by [`Form`] and [`Page`].
#[must_use = "the server waits for it"]
#[derive(Clone, Debug, PartialEq)]
pub struct ElicitReply {
    /// The result, or why the server gets an error instead.
    pub(super) outcome: Result<ElicitResult, String>,
}

impl ElicitReply {
    /// The user says no.
    pub fn decline() -> Self {
        Self::of(ElicitAction::Decline)
    }

    /// The user dismisses the question without an answer.
    pub fn cancel() -> Self {
        Self::of(ElicitAction::Cancel)
    }

    /// No answer: the server gets an error with this reason.
    pub(crate) fn fault(reason: impl ToString) -> Self {
        Self {
            outcome: Err(reason.to_string()),
        }
    }

    fn of(action: ElicitAction) -> Self {
        Self {
            outcome: Ok(ElicitResult::new(action)),
        }
    }
}

/// A form that a server asks the user to fill in (2026-07-28, "Elicitation", section Form Mode
/// Elicitation Requests).
///
/// The user must see which server asks, and be able to decline.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    params: ElicitRequestFormParams,
}

impl Form {
    pub(super) fn new(params: ElicitRequestFormParams) -> Self {
        Self { params }
    }

    /// The question, in words for the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.params.message
    }

    /// The fields.
    #[must_use]
    pub fn schema(&self) -> &ElicitSchema {
        &self.params.requested_schema
    }

    /// The question as the server wrote it.
    #[must_use]
    pub fn params(&self) -> &ElicitRequestFormParams {
        &self.params
    }

    /// The default values of the fields, to show to the user.
    #[must_use]
    pub fn suggestions(&self) -> Map<String, Value> {
        let fields = self.schema().properties.iter();
        let suggested = fields.filter_map(|(name, field)| {
            let field = serde_json::to_value(field).ok()?;
            let default = field.get("default").filter(|value| !value.is_null())?;
            Some((name.to_owned(), default.clone()))
        });
        suggested.collect()
    }

    /// The user agrees, with `content` in the fields: an object. Fields that it leaves out get their
    /// default values.
    ///
    /// Content that does not fit the form is not sent: the server gets an error, and the reason is
    /// logged.
    pub fn accept(&self, content: impl Serialize) -> ElicitReply {
        let content = match serde_json::to_value(content) {
            Ok(Value::Object(content)) => content,
            Ok(_) => return ElicitReply::fault("the content of a form is an object"),
            Err(error) => return ElicitReply::fault(error),
        };
        let mut filled = self.suggestions();
        filled.extend(content);
        if let Err(reason) = form::check(&filled, self.schema()) {
            return ElicitReply::fault(reason);
        }
        match serde_json::from_value(Value::Object(filled)) {
            Ok(content) => {
                let mut result = ElicitResult::new(ElicitAction::Accept);
                result.content = Some(content);
                ElicitReply {
                    outcome: Ok(result),
                }
            }
            Err(error) => ElicitReply::fault(error),
        }
    }

    /// The user agrees with all default values.
    pub fn accept_suggestions(&self) -> ElicitReply {
        self.accept(Map::new())
    }

    /// The user says no.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// The user dismisses the form without an answer.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}

/// A web page that a server asks the user to open, for input that the client must not see
/// (2026-07-28, "Elicitation", section URL Mode Elicitation Requests).
///
/// The user must see which server asks and the whole address. It is opened in a browser only if the
/// user agrees; the client itself never fetches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    params: ElicitRequestUrlParams,
}

impl Page {
    pub(super) fn new(params: ElicitRequestUrlParams) -> Self {
        Self { params }
    }

    /// The reason to open it, in words for the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.params.message
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.params.url
    }

    /// The id that `notifications/elicitation/complete` names once the user is done there
    /// (2025-11-25).
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.params.elicitation_id.as_deref()
    }

    /// The user agrees, and the page was opened. Its outcome is between the user and the server.
    pub fn accept(&self) -> ElicitReply {
        ElicitReply::of(ElicitAction::Accept)
    }

    /// The user says no.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// The user dismisses the question without an answer.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Form {
        let params = json!({
            "message": "Check this.",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "John Doe"},
                    "age": {"type": "integer", "default": 30, "maximum": 99},
                    "verified": {"type": "boolean", "default": true},
                    "mail": {"type": "string"},
                },
                "required": ["mail"],
            },
        });
        Form::new(serde_json::from_value(params).unwrap())
    }

    #[test]
    fn suggestions_stand_in_for_what_is_left_out() {
        let reply = form().accept(json!({"mail": "a@b.c", "age": 31}));
        let result = serde_json::to_value(reply.outcome.unwrap()).unwrap();
        let content = json!({"mail": "a@b.c", "age": 31, "name": "John Doe", "verified": true});
        assert_eq!(result, json!({"action": "accept", "content": content}));
    }

    #[test]
    fn what_does_not_fit_is_not_accepted() {
        let fault = |content: Value| form().accept(content).outcome.unwrap_err();
        assert_eq!(fault(json!({})), "`mail` is missing");
        assert_eq!(
            fault(json!({"mail": "a", "age": 100})),
            "`age` must be at most 99"
        );
        assert_eq!(fault(json!({"mail": 7})), "`mail` must be text");
        assert_eq!(fault(json!([])), "the content of a form is an object");
    }
}
