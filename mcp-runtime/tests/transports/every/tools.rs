//! Answers to tool calls: results and errors.

use mcp_runtime::ProtocolError;
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::ToolBuilder;
use serde_json::{Value, json};

use super::Transport;
use crate::support::over::Over as _;
use crate::support::{WireOver, call, stateless};

type Wire = WireOver<Transport>;

struct Tools;

#[mcp_server(undocumented = "allow")]
impl Tools {
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    #[tool(strict)]
    fn exact(&self, a: i64) -> i64 {
        a
    }

    #[tool]
    fn fails(&self) -> Result<String, std::num::ParseIntError> {
        "x".parse::<i64>().map(|number| number.to_string())
    }

    #[tool]
    fn refuses(&self) -> Result<String, ProtocolError> {
        Err(ProtocolError::new(-32050, "not today"))
    }

    #[tool]
    async fn panics(&self, late: bool) {
        if late {
            tokio::task::yield_now().await;
        }
        panic!("the secret of the house");
    }

    #[tool]
    fn routed(&self, #[arg(header = "Region")] region: Option<String>) -> String {
        format!("{region:?}")
    }

    #[tool]
    async fn never(&self) {
        std::future::pending::<()>().await;
    }
}

/// Creates the server of these tests.
#[allow(unreachable_pub)]
pub fn server() -> mcp_runtime::Server {
    let mut server = Tools.into_builder();
    let longwinded = ToolBuilder::new("longwinded").description("x".repeat(LONG));
    server.tool(longwinded.arguments(()).call(|(), _| "so"));
    server.build()
}

/// The length of one tool's description, to test that lists of tools are not copied needlessly.
const LONG: usize = 30_000;

/// Returns a client of each era with a function that makes tool calls of that era.
async fn both_eras() -> [(Wire, fn(Value, &str, Value) -> Value); 2] {
    let server = server();
    let mut handshake = Wire::shared("tools", &server).await;
    handshake.handshake("2025-06-18").await;
    let without: fn(Value, &str, Value) -> Value = |id, name, arguments| call(id, name, arguments);
    let with: fn(Value, &str, Value) -> Value = |id, name, arguments| {
        stateless(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments}),
        )
    };
    [
        (handshake, without),
        (Wire::shared("tools", &server).await, with),
    ]
}

#[tokio::test]
async fn long_lists_arrive_whole_however_many_are_asked_for_at_once() {
    for (mut wire, call) in both_eras().await {
        let list = call(json!(0), "longwinded", json!({}));
        let asked: Vec<_> = (0..20)
            .map(|id| match id % 3 {
                2 => call(json!(id), "add", json!({"a": id, "b": 0})),
                _ => {
                    let mut list = list.clone();
                    (list["id"], list["method"]) = (json!(id), json!("tools/list"));
                    list
                }
            })
            .map(|request| request.to_string())
            .collect();
        let mut answers = wire.exchange(&asked, asked.len()).await;
        answers.sort_by_key(|answer| answer["id"].as_i64());
        for (id, answer) in answers.iter().enumerate() {
            assert_eq!(answer["id"], id);
            if id % 3 == 2 {
                let text = &answer["result"]["content"][0]["text"];
                assert_eq!(text, &id.to_string());
                continue;
            }
            let tools = answer["result"]["tools"].as_array().unwrap();
            let last = tools.last().unwrap();
            assert_eq!(last["name"], "longwinded");
            assert_eq!(last["description"].as_str().map(str::len), Some(LONG));
            assert_eq!(last["inputSchema"]["type"], "object");
        }
        lives_on(&mut wire, call).await;
    }
}

async fn lives_on(wire: &mut Wire, call: fn(Value, &str, Value) -> Value) {
    let answer = wire
        .ask(call(json!("next"), "add", json!({"a": 2, "b": 3})))
        .await;
    assert_eq!(answer["result"]["content"][0]["text"], "5", "{answer}");
}

#[tokio::test]
async fn an_unknown_tool_is_named() {
    for (mut wire, call) in both_eras().await {
        let answer = wire.ask(call(json!(1), "nowhere", json!({}))).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["message"], "Unknown tool: nowhere");
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused_by_their_path() {
    for (mut wire, call) in both_eras().await {
        for tool in ["add", "nowhere"] {
            for arguments in [json!([]), json!([1]), json!("x"), json!(7), json!(false)] {
                let answer = wire.ask(call(json!(1), tool, arguments)).await;
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
                let message = "Invalid params: params.arguments: must be an object";
                assert_eq!(answer["error"]["message"], message);
            }
        }
        let answer = wire.ask(call(json!(1), "routed", Value::Null)).await;
        assert_eq!(answer["result"]["content"][0]["text"], "None", "{answer}");
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn members_given_twice_are_refused_by_their_path() {
    for (mut wire, call) in both_eras().await {
        for (arguments, path) in [
            (r#"{"z":{"a":[0,{"b":1,"b":1}]}}"#, "z.a[1].b"),
            (r#"{"z":1,"z":null}"#, "z"),
        ] {
            let message = |tool| {
                let message = call(json!(1), tool, json!("ARGUMENTS"));
                message.to_string().replace("\"ARGUMENTS\"", arguments)
            };
            let answer = wire.ask_text(&message("routed")).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            let message_said = answer["error"]["message"].as_str().unwrap();
            let expected = format!("Invalid params: params.arguments.{path}: ");
            assert!(message_said.starts_with(&expected), "{message_said}");
            // A tool without this parameter ignores the member.
            let answer = wire.ask_text(&message("fails")).await;
            assert_eq!(answer["result"]["isError"], true, "{answer}");
        }
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_all_named_in_the_result() {
    for (mut wire, call) in both_eras().await {
        let answer = wire.ask(call(json!(1), "add", json!({"a": "x"}))).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        for part in ["`a`", "`b`", "integer"] {
            assert!(text.contains(part), "{text}");
        }
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn unknown_arguments_are_ignored_unless_the_tool_is_strict() {
    for (mut wire, call) in both_eras().await {
        let arguments = json!({"a": 1, "b": 2, "c": 3});
        let answer = wire.ask(call(json!(1), "add", arguments.clone())).await;
        assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
        let answer = wire.ask(call(json!(2), "exact", arguments)).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn errors_of_functions_are_results_and_errors_of_the_protocol_are_not() {
    for (mut wire, call) in both_eras().await {
        let answer = wire.ask(call(json!(1), "fails", json!({}))).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("invalid digit"), "{text}");
        let answer = wire.ask(call(json!(2), "refuses", json!({}))).await;
        assert_eq!(answer["error"]["code"], -32050, "{answer}");
        assert_eq!(answer["error"]["message"], "not today");
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn a_panic_is_answered_without_its_details() {
    for (mut wire, call) in both_eras().await {
        for late in [false, true] {
            let answer = wire
                .ask(call(json!(1), "panics", json!({"late": late})))
                .await;
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            assert!(!answer.to_string().contains("secret"), "{answer}");
        }
        lives_on(&mut wire, call).await;
    }
}

#[tokio::test]
async fn a_call_beyond_the_limit_is_refused_at_once() {
    if !Transport::KEEPS_ORDER {
        return;
    }
    let (mut wire, call) = both_eras().await.into_iter().next().unwrap();
    for id in 0..256 {
        wire.send(call(json!(id), "never", json!({}))).await;
    }
    let answer = wire.ask(call(json!("one more"), "never", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert_eq!(answer["id"], "one more");
    lives_on(&mut wire, call).await;
}
