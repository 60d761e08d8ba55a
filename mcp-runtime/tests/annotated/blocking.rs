//! Functions that do not run on the server's thread.

use std::thread::{self, ThreadId};

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{Wire, stateless};

/// The thread on which the server runs.
struct Home(ThreadId);

impl Home {
    fn here() -> Self {
        Self(thread::current().id())
    }

    fn place(&self) -> String {
        let is_home = thread::current().id() == self.0;
        (if is_home { "home" } else { "away" }).to_owned()
    }

    fn listed(&self) -> Vec<Resource> {
        vec![Resource::new(self.place(), "place://listed")]
    }
}

#[mcp_server(blocking, groups(quick, each), undocumented = "allow")]
impl Home {
    #[tool]
    fn tool(&self) -> String {
        self.place()
    }

    #[tool(blocking = false)]
    fn stays(&self) -> String {
        self.place()
    }

    #[tool]
    async fn later(&self) -> String {
        self.place()
    }

    #[prompt]
    fn prompt(&self, #[arg(complete = Self::complete)] _place: String) -> String {
        self.place()
    }

    #[resource("block://{place}", list = Self::list)]
    async fn resource(&self, #[arg(complete = Self::complete_later)] place: String) -> String {
        format!("{place} {}", self.place())
    }

    fn complete(&self, request: &CompletionRequest) -> Vec<String> {
        vec![request.value().to_owned(), self.place()]
    }

    async fn complete_later(&self, request: &CompletionRequest) -> Vec<String> {
        vec![request.value().to_owned(), self.place()]
    }

    fn list(&self) -> Vec<Resource> {
        self.listed()
    }
}

#[mcp_server(group = quick, undocumented = "allow")]
impl Home {
    #[tool]
    fn quick(&self) -> String {
        self.place()
    }

    #[resource("quick://{place}", list = Self::list_quickly)]
    fn quick_resource(&self, place: String) -> String {
        format!("{place} {}", self.place())
    }

    fn list_quickly(&self) -> Vec<Resource> {
        self.listed()
    }
}

#[mcp_server(group = each, undocumented = "allow")]
impl Home {
    #[prompt(blocking)]
    fn prompt_away(&self) -> String {
        self.place()
    }

    #[resource("each://{place}", blocking, list = Self::list_away)]
    fn resource_away(&self, #[arg(complete = Self::complete_away)] place: String) -> String {
        format!("{place} {}", self.place())
    }

    fn list_away(&self) -> Vec<Resource> {
        self.listed()
    }

    fn complete_away(&self, request: &CompletionRequest) -> Vec<String> {
        vec![request.value().to_owned(), self.place()]
    }
}

async fn ask(method: &str, params: Value) -> Value {
    let server: Server = Home::here().into_server();
    let mut wire = Wire::to(&server).await;
    wire.ask(stateless(1, method, params)).await["result"].take()
}

#[tokio::test]
async fn plain_functions_of_a_block_run_away() {
    for (tool, place) in [
        ("tool", "away"),
        ("stays", "home"),
        ("later", "home"),
        ("quick", "home"),
    ] {
        let result = ask("tools/call", json!({"name": tool})).await;
        assert_eq!(result["content"][0]["text"], place, "{tool}");
    }
}

#[tokio::test]
async fn prompts_and_resources_run_away() {
    for (name, place) in [("prompt", "away"), ("prompt_away", "away")] {
        let result = ask(
            "prompts/get",
            json!({"name": name, "arguments": {"place": "x"}}),
        )
        .await;
        assert_eq!(result["messages"][0]["content"]["text"], place, "{name}");
    }
    for (uri, text) in [
        ("block://x", "x home"),
        ("each://x", "x away"),
        ("quick://x", "x home"),
    ] {
        let result = ask("resources/read", json!({"uri": uri})).await;
        assert_eq!(result["contents"][0]["text"], text);
    }
}

#[tokio::test]
async fn listers_and_completers_run_away() {
    let listed = ask("resources/list", json!({})).await;
    let names = listed["resources"].as_array().unwrap().iter();
    let names: Vec<_> = names
        .map(|resource| resource["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["away", "home", "away"]);
    for (reference, argument, place) in [
        (
            json!({"type": "ref/prompt", "name": "prompt"}),
            "place",
            "away",
        ),
        (
            json!({"type": "ref/resource", "uri": "block://{place}"}),
            "place",
            "home",
        ),
        (
            json!({"type": "ref/resource", "uri": "each://{place}"}),
            "place",
            "away",
        ),
    ] {
        let params = json!({"ref": reference, "argument": {"name": argument, "value": "x"}});
        let result = ask("completion/complete", params).await;
        assert_eq!(
            result["completion"]["values"],
            json!(["x", place]),
            "{reference}"
        );
    }
}
