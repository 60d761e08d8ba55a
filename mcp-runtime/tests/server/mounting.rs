//! Mounted servers.

use mcp_runtime::prelude::*;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{FixedListError, List, Reply};
use mcp_runtime::types::{ResourceContents, ResourceLink, TextResourceContents};
use mcp_runtime::{Server, ServerBuilder};
use serde_json::{Value, json};

use crate::support::{Wire, request, stateless, text, tool};

struct Hub;

#[mcp_server]
impl Hub {
    /// Finds repositories.
    #[tool]
    fn search(&self, text: String) -> String {
        format!("found {text}")
    }

    /// Links to a resource of this server, and to a resource of another server.
    #[tool]
    async fn link(&self) -> Vec<ContentBlock> {
        tokio::task::yield_now().await;
        vec![
            ResourceLink::new("own", "repo://main/readme").into(),
            ResourceLink::new("other", "https://example.com").into(),
        ]
    }

    /// Adds a tool.
    #[tool]
    fn learn(&self, name: String, server: &Server) -> Result<(), FixedListError> {
        let entry = tool(&name, |_| Reply::Ready(Ok(text("learnt".to_owned()))));
        server.edit().add_tool(entry).apply()
    }

    /// Reviews a repository.
    #[prompt]
    fn review(&self, #[arg(complete = Self::names)] name: String) -> String {
        format!("Review {name}.")
    }

    #[resource("repo://{name}/{+path}", list = Self::all, mime = "text/plain")]
    fn file(&self, #[arg(complete = Self::names)] name: String, path: String) -> String {
        format!("{path} of {name}")
    }

    #[resource("repo://about")]
    fn about(&self) -> Vec<ResourceContents> {
        vec![TextResourceContents::new("repo://about", "about").into()]
    }

    fn names(request: &CompletionRequest) -> Vec<String> {
        vec![format!("{}-name", request.value())]
    }

    async fn all(&self) -> Vec<Resource> {
        vec![Resource::new("readme", "repo://main/readme")]
    }
}

fn hub() -> ServerBuilder {
    let mut hub = Hub.into_builder();
    hub.list_changed([List::Tools, List::Resources]);
    let resource = Resource::new("watched", "repo://watched");
    let watched = ResourceEntry::resource(resource, |_| Reply::Ready("x".into_contents()));
    hub.resource(watched.subscribable());
    hub
}

fn outer(prefix: &str, hub: &Server) -> Server {
    let mut server = Server::builder();
    server.tool(tool("own", |_| Reply::Ready(Ok(text("own".to_owned())))));
    server.mount(prefix, hub);
    server.build()
}

