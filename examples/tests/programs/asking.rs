//! Runs the examples that ask the client as processes. In both eras, each handler gets its
//! answers and returns the same result.

use std::sync::{Arc, Mutex};

use mcp_runtime::client::{ElicitReply, Form};
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::types::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, ErrorObject, RawJson, Role,
    SamplingMessageContentBlock, TextContent, ToolUseContent,
};
use mcp_runtime::{Client, ClientBuilder, Revision};
use serde_json::{Value, json};

const REVISIONS: [Revision; 2] = [Revision::LATEST_HANDSHAKE, Revision::LATEST];

/// Returns the texts that the calls return and the questions that were asked, which must not differ
/// between the eras.
async fn compare(
    binary: &str,
    able: impl Fn(ClientBuilder, Asked) -> ClientBuilder,
    calls: &[(&str, Value)],
) -> (Vec<String>, Vec<String>) {
    let mut seen = Vec::new();
    for revision in REVISIONS {
        let asked = Asked::default();
        let builder = Client::builder("guest", "1.0.0").revision(revision);
        let client = able(builder, asked.clone());
        let client = client.connect(ChildProcess::new(binary)).await.unwrap();
        let mut said = Vec::new();
        for (tool, arguments) in calls {
            let result = client.call_tool(*tool, arguments).await.unwrap();
            let [ContentBlock::Text(text)] = &result.content[..] else {
                panic!("{result:?}")
            };
            said.push(text.text.clone());
        }
        client.close().await;
        let asked = asked.0.lock().unwrap().clone();
        seen.push((said, asked));
    }
    assert_eq!(seen[0], seen[1], "the eras differ");
    seen.swap_remove(0)
}

/// The questions that a client has received.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, question: impl Into<String>) {
        self.0.lock().unwrap().push(question.into());
    }
}

fn order(form: &Form) -> ElicitReply {
    if form.message() == "What would you like?" {
        let suggested = form.suggestions();
        assert_eq!(suggested["count"], 1);
        return form.accept(json!({"toppings": ["olives"], "size": "large", "note": "hot"}));
    }
    let name = form.schema().properties.keys().next().unwrap();
    form.accept(json!({name: true}))
}

#[tokio::test]
async fn guests_order_pay_and_change_their_minds() {
    let able = |builder: ClientBuilder, asked: Asked| {
        let pages = asked.clone();
        builder
            .on_form(move |form| {
                asked.note(form.message());
                let reply = order(&form);
                async move { reply }
            })
            .on_page(move |page| {
                pages.note(page.url());
                async move { page.accept() }
            })
    };
    let calls = [
        ("order", json!({})),
        ("order", json!({})),
        ("pay", json!({"number": 2})),
        ("cancel", json!({"number": 1})),
    ];
    let (said, asked) = compare(env!("CARGO_BIN_EXE_elicit"), able, &calls).await;
    assert_eq!(
        said,
        [
            "Order 1: [Olives] (hot)",
            "Order 2: [Olives] (hot)",
            "Order 2 is being paid for.",
            "Order 1 is cancelled.",
        ]
    );
    assert_eq!(
        asked,
        [
            "What would you like?",
            "1 Large, order 1. All right?",
            "What would you like?",
            "1 Large, order 2. All right?",
            "https://pizza.example.com/pay/2",
            "Cancel order 1?",
        ]
    );
    let declines = |builder: ClientBuilder, _: Asked| {
        builder.on_form(async |form| match form.message() {
            "What would you like?" => order(&form),
            _ => form.decline(),
        })
    };
    let calls = [("order", json!({})), ("cancel", json!({"number": 1}))];
    let (said, _) = compare(env!("CARGO_BIN_EXE_elicit"), declines, &calls).await;
    assert_eq!(said, ["Nothing, then.", "Order 1 is kept."]);
}

/// Plays a model that calls the thermometer once.
fn write(params: &CreateMessageRequestParams) -> Result<CreateMessageResult, ErrorObject> {
    let last = params.messages.last().unwrap();
    let content = match (&params.tools, &last.content.as_slice()[0]) {
        (Some(tools), SamplingMessageContentBlock::Text(_)) => {
            let town = RawJson::from(json!({"town": "Oslo"}));
            SamplingMessageContentBlock::ToolUse(ToolUseContent::new("1", &tools[0].name, town))
        }
        (_, SamplingMessageContentBlock::ToolResult(_)) => {
            SamplingMessageContentBlock::Text(TextContent::new("Go swimming."))
        }
        _ => SamplingMessageContentBlock::Text(TextContent::new("Oslo lies at a fjord.")),
    };
    Ok(CreateMessageResult::new(Role::Assistant, content, "model"))
}

#[tokio::test]
async fn a_model_writes_with_and_without_tools() {
    let able = |builder: ClientBuilder, asked: Asked| {
        let model = move |params: CreateMessageRequestParams| {
            asked.note(format!("{} messages", params.messages.len()));
            let result = write(&params);
            async move { result }
        };
        builder.on_sample(model).sample_with_tools()
    };
    let town = json!({"town": "Oslo"});
    let calls = [("describe", town.clone()), ("recommend", town)];
    let (said, asked) = compare(env!("CARGO_BIN_EXE_sample"), able, &calls).await;
    assert_eq!(said, ["Oslo lies at a fjord.", "Go swimming."]);
    assert_eq!(asked, ["1 messages", "1 messages", "3 messages"]);
}
