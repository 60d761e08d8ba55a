//! Edits of a running server.

use std::sync::Arc;

use mcp_runtime::prelude::*;
use mcp_runtime::server::prompts::PromptEntry;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{FixedListError, List, Reply};
use mcp_runtime::types::{GetPromptResult, Prompt};
use mcp_runtime::{Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{Wire, request, stateless, text, tool};

fn says(name: &str, word: &'static str) -> ToolEntry {
    tool(name, move |_| Reply::Ready(Ok(text(word.to_owned()))))
}

fn prompt(name: &str) -> PromptEntry {
    PromptEntry::new(Prompt::new(name), |_| {
        Reply::Ready(Ok(GetPromptResult::new([])))
    })
}

fn resource(name: &str) -> ResourceEntry {
    let resource = Resource::new(name, format!("test://{name}"));
    ResourceEntry::resource(resource, |_| Reply::Ready("here".into_contents()))
}

fn builder() -> ServerBuilder {
    let mut server = Server::builder();
    server.tool(says("first", "1")).tool(says("second", "2"));
    server
}

fn dynamic() -> Server {
    let mut server = builder();
    server.list_changed(List::ALL);
    server.build()
}

/// Opens a connection in each era, before anything changes.
async fn wires(server: &Server) -> [(Wire, &'static str); 2] {
    let mut handshake = Wire::to(server).await;
    handshake.handshake("2025-11-25").await;
    let stateless = Wire::to(server).await;
    [(handshake, "handshake"), (stateless, "stateless")]
}

/// Returns the next answer, skipping notifications.
async fn ask(wire: &mut Wire, era: &str, method: &str, params: Value) -> Value {
    let message = match era {
        "handshake" => request("asked", method, params),
        _ => stateless("asked", method, params),
    };
    wire.send(message).await;
    loop {
        let answer = wire.answer().await;
        if answer["id"] == "asked" {
            return answer;
        }
    }
}

async fn names(wire: &mut Wire, era: &str, method: &str, list: &str, key: &str) -> Vec<String> {
    let answer = ask(wire, era, method, json!({})).await;
    let items = answer["result"][list].as_array().unwrap();
    let name = |item: &Value| item[key].as_str().unwrap().to_owned();
    items.iter().map(name).collect()
}

async fn tools(wire: &mut Wire, era: &str) -> Vec<String> {
    names(wire, era, "tools/list", "tools", "name").await
}

#[tokio::test]
async fn open_connections_meet_the_new_tools_at_their_next_request() {
    let server = dynamic();
    for (mut wire, era) in wires(&server).await {
        assert_eq!(tools(&mut wire, era).await, ["first", "second"], "{era}");
        let edit = server.edit().add_tool(says("third", "3"));
        edit.remove_tool("first").apply().unwrap();
        assert_eq!(tools(&mut wire, era).await, ["second", "third"], "{era}");

        let answer = ask(&mut wire, era, "tools/call", json!({"name": "third"})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "3", "{era}");
        let answer = ask(&mut wire, era, "tools/call", json!({"name": "first"})).await;
        assert_eq!(answer["error"]["message"], "Unknown tool: first", "{era}");

        let edit = server.edit().remove_tool("third").remove_tool("second");
        let edit = edit.add_tool(says("first", "1"));
        edit.add_tool(says("second", "2")).apply().unwrap();
    }
}

#[tokio::test]
async fn what_is_disabled_does_not_exist_until_it_is_enabled() {
    let server = dynamic();
    for (mut wire, era) in wires(&server).await {
        server.edit().disable_tool("first").apply().unwrap();
        assert_eq!(tools(&mut wire, era).await, ["second"], "{era}");
        let answer = ask(&mut wire, era, "tools/call", json!({"name": "first"})).await;
        assert_eq!(answer["error"]["code"], -32602, "{era}");
        server.edit().enable_tool("first").apply().unwrap();
        assert_eq!(tools(&mut wire, era).await, ["first", "second"], "{era}");
    }
}

#[tokio::test]
async fn what_is_replaced_keeps_its_place() {
    let server = dynamic();
    let again = server.edit().add_tool(says("first", "new"));
    again.apply().unwrap();
    for (mut wire, era) in wires(&server).await {
        assert_eq!(tools(&mut wire, era).await, ["first", "second"], "{era}");
        let answer = ask(&mut wire, era, "tools/call", json!({"name": "first"})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "new", "{era}");
    }
}

#[tokio::test]
async fn prompts_and_resources_come_and_go() {
    let server = dynamic();
    for (mut wire, era) in wires(&server).await {
        let edit = server.edit().add_prompt(prompt("greet"));
        edit.add_resource(resource("note")).apply().unwrap();
        let prompts = names(&mut wire, era, "prompts/list", "prompts", "name").await;
        assert_eq!(prompts, ["greet"], "{era}");
        let uris = names(&mut wire, era, "resources/list", "resources", "uri").await;
        assert_eq!(uris, ["test://note"], "{era}");
        let read = json!({"uri": "test://note"});
        let answer = ask(&mut wire, era, "resources/read", read.clone()).await;
        assert_eq!(answer["result"]["contents"][0]["text"], "here", "{era}");

        let edit = server.edit().disable_prompt("greet");
        edit.disable_resource("test://note").apply().unwrap();
        let answer = ask(&mut wire, era, "resources/read", read).await;
        assert!(answer["error"].is_object(), "{era}");
        let prompts = names(&mut wire, era, "prompts/list", "prompts", "name").await;
        assert!(prompts.is_empty(), "{era}");
        let edit = server.edit().remove_prompt("greet");
        edit.remove_resource("test://note").apply().unwrap();
    }
}

#[tokio::test]
async fn only_lists_that_can_change_say_so() {
    let mut server = builder();
    server.list_changed([List::Prompts]);
    for (server, expected) in [
        (builder().build(), json!({"tools": {}})),
        (
            server.build(),
            json!({"tools": {}, "prompts": {"listChanged": true}}),
        ),
        (
            dynamic(),
            json!({
                "tools": {"listChanged": true},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true},
            }),
        ),
    ] {
        let mut wire = Wire::to(&server).await;
        let answer = wire.handshake("2025-11-25").await;
        assert_eq!(answer["result"]["capabilities"], expected);
        let mut wire = Wire::to(&server).await;
        let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
        assert_eq!(answer["result"]["capabilities"], expected);
    }
}

#[tokio::test]
async fn a_list_that_is_fixed_is_not_edited() {
    let mut server = builder();
    server.list_changed([List::Tools]);
    let server = server.build();
    let edit = server.edit().remove_tool("first").add_prompt(prompt("x"));
    let refused = edit.apply().unwrap_err();
    assert_eq!(refused, FixedListError(List::Prompts));
    let names: Vec<_> = server.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["first", "second"], "nothing was changed");
}