async fn ask(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let mut wire = Wire::to(server).await;
    wire.handshake("2025-11-25").await;
    wire.send(request("asked", method, params.clone())).await;
    let handshake = loop {
        let answer = wire.answer().await;
        if answer["id"] == "asked" {
            break answer;
        }
    };
    let mut wire = Wire::to(server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

async fn names(server: &Server, method: &str, list: &str, key: &str) -> Vec<String> {
    let [one, other] = ask(server, method, json!({})).await;
    assert_eq!(one["result"][list], other["result"][list]);
    let items = one["result"][list].as_array().unwrap();
    items
        .iter()
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect()
}

async fn call(server: &Server, name: &str, arguments: Value) -> [Value; 2] {
    let params = json!({"name": name, "arguments": arguments});
    ask(server, "tools/call", params).await
}

#[tokio::test]
async fn everything_is_offered_under_a_prefix() {
    let server = outer("gh", &hub().build());
    for (method, list, key, expected) in [
        (
            "tools/list",
            "tools",
            "name",
            &["own", "gh_search", "gh_link", "gh_learn"][..],
        ),
        ("prompts/list", "prompts", "name", &["gh_review"]),
        (
            "resources/list",
            "resources",
            "uri",
            &[
                "gh+repo://about",
                "gh+repo://watched",
                "gh+repo://main/readme",
            ],
        ),
        (
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            &["gh+repo://{name}/{+path}"],
        ),
    ] {
        assert_eq!(
            names(&server, method, list, key).await,
            expected,
            "{method}"
        );
    }
    for answer in call(&server, "gh_search", json!({"text": "x"})).await {
        assert_eq!(answer["result"]["content"][0]["text"], "found x");
    }
    for answer in call(&server, "search", json!({"text": "x"})).await {
        assert_eq!(answer["error"]["message"], "Unknown tool: search");
    }
    let params = json!({"name": "gh_review", "arguments": {"name": "x"}});
    for answer in ask(&server, "prompts/get", params).await {
        let message = &answer["result"]["messages"][0]["content"]["text"];
        assert_eq!(*message, "Review x.");
    }
}

#[tokio::test]
async fn resources_are_read_and_named_by_their_outer_uri() {
    let server = outer("gh", &hub().build());
    for (uri, expected) in [
        (
            "gh+repo://main/a/b",
            json!({"mimeType": "text/plain", "text": "a/b of main"}),
        ),
        ("gh+repo://about", json!({"text": "about"})),
    ] {
        let mut expected = expected;
        expected["uri"] = json!(uri);
        for answer in ask(&server, "resources/read", json!({"uri": uri})).await {
            assert_eq!(answer["result"]["contents"], json!([expected]), "{answer}");
        }
    }
    for answer in ask(&server, "resources/read", json!({"uri": "repo://about"})).await {
        assert_eq!(answer["error"]["data"]["uri"], "repo://about");
    }
    for answer in call(&server, "gh_link", json!({})).await {
        let content = &answer["result"]["content"];
        assert_eq!(content[0]["uri"], "gh+repo://main/readme");
        assert_eq!(content[1]["uri"], "https://example.com");
    }
}

#[tokio::test]
async fn arguments_are_completed_by_the_mounted_server() {
    let server = outer("gh", &hub().build());
    for reference in [
        json!({"type": "ref/prompt", "name": "gh_review"}),
        json!({"type": "ref/resource", "uri": "gh+repo://{name}/{+path}"}),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "name", "value": "a"}});
        for answer in ask(&server, "completion/complete", params).await {
            let values = &answer["result"]["completion"]["values"];
            assert_eq!(*values, json!(["a-name"]), "{answer}");
        }
    }
}

#[tokio::test]
async fn changes_of_the_mounted_server_pass_through() {
    let hub = hub().build();
    let server = outer("a", &outer("b", &hub));
    let mut wire = Wire::to(&server).await;
    let answer = wire.handshake("2025-11-25").await;
    assert_eq!(
        answer["result"]["capabilities"],
        json!({
            "tools": {"listChanged": true},
            "prompts": {},
            "resources": {"listChanged": true, "subscribe": true},
            "completions": {},
        })
    );
    let uri = "a+b+repo://watched";
    let answer = wire
        .ask(request(1, "resources/subscribe", json!({"uri": uri})))
        .await;
    assert_eq!(answer["result"], json!({}), "{answer}");

    hub.edit().disable_tool("search").apply().unwrap();
    let told = wire.answer().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    let listed = names(&server, "tools/list", "tools", "name").await;
    assert_eq!(listed, ["own", "a_own", "a_b_link", "a_b_learn"]);
    for answer in call(&server, "a_b_search", json!({"text": "x"})).await {
        assert_eq!(answer["error"]["code"], -32602);
    }

    hub.notify_resource_updated("repo://watched");
    let told = wire.answer().await;
    assert_eq!(told["params"], json!({"uri": uri}));

    hub.edit()
        .enable_tool("search")
        .remove_resource("repo://about")
        .apply()
        .unwrap();
    let listed = names(&server, "tools/list", "tools", "name").await;
    assert_eq!(listed.last().unwrap(), "a_b_search");
    let listed = names(&server, "resources/list", "resources", "uri").await;
    assert_eq!(listed, ["a+b+repo://watched", "a+b+repo://main/readme"]);
}

#[tokio::test]
async fn a_handler_of_the_mounted_server_edits_that() {
    let hub = hub().build();
    let server = outer("a", &outer("b", &hub));
    for (name, answer) in ["one", "two"].into_iter().zip([0, 1]) {
        let answers = call(&server, "a_b_learn", json!({"name": name})).await;
        assert_eq!(answers[answer]["result"]["isError"], Value::Null);
        let tool = hub.tools().pop().unwrap();
        assert_eq!(tool.name, name);
        for answer in call(&server, &format!("a_b_{name}"), json!({})).await {
            assert_eq!(answer["result"]["content"][0]["text"], "learnt");
        }
    }
}

