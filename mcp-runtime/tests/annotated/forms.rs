//! The ways to build a server: blocks, modules, free functions, closures.

use mcp_runtime::prelude::*;
use mcp_runtime::server::prompts::{self, PromptBuilder};
use mcp_runtime::server::resources::{self, ResourceBuilder, UriTemplate, variable};
use mcp_runtime::server::tools::{ToolBuilder, argument};
use mcp_runtime::types::{GetPromptResult, Prompt};
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};

use crate::support::{Wire, initialize, stateless};
use crate::{answer, call, faults, list, structured};

/// The crate under another name.
mod renamed {
    pub(crate) use mcp_runtime as framework;
}

struct Blocks {
    by: i64,
}

#[mcp_server(groups(admin, search), undocumented = "allow")]
impl Blocks {
    #[tool]
    fn first(&self) -> i64 {
        self.by
    }
}

#[mcp_server(group = admin, undocumented = "allow")]
impl Blocks {
    #[tool]
    async fn second(&self, value: i64) -> i64 {
        self.by + value
    }
}

mod search {
    use super::*;

    #[mcp_server(group = search, undocumented = "allow", crate = super::renamed::framework)]
    impl Blocks {
        #[tool]
        fn third() -> i64 {
            3
        }
    }
}

struct Generic<'a, T> {
    value: &'a T,
}

#[mcp_server(undocumented = "allow")]
impl<'a, T: Clone + Serialize + JsonSchema> Generic<'a, T>
where
    T: PartialEq,
{
    #[tool]
    fn get(&self) -> T {
        self.value.clone()
    }

    #[tool]
    async fn later(&self) -> Result<Vec<T>, ToolError> {
        Ok(vec![self.value.clone()])
    }
}

struct Several<const N: usize>;

#[mcp_server(undocumented = "allow")]
impl<const N: usize> Several<N> {
    #[tool]
    async fn several(&self) -> usize {
        N
    }
}

/// Counts.
#[mcp_server(name = "counter")]
mod counter {
    /// Counts on.
    #[tool]
    pub(super) fn next(value: i64) -> i64 {
        value + step()
    }

    #[prompt]
    async fn ask(value: Option<i64>) -> String {
        format!("After {value:?}?")
    }

    #[resource("count://{value}")]
    fn read(value: i64) -> String {
        next(value).to_string()
    }

    fn step() -> i64 {
        1
    }
}

/// Adds two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds two numbers, in time.
#[tool(name = "add.later", crate = renamed::framework)]
async fn add_later(cx: &Context, a: i64, b: i64) -> Result<i64, ProtocolError> {
    tokio::task::yield_now().await;
    let _ = cx.revision();
    Ok(add(a, b))
}

#[prompt]
fn greet(name: String) -> String {
    format!("Greet {name}.")
}

#[resource("text://{word}", mime = "text/plain")]
async fn word(word: String) -> String {
    word
}

fn built() -> Server {
    let mut server = Server::builder();
    server
        .tool(add)
        .tool(add_later)
        .prompt(greet)
        .resource(word);
    server.tool(
        ToolBuilder::new("multiply")
            .description("Multiplies.")
            .arguments((
                argument::<i64>("a").description("One."),
                argument::<i64>("b").default(|| 2),
            ))
            .call(|(a, b), _| a * b),
    );
    server.tool(
        ToolBuilder::new("list")
            .arguments(())
            .call_async(|(), cx| async move {
                tokio::task::yield_now().await;
                Json(vec![cx.revision().to_string()])
            }),
    );
    server.prompt(
        PromptBuilder::new("summary")
            .description("Summarises a book.")
            .arguments((
                prompts::argument::<String>("title")
                    .description("As on the cover.")
                    .complete(async |request| vec![format!("{}ma", request.value())]),
                prompts::optional::<u32>("words"),
            ))
            .call(|(title, words), _| format!("{title} {words:?}")),
    );
    server.resource(
        ResourceBuilder::new("page", UriTemplate::parse("book://{isbn}{?page}").unwrap())
            .mime("text/plain")
            .variables((variable::<u64>("isbn"), resources::optional::<u8>("page")))
            .call_async(|(isbn, page), cx| async move {
                tokio::task::yield_now().await;
                format!("{isbn} {page:?} {}", cx.revision())
            }),
    );
    let prompt = mcp_runtime::server::prompts::PromptEntry::new(Prompt::new("raw"), |call| {
        let text = call.arguments.len().to_string();
        let message = PromptMessage::new(Role::User, mcp_runtime::types::TextContent::new(text));
        mcp_runtime::server::Reply::Ready(Ok(GetPromptResult::new([message])))
    });
    server.prompt(prompt);
    server.build()
}

async fn ask(server: &Server, method: &str, params: Value) -> Value {
    Wire::to(server)
        .await
        .ask(stateless(1, method, params))
        .await
}