#[tokio::test]
async fn clients_are_told_once_for_each_list() {
    let server = dynamic();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-11-25").await;
    assert_eq!(tools(&mut wire, "handshake").await.len(), 2);
    let edit = server.edit().add_tool(says("third", "3"));
    edit.remove_tool("first").apply().unwrap();
    let told = wire.answer().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    // No notification is sent if nothing has changed.
    let edit = server.edit().remove_tool("nobody").enable_tool("third");
    edit.apply().unwrap();
    server.edit().add_prompt(prompt("greet")).apply().unwrap();
    let told = wire.answer().await;
    assert_eq!(told["method"], "notifications/prompts/list_changed");
}

struct Grower;

#[mcp_server]
impl Grower {
    /// Learns a new word.
    #[tool]
    fn learn(&self, word: String, server: &Server) -> Result<String, FixedListError> {
        let learnt = word.clone();
        let entry = tool(&word, move |_| Reply::Ready(Ok(text(learnt.clone()))));
        server.edit().add_tool(entry).apply()?;
        Ok(format!("{word} is learnt"))
    }
}

#[tokio::test]
async fn a_handler_edits_its_own_server() {
    for era in ["handshake", "stateless"] {
        let mut server = Grower.into_builder();
        server.list_changed([List::Tools]);
        let server = server.build();
        for (mut wire, _) in wires(&server)
            .await
            .into_iter()
            .filter(|(_, it)| *it == era)
        {
            let learn = json!({"name": "learn", "arguments": {"word": "hello"}});
            let answer = ask(&mut wire, era, "tools/call", learn).await;
            assert_eq!(answer["result"]["isError"], Value::Null, "{answer}");
            assert_eq!(tools(&mut wire, era).await, ["learn", "hello"], "{era}");
        }
    }
}

#[tokio::test]
async fn a_call_in_flight_ends_as_it_began() {
    for era in ["handshake", "stateless"] {
        let server = dynamic();
        let started = Arc::new(Notify::new());
        let go_on = Arc::new(Notify::new());
        let begun = Arc::clone(&started);
        let released = Arc::clone(&go_on);
        let slow = tool("slow", move |_| {
            begun.notify_one();
            let released = Arc::clone(&released);
            Reply::Pending(Box::pin(async move {
                released.notified().await;
                Ok(text("done".to_owned()))
            }))
        });
        server.edit().add_tool(slow).apply().unwrap();
        for (mut wire, _) in wires(&server)
            .await
            .into_iter()
            .filter(|(_, it)| *it == era)
        {
            let edit = async {
                started.notified().await;
                server.edit().remove_tool("slow").apply().unwrap();
                go_on.notify_one();
            };
            let call = ask(&mut wire, era, "tools/call", json!({"name": "slow"}));
            let (answer, ()) = tokio::join!(call, edit);
            assert_eq!(answer["result"]["content"][0]["text"], "done", "{era}");
        }
    }
}