#[tokio::test]
async fn whoever_has_a_name_keeps_it() {
    let mut inner = Server::builder();
    inner.tool(tool("own", |_| Reply::Ready(Ok(text("inner".to_owned())))));
    inner.tool(tool("more", |_| Reply::Ready(Ok(text("inner".to_owned())))));
    let server = outer("", &inner.build());
    assert_eq!(
        names(&server, "tools/list", "tools", "name").await,
        ["own", "more"]
    );
    for answer in call(&server, "own", json!({})).await {
        assert_eq!(answer["result"]["content"][0]["text"], "own");
    }
}

fn says(name: &str, what: &'static str) -> ToolEntry {
    tool(name, move |_| Reply::Ready(Ok(text(what.to_owned()))))
}

/// Returns the text of each tool of the server, in the order of the list.
async fn said(server: &Server) -> Vec<String> {
    let mut said = Vec::new();
    for name in names(server, "tools/list", "tools", "name").await {
        let [answer, _] = call(server, &name, json!({})).await;
        let text = &answer["result"]["content"][0]["text"];
        said.push(format!("{name}: {}", text.as_str().unwrap()));
    }
    said
}

/// After any sequence of edits, the server's own entry takes precedence, and otherwise the entry of
/// the first mount.
#[tokio::test]
async fn what_is_hidden_by_a_namesake_comes_back() {
    let inner = |tools: [(&str, &'static str); 2]| {
        let mut inner = Server::builder();
        for (name, what) in tools {
            inner.tool(says(name, what));
        }
        inner.list_changed([List::Tools]);
        inner.build()
    };
    let first = inner([("x", "first"), ("y", "first")]);
    let second = inner([("x", "second"), ("z", "second")]);
    let mut server = Server::builder();
    server
        .tool(says("x", "own"))
        .mount("", &first)
        .mount("", &second);
    let server = server.build();
    assert_eq!(said(&server).await, ["x: own", "y: first", "z: second"]);

    server.edit().remove_tool("x").apply().unwrap();
    assert_eq!(said(&server).await, ["x: first", "y: first", "z: second"]);
    // Only the server's own entries can be removed, so nothing changes.
    server.edit().remove_tool("x").apply().unwrap();
    assert_eq!(said(&server).await, ["x: first", "y: first", "z: second"]);

    first.edit().remove_tool("x").apply().unwrap();
    assert_eq!(said(&server).await, ["y: first", "x: second", "z: second"]);
    first.edit().add_tool(says("x", "first")).apply().unwrap();
    assert_eq!(said(&server).await, ["y: first", "z: second", "x: first"]);

    server.edit().add_tool(says("x", "own")).apply().unwrap();
    assert_eq!(said(&server).await, ["y: first", "z: second", "x: own"]);
    first.edit().disable_tool("y").apply().unwrap();
    second.edit().add_tool(says("y", "second")).apply().unwrap();
    assert_eq!(said(&server).await, ["z: second", "x: own", "y: second"]);

    server.edit().disable_tool("x").apply().unwrap();
    assert_eq!(said(&server).await, ["z: second", "y: second"]);
    server
        .edit()
        .remove_tool("x")
        .enable_tool("x")
        .apply()
        .unwrap();
    assert_eq!(said(&server).await, ["z: second", "x: first", "y: second"]);
}

#[tokio::test]
async fn what_a_mounted_server_hides_stays_hidden() {
    let mut inner = hub();
    inner.filter_tools(|tool, _| tool.name != "learn");
    inner.tool(tool("secret", |_| Reply::Ready(Ok(text(String::new())))).visible_to(|_| false));
    let server = outer("gh", &inner.build());
    let listed = names(&server, "tools/list", "tools", "name").await;
    assert_eq!(listed, ["own", "gh_search", "gh_link"]);
    for name in ["gh_learn", "gh_secret"] {
        for answer in call(&server, name, json!({"name": "x"})).await {
            let message = format!("Unknown tool: {name}");
            assert_eq!(answer["error"]["message"], message);
        }
    }
}
