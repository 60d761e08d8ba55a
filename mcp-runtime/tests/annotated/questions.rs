//! Questions that are parameters. They are asked before the function is entered, so the function
//! runs only once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use mcp_runtime::client::{ElicitReply, Form};
use mcp_runtime::prelude::*;
use mcp_runtime::testing::Recording;
use mcp_runtime::types::ElicitSchema;
use mcp_runtime::{Client, Era, Server, testing};
use serde_json::{Map, Value, json};

const ERAS: [Era; 2] = [Era::Handshake, Era::Stateless];

#[derive(Debug, Deserialize, JsonSchema, Elicit)]
struct Consent {
    /// Go ahead?
    charge: bool,
}

#[derive(Debug, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Seat {
    Window,
    Aisle,
}

/// Counts how often its functions are entered.
#[derive(Default)]
struct Shop {
    entered: Arc<AtomicU32>,
}

#[mcp_server(undocumented = "allow")]
impl Shop {
    #[tool]
    async fn pay(
        &self,
        amount: u32,
        #[elicit("Charge {amount:03} to {{your}} card?")] consent: Consent,
    ) -> String {
        self.enter();
        tokio::task::yield_now().await;
        format!("{amount}: {}", consent.charge)
    }

    #[tool]
    fn reserve(
        &self,
        #[elicit("Which seat?")] seat: Seat,
        cx: &Context,
        #[elicit("How old are you?")] _age: u8,
    ) -> String {
        self.enter();
        format!("{seat:?} {_age} {}", cx.revision().era() == Era::Stateless)
    }

    #[tool(blocking, timeout = "10s")]
    fn perhaps(&self, #[elicit("May we write?")] mail: Option<String>) -> String {
        self.enter();
        format!("{mail:?}")
    }

    #[tool(timeout = "10s")]
    async fn exactly(&self, #[elicit("Tea?")] tea: Elicited<bool>) -> String {
        self.enter();
        format!("{tea:?}")
    }

    #[tool]
    async fn twice(
        &self,
        #[elicit("Once?")] once: bool,
        cx: &Context,
    ) -> Result<String, ToolError> {
        let again: bool = cx.elicit("Again?").field("again").await?;
        self.enter();
        Ok(format!("{once} {again}"))
    }

    #[tool]
    fn many(
        #[elicit("1?")] a: bool,
        #[elicit("2?")] b: bool,
        #[elicit("3?")] c: bool,
        #[elicit("4?")] d: bool,
        #[elicit("5?")] e: bool,
        #[elicit("6?")] f: bool,
    ) -> bool {
        a && b && c && d && e && f
    }

    #[prompt]
    fn letter(&self, topic: String, #[elicit("Who signs {topic:?}?")] name: String) -> String {
        self.enter();
        format!("{topic}, {name}")
    }

    #[resource("diary://{year}")]
    async fn diary(&self, year: u16, #[elicit("The key of {year}?")] key: String) -> String {
        self.enter();
        format!("{year} {key}")
    }

    fn enter(&self) {
        self.entered.fetch_add(1, Ordering::Relaxed);
    }
}

fn fill_in(form: &Form) -> ElicitReply {
    match form.message() {
        "Charge 017 to {your} card?" => form.accept(json!({"charge": true})),
        "Which seat?" => form.accept(json!({"seat": "aisle"})),
        "How old are you?" => form.accept(json!({"age": 36})),
        "May we write?" => form.accept(json!({"mail": "a@b.c"})),
        "Who signs \"rain\"?" => form.accept(json!({"name": "Ada"})),
        "The key of 1843?" => form.accept(json!({"key": "x"})),
        _ => {
            let fields = form.schema().properties.keys();
            let yes: Map<_, _> = fields.map(|name| (name.clone(), json!(true))).collect();
            form.accept(yes)
        }
    }
}

type Answer = fn(&Form) -> ElicitReply;

/// Connects a client that answers with `answer`, and returns it with the forms that it was asked to
/// fill in.
async fn connect(
    server: Server,
    era: Era,
    answer: Answer,
) -> (Client, Arc<Mutex<Vec<ElicitSchema>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let forms = Arc::clone(&asked);
    let answering = Client::builder("answering", "1.0.0").on_form(move |form: Form| {
        forms.lock().unwrap().push(form.schema().clone());
        let reply = answer(&form);
        async move { reply }
    });
    let client = testing::connect(server).client(answering).era(era);
    (client.await.unwrap(), asked)
}

/// Returns the text of a call's result, and true if it is an error.
async fn text(client: &Client, tool: &str, arguments: Value) -> (String, bool) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    let text = result.content[0].as_text().unwrap().to_owned();
    (text, result.is_error == Some(true))
}

#[tokio::test]
async fn the_function_is_entered_once_in_every_era() {
    for era in ERAS {
        let shop = Shop::default();
        let entered = Arc::clone(&shop.entered);
        let (client, asked) = connect(shop.into_server(), era, fill_in).await;
        let said = [
            ("pay", json!({"amount": 17}), "17: true"),
            ("perhaps", json!({}), "Some(\"a@b.c\")"),
            ("exactly", json!({}), "Accepted(true)"),
        ];
        for (tool, arguments, expected) in said {
            assert_eq!(
                text(&client, tool, arguments).await,
                (expected.to_owned(), false)
            );
            assert_eq!(entered.swap(0, Ordering::Relaxed), 1, "{tool} {era:?}");
            assert_eq!(asked.lock().unwrap().drain(..).count(), 1, "{tool} {era:?}");
        }
        let prompt = client.get_prompt("letter", [("topic", "rain")]).await;
        let prompt = serde_json::to_value(prompt.unwrap()).unwrap();
        assert_eq!(prompt["messages"][0]["content"]["text"], "rain, Ada");
        let diary = client.read_resource("diary://1843").await.unwrap();
        let diary = serde_json::to_value(diary).unwrap();
        assert_eq!(diary["contents"][0]["text"], "1843 x");
        assert_eq!(entered.load(Ordering::Relaxed), 2, "{era:?}");
    }
}

