//! Forms that users fill in.

use mcp_types::{ElicitRequestFormParams, ElicitSchema, PrimitiveSchemaDefinition as Field};
use serde::Serialize;
use serde_json::{Map, Value};

use super::ElicitReply;
use crate::protocol::form;

/// A form that a server wants the user to fill in (2026-07-28, "Elicitation", section Form Mode
/// Elicitation Requests).
///
/// Whoever shows it says which server asks, and lets the user decline.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    params: ElicitRequestFormParams,
}

impl Form {
    pub(super) fn new(params: ElicitRequestFormParams) -> Self {
        Self { params }
    }

    /// What is asked and why, in words for the user.
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

    /// What the server suggests, to show in the fields.
    #[must_use]
    pub fn suggestions(&self) -> Map<String, Value> {
        suggestions(self.schema())
    }

    /// The user agrees, with `content` in the fields: an object. Fields that it leaves out get what
    /// the server suggests for them.
    ///
    /// What does not fit the form is not sent: the server gets an error, and the log says why.
    pub fn accept(&self, content: impl Serialize) -> ElicitReply {
        let content = match serde_json::to_value(content) {
            Ok(Value::Object(content)) => content,
            Ok(_) => return ElicitReply::fault("the content of a form is an object".to_owned()),
            Err(fault) => return ElicitReply::fault(fault.to_string()),
        };
        let mut filled = self.suggestions();
        filled.extend(content);
        match form::check(&filled, self.schema()) {
            Ok(()) => ElicitReply::accept_with(filled),
            Err(reason) => ElicitReply::fault(reason),
        }
    }

    /// The user agrees with everything that the server suggests.
    pub fn accept_suggestions(&self) -> ElicitReply {
        self.accept(Map::new())
    }

    /// The user says no.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// The user dismisses the form without saying anything.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}

/// What the form suggests, by field.
fn suggestions(form: &ElicitSchema) -> Map<String, Value> {
    let fields = form.properties.iter();
    let suggested = fields.filter_map(|(name, field)| Some((name.to_owned(), suggestion(field)?)));
    suggested.collect()
}

fn suggestion(field: &Field) -> Option<Value> {
    let field = serde_json::to_value(field).ok()?;
    field
        .get("default")
        .filter(|value| !value.is_null())
        .cloned()
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
