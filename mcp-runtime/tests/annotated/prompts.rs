//! Prompts: their arguments, their messages, and suggestions while the user types.

use std::str::FromStr;

use mcp_runtime::prelude::*;
use mcp_runtime::types::{Completion, GetPromptResult, TextContent};
use serde_json::{Value, json};

use crate::support::{Wire, initialize, stateless};

/// How to speak.
#[derive(Debug)]
enum Tone {
    Plain,
    Warm,
}

impl FromStr for Tone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "plain" => Ok(Self::Plain),
            "warm" => Ok(Self::Warm),
            other => Err(format!(
                "`{other}` is not a tone; expected `plain` or `warm`"
            )),
        }
    }
}

type Maybe<T> = Option<T>;

fn text(role: Role, text: &str) -> PromptMessage {
    PromptMessage::new(role, TextContent::new(text))
}

struct Prompts;

#[mcp_server]
impl Prompts {
    /// Summarises one book.
    #[prompt(title = "Summary", icons = ["https://example.com/s.png"])]
    fn summary(
        &self,
        /// The book's title.
        #[arg(complete = Self::titles)]
        title: String,
        #[arg(rename = "style", complete = tones)] tone: Maybe<Tone>,
        pages: Option<u32>,
        cx: &Context,
    ) -> String {
        format!("{} {title} {tone:?} {pages:?}", cx.revision())
    }

    #[prompt]
    async fn message() -> PromptMessage {
        text(Role::Assistant, "hello")
    }

    #[prompt]
    fn messages(&self) -> Vec<PromptMessage> {
        vec![text(Role::User, "hello"), text(Role::Assistant, "hello")]
    }

    #[prompt]
    fn content(&self) -> ContentBlock {
        Image::png([1, 2, 3]).into()
    }

    #[prompt]
    fn whole(&self) -> GetPromptResult {
        GetPromptResult::new([text(Role::User, "hello")]).with_description("Said today.")
    }

    #[prompt]
    fn failing(&self, code: i64) -> Result<&'static str, ProtocolError> {
        Err(ProtocolError::new(code, "no"))
    }

    #[prompt]
    fn broken(&self) -> Result<&'static str, String> {
        Err("the shelf is empty".to_owned())
    }

    async fn titles(&self, request: &CompletionRequest) -> Vec<String> {
        tokio::task::yield_now().await;
        let style = request.other("style").unwrap_or("no");
        vec![format!("{} in {style} style", request.value())]
    }
}

fn tones(_: &CompletionRequest) -> Completion {
    Completion::new((0..150).map(|number| number.to_string()))
}

async fn ask(method: &str, params: Value) -> Value {
    let mut wire = Wire::to(&Prompts.into_server()).await;
    wire.ask(stateless(1, method, params)).await
}

async fn get(prompt: &str, arguments: Value) -> Value {
    ask(
        "prompts/get",
        json!({"name": prompt, "arguments": arguments}),
    )
    .await
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    let answer = ask("prompts/list", json!({})).await;
    let prompts = answer["result"]["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 7);
    assert_eq!(
        prompts[0],
        json!({
            "name": "summary",
            "title": "Summary",
            "description": "Summarises one book.",
            "icons": [{"src": "https://example.com/s.png"}],
            "arguments": [
                {"name": "title", "description": "The book's title.", "required": true},
                {"name": "style", "required": false},
                {"name": "pages", "required": false},
            ],
        })
    );
    assert_eq!(prompts[1], json!({"name": "message"}));
}

#[tokio::test]
async fn arguments_are_read_from_text() {
    let answer = get(
        "summary",
        json!({"title": "Emma", "style": "warm", "pages": "7"}),
    )
    .await;
    assert_eq!(
        answer["result"]["messages"],
        json!([{"role": "user", "content": {
            "type": "text", "text": "2026-07-28 Emma Some(Warm) Some(7)"}}])
    );
    let answer = get("summary", json!({"title": "Emma"})).await;
    let text = &answer["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "2026-07-28 Emma None None");
}

#[tokio::test]
async fn every_return_type_answers() {
    let hello = |role| json!({"role": role, "content": {"type": "text", "text": "hello"}});
    let image = json!({"type": "image", "data": "AQID", "mimeType": "image/png"});
    for (prompt, expected) in [
        ("message", json!([hello("assistant")])),
        ("messages", json!([hello("user"), hello("assistant")])),
        ("content", json!([{"role": "user", "content": image}])),
        ("whole", json!([hello("user")])),
    ] {
        let answer = get(prompt, json!({})).await;
        assert_eq!(answer["result"]["messages"], expected, "{prompt}");
    }
    let answer = get("whole", json!({})).await;
    assert_eq!(answer["result"]["description"], "Said today.");
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(answer["result"]["_meta"].is_object(), "{answer}");
}

#[tokio::test]
async fn every_fault_is_named_at_once() {
    let answer = get("summary", json!({"style": "loud", "pages": "-1"})).await;
    assert_eq!(
        answer["error"],
        json!({"code": -32602, "message": "The arguments are invalid:\n\
            - `title`: missing\n\
            - `style`: `loud` is not a tone; expected `plain` or `warm`\n\
            - `pages`: \"-1\": invalid digit found in string"})
    );
    let answer = get("summary", json!({"title": 5})).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("params.arguments.title"), "{message}");
}

#[tokio::test]
async fn errors_are_those_of_the_protocol() {
    let answer = get("failing", json!({"code": "-32050"})).await;
    assert_eq!(answer["error"], json!({"code": -32050, "message": "no"}));
    let answer = get("broken", json!({})).await;
    let expected = json!({"code": -32603, "message": "the shelf is empty"});
    assert_eq!(answer["error"], expected);
    let answer = get("unknown", json!({})).await;
    assert_eq!(answer["error"]["message"], "Unknown prompt: unknown");
}

#[tokio::test]
async fn capabilities_are_those_that_are_declared() {
    let mut wire = Wire::to(&Prompts.into_server()).await;
    let answer = wire.ask(initialize("2025-11-25")).await;
    let declared = &answer["result"]["capabilities"];
    assert_eq!(*declared, json!({"prompts": {}, "completions": {}}));
    let answer = ask("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

async fn complete(argument: &str, value: &str, others: Value) -> Value {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "summary"},
        "argument": {"name": argument, "value": value},
        "context": {"arguments": others},
    });
    let mut answer = ask("completion/complete", params).await;
    answer["result"]["completion"].take()
}

#[tokio::test]
async fn a_completer_knows_the_other_arguments() {
    let found = complete("title", "Em", json!({"style": "warm"})).await;
    assert_eq!(found, json!({"values": ["Em in warm style"]}));
}

#[tokio::test]
async fn at_most_a_hundred_suggestions_are_sent() {
    let found = complete("style", "", json!({})).await;
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!(found["hasMore"], true);
    assert_eq!(found["total"], 150);
}

#[tokio::test]
async fn an_argument_without_completer_has_no_suggestions() {
    assert_eq!(
        complete("pages", "1", json!({})).await,
        json!({"values": []})
    );
}

#[tokio::test]
async fn what_cannot_be_completed_is_refused() {
    for reference in [
        json!({"type": "ref/prompt", "name": "unknown"}),
        json!({"type": "ref/resource", "uri": "book://{isbn}"}),
    ] {
        let argument = json!({"name": "title", "value": ""});
        let params = json!({"ref": reference, "argument": argument});
        let answer = ask("completion/complete", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