#[tokio::test]
async fn all_questions_of_a_function_are_one_round() {
    for era in ERAS {
        let (client, asked) = connect(Shop::default().into_server(), era, fill_in).await;
        let is_stateless = era == Era::Stateless;
        let (said, _) = text(&client, "reserve", json!({})).await;
        assert_eq!(said, format!("Aisle 36 {is_stateless}"));
        assert_eq!(text(&client, "many", json!({})).await.0, "true");
        assert_eq!(asked.lock().unwrap().len(), 8);
    }
    let recording = Recording::default();
    let answering = Client::builder("a", "1").on_form(async |form: Form| fill_in(&form));
    let client = testing::connect(Shop::default()).client(answering);
    let client = client.era(Era::Stateless).record(&recording).await.unwrap();
    text(&client, "many", json!({})).await;
    let calls = recording
        .messages()
        .into_iter()
        .filter(|(_, text)| text.contains("\"tools/call\""));
    assert_eq!(calls.count(), 2);
}

#[tokio::test]
async fn the_field_is_called_like_the_parameter() {
    let (client, asked) = connect(Shop::default().into_server(), Era::Stateless, fill_in).await;
    text(&client, "reserve", json!({})).await;
    let forms = serde_json::to_value(asked.lock().unwrap().as_slice()).unwrap();
    let seat = json!({"type": "string", "enum": ["window", "aisle"]});
    let age = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let form = |name: &str, field: &Value| json!({"type": "object", "properties": {name: field}, "required": [name]});
    assert_eq!(forms, json!([form("seat", &seat), form("age", &age)]));
    let listed = client.list_tools().await.unwrap();
    let pay = listed.iter().find(|tool| tool.name == "pay").unwrap();
    let schema: Value = pay.input_schema.parse().unwrap();
    assert_eq!(
        schema["required"],
        json!(["amount"]),
        "the caller is not asked"
    );
}

#[tokio::test]
async fn an_option_takes_no_for_an_answer_and_others_end_the_call() {
    let answers: [(Answer, _, _); 2] = [
        (Form::decline, "the user declined to answer", "Declined"),
        (Form::cancel, "the user dismissed the question", "Cancelled"),
    ];
    for (answer, reason, outcome) in answers {
        for era in ERAS {
            let shop = Shop::default();
            let entered = Arc::clone(&shop.entered);
            let (client, _) = connect(shop.into_server(), era, answer).await;
            let refused = (reason.to_owned(), true);
            assert_eq!(text(&client, "pay", json!({"amount": 1})).await, refused);
            assert_eq!(text(&client, "reserve", json!({})).await, refused);
            let error = client
                .get_prompt("letter", [("topic", "rain")])
                .await
                .unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
            assert_eq!(entered.load(Ordering::Relaxed), 0);
            assert_eq!(text(&client, "perhaps", json!({})).await.0, "None");
            assert_eq!(text(&client, "exactly", json!({})).await.0, outcome);
        }
    }
}

#[tokio::test]
async fn arguments_come_before_questions() {
    for era in ERAS {
        let (client, asked) = connect(Shop::default().into_server(), era, fill_in).await;
        let (reason, is_error) = text(&client, "pay", json!({"amount": "much"})).await;
        assert!(is_error && reason.contains("`amount`"), "{reason}");
        assert_eq!(asked.lock().unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_which_capability_it_lacks() {
    for era in ERAS {
        let client = testing::connect(Shop::default()).era(era).await.unwrap();
        for tool in ["pay", "perhaps"] {
            let error = client
                .call_tool(tool, json!({"amount": 1}))
                .await
                .unwrap_err();
            assert!(format!("{error:?}").contains("elicitation"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_function_may_ask_again_inside() {
    for era in ERAS {
        let shop = Shop::default();
        let entered = Arc::clone(&shop.entered);
        let (client, asked) = connect(shop.into_server(), era, fill_in).await;
        assert_eq!(text(&client, "twice", json!({})).await.0, "true true");
        assert_eq!(entered.load(Ordering::Relaxed), 1);
        let forms = asked.lock().unwrap();
        let fields = forms.iter().flat_map(|form| form.properties.keys());
        assert_eq!(fields.collect::<Vec<_>>(), ["once", "again"]);
    }
}

/// Says hello.
#[tool]
fn greet(#[elicit("What is your name?")] name: String) -> String {
    format!("Hello, {name}!")
}

#[tokio::test]
async fn a_function_of_its_own_may_ask_and_is_called_with_the_answer() {
    assert_eq!(greet("Ada".to_owned()), "Hello, Ada!");
    let mut server = Server::builder();
    server.tool(greet);
    let answer = |form: &Form| form.accept(json!({"name": "Bea"}));
    let (client, _) = connect(server.build(), Era::Stateless, answer).await;
    assert_eq!(text(&client, "greet", json!({})).await.0, "Hello, Bea!");
}