#[tokio::test]
async fn blocks_of_one_type_are_one_server() {
    let server = Blocks { by: 1 }.into_server();
    assert_eq!(call(&server, "first", json!({})).await, structured(1));
    assert_eq!(
        call(&server, "second", json!({"value": 1})).await,
        structured(2)
    );
    assert_eq!(call(&server, "third", json!({})).await, structured(3));
}

#[tokio::test]
async fn a_generic_server_serves() {
    let server = Generic { value: &5 }.into_server();
    let result = call(&server, "get", json!({})).await;
    assert_eq!(result["structuredContent"], json!(5));
    let result = call(&server, "later", json!({})).await;
    assert_eq!(result["structuredContent"], json!([5]));
    let server = Several::<7>.into_server();
    assert_eq!(call(&server, "several", json!({})).await, structured(7));
}

#[tokio::test]
async fn a_module_of_functions_is_a_server() {
    let server = counter::Server.into_server();
    assert_eq!(
        call(&server, "next", json!({"value": 1})).await,
        structured(2)
    );
    let params = json!({"name": "ask", "arguments": {}});
    let answer = ask(&server, "prompts/get", params).await;
    assert_eq!(
        answer["result"]["messages"][0]["content"]["text"],
        "After None?"
    );
    let answer = ask(&server, "resources/read", json!({"uri": "count://7"})).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "8");
    let answer = Wire::to(&server).await.ask(initialize("2025-11-25")).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "counter");
    assert_eq!(answer["result"]["instructions"], "Counts.");
}

#[tokio::test]
async fn free_functions_are_registered_by_name_and_stay_callable() {
    assert_eq!(add(1, 2), 3);
    let server = built();
    assert_eq!(
        call(&server, "add", json!({"a": 1, "b": 2})).await,
        structured(3)
    );
    assert_eq!(
        call(&server, "add.later", json!({"a": 1, "b": 2})).await,
        structured(3)
    );
    let params = json!({"name": "greet", "arguments": {"name": "Emma"}});
    let answer = ask(&server, "prompts/get", params).await;
    assert_eq!(
        answer["result"]["messages"][0]["content"]["text"],
        "Greet Emma."
    );
    let answer = ask(&server, "resources/read", json!({"uri": "text://word"})).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "word");
}

#[tokio::test]
async fn closures_are_tools() {
    let server = built();
    assert_eq!(
        call(&server, "multiply", json!({"a": 3})).await,
        structured(6)
    );
    let found = faults(&server, "multiply", json!({"b": "x"})).await;
    assert_eq!(found.len(), 3, "{found:?}");
    let result = call(&server, "list", json!({})).await;
    assert_eq!(result["structuredContent"], json!(["2026-07-28"]));
    let listed = list(&server).await;
    let multiply = listed
        .iter()
        .find(|tool| tool["name"] == "multiply")
        .unwrap();
    assert_eq!(
        multiply["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "One."},
                "b": {"type": "integer", "default": 2},
            },
            "required": ["a"],
        })
    );
    let params = json!({"name": "raw", "arguments": {"a": "1"}});
    let answer = ask(&server, "prompts/get", params).await;
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "1");
}

#[tokio::test]
async fn closures_are_prompts() {
    let server = built();
    let get = async |arguments: Value| {
        let params = json!({"name": "summary", "arguments": arguments});
        ask(&server, "prompts/get", params).await
    };
    let answer = get(json!({"title": "Emma", "words": "5"})).await;
    let text = &answer["result"]["messages"][0]["content"]["text"];
    assert_eq!(*text, "Emma Some(5)");
    let answer = get(json!({"words": "many"})).await;
    assert_eq!(
        answer["error"]["message"],
        "The arguments are invalid:\n- `title`: missing\n- `words`: \"many\": invalid digit found in string"
    );
    let listed = ask(&server, "prompts/list", json!({})).await;
    let listed = listed["result"]["prompts"].as_array().unwrap();
    let summary = listed.iter().find(|prompt| prompt["name"] == "summary");
    assert_eq!(
        summary.unwrap()["arguments"],
        json!([
            {"name": "title", "description": "As on the cover.", "required": true},
            {"name": "words", "required": false},
        ])
    );
    let typed = json!({
        "ref": {"type": "ref/prompt", "name": "summary"},
        "argument": {"name": "title", "value": "Em"},
    });
    let answer = ask(&server, "completion/complete", typed).await;
    assert_eq!(answer["result"]["completion"]["values"], json!(["Emma"]));
}

#[tokio::test]
async fn closures_are_resources() {
    let server = built();
    let read = async |uri: &str| {
        let answer = ask(&server, "resources/read", json!({"uri": uri})).await;
        answer["result"]["contents"][0].clone()
    };
    let page = read("book://978?page=5").await;
    assert_eq!(page["text"], "978 Some(5) 2026-07-28");
    assert_eq!(page["mimeType"], "text/plain");
    assert_eq!(read("book://978").await["text"], "978 None 2026-07-28");
}

#[tokio::test]
async fn what_is_not_registered_is_unknown() {
    let answer = answer(&built(), "greet", json!({})).await;
    assert_eq!(answer["error"]["message"], "Unknown tool: greet");
}
