//! Tools that ask the client in every revision.

use mcp_runtime::prelude::*;
use mcp_runtime::types::ElicitSchema;
use serde_json::{Value, json};

pub(crate) struct Asking;

#[derive(Debug, Deserialize, JsonSchema, Elicit)]
#[expect(dead_code, reason = "only printed")]
struct Account {
    username: String,
    email: String,
}

#[derive(Debug, Deserialize, JsonSchema, Serialize, Elicit)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

#[derive(Debug, Deserialize, JsonSchema, Serialize, Elicit)]
#[serde(default)]
struct Suggested {
    name: String,
    age: i64,
    score: f64,
    status: Status,
    verified: bool,
}

impl Default for Suggested {
    fn default() -> Self {
        Self {
            name: "John Doe".to_owned(),
            age: 30,
            score: 95.5,
            status: Status::Active,
            verified: true,
        }
    }
}

/// Tools that ask the client.
#[mcp_server(name = "conformance-server")]
impl Asking {
    /// Asks the client's model.
    #[tool]
    async fn test_sampling(&self, prompt: String, cx: &Context) -> Result<String, ToolError> {
        let answer = cx.sample(prompt).max_tokens(100).await?;
        Ok(format!("LLM response: {}", answer.text()))
    }

    /// Asks the user for a name and an address.
    #[tool]
    async fn test_elicitation(&self, message: String, cx: &Context) -> Result<String, ToolError> {
        let answer = cx.elicit::<Account>(message).outcome().await?;
        Ok(format!("User response: {answer:?}"))
    }

    /// Asks the user, and suggests the answers.
    #[tool]
    async fn test_elicitation_sep1034_defaults(&self, cx: &Context) -> Result<String, ToolError> {
        let question = cx.elicit::<Suggested>("Please check the suggestions");
        let answer = question.outcome().await?;
        Ok(format!("Elicitation completed: {answer:?}"))
    }

    /// Asks the user to choose, with each kind of choice that a form can have.
    #[tool]
    async fn test_elicitation_sep1330_enums(&self, cx: &Context) -> Result<String, ToolError> {
        let choices = |last: &str| {
            let all = [
                ("value1", "First"),
                ("value2", "Second"),
                ("value3", "Third"),
            ];
            all.map(|(value, nth)| json!({"const": value, "title": format!("{nth} {last}")}))
        };
        let options = ["option1", "option2", "option3"];
        let schema: ElicitSchema = serde_json::from_value(json!({
            "type": "object",
            "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": choices("Option")},
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": choices("Choice")}},
            },
        }))?;
        let question = cx.elicit_schema::<Value>("Please choose", schema);
        let answer = question.outcome().await?;
        Ok(format!("Elicitation completed: {answer:?}"))
    }

    /// Requires a client with a model.
    #[tool]
    async fn test_missing_capability(&self, cx: &Context) -> Result<String, AskError> {
        Ok(cx.sample("What is the capital of France?").await?.text())
    }

    /// Asks before it answers.
    #[tool]
    async fn test_streaming_elicitation(&self, cx: &Context) -> Result<String, AskError> {
        let sure: bool = cx.elicit("Are you sure?").await?;
        Ok(format!("Sure: {sure}"))
    }
}
