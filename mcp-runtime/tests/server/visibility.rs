//! Entries hidden from a caller do not exist for that caller.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{self, Wire, stateless};

struct Shelf;

#[mcp_server(undocumented = "allow")]
impl Shelf {
    #[prompt]
    fn secret(&self, #[arg(complete = Self::words)] word: String) -> String {
        word
    }

    #[prompt]
    fn open(&self) -> String {
        "open".to_owned()
    }

    #[resource("draft://plan", subscribe)]
    fn plan(&self) -> String {
        "plan".to_owned()
    }

    #[resource("page://{name}", list = Self::all)]
    fn page(&self, name: String) -> String {
        name
    }

    #[resource("draft://old/{name}")]
    fn old(&self, #[arg(complete = Self::words)] name: String) -> String {
        name
    }

    fn words(_: &CompletionRequest) -> Vec<String> {
        vec!["word".to_owned()]
    }

    async fn all(&self) -> Vec<Resource> {
        ["first", "hidden"]
            .map(|name| Resource::new(name, format!("page://{name}")))
            .to_vec()
    }
}

/// Creates a server that shows drafts and hidden entries only to editors.
fn shelf() -> Server {
    let mut server = Shelf.into_builder();
    let edits = |cx: &Context| cx.client_info().is_some_and(|it| it.name == "editor");
    server.filter_prompts(move |prompt, cx| prompt.name != "secret" || edits(cx));
    server.filter_resources(move |uri, cx| {
        !(uri.starts_with("draft:") || uri.contains("hidden")) || edits(cx)
    });
    server.build()
}

/// Mounts the shelf in another server, which prefixes every name with `outer`.
fn mounted() -> Server {
    let mut server = Server::builder();
    server.mount("outer", shelf());
    server.build()
}

async fn ask(server: &Server, caller: &str, method: &str, params: Value) -> Value {
    let mut message = stateless(1, method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] =
        json!({"name": caller, "version": "1"});
    Wire::to(server).await.ask(message).await
}

async fn listed(server: &Server, caller: &str, list: &str, key: &str) -> Vec<String> {
    let (method, member) = match list {
        "templates" => ("resources/templates/list", "resourceTemplates"),
        "resources" => ("resources/list", "resources"),
        _ => ("prompts/list", "prompts"),
    };
    let answer = ask(server, caller, method, json!({})).await;
    assert_eq!(answer["result"]["cacheScope"], "private");
    let items = answer["result"][member].as_array().unwrap().iter();
    items
        .map(|item| item[key].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn lists_show_each_caller_its_own() {
    for (server, name, uri) in [(shelf(), "", ""), (mounted(), "outer_", "outer+")] {
        for (caller, list, key, expected) in [
            ("reader", "prompts", "name", vec!["open"]),
            ("editor", "prompts", "name", vec!["secret", "open"]),
            ("reader", "resources", "uri", vec!["page://first"]),
            (
                "editor",
                "resources",
                "uri",
                vec!["draft://plan", "page://first", "page://hidden"],
            ),
            ("reader", "templates", "uriTemplate", vec!["page://{name}"]),
            (
                "editor",
                "templates",
                "uriTemplate",
                vec!["page://{name}", "draft://old/{name}"],
            ),
        ] {
            let prefix = if key == "name" { name } else { uri };
            let expected: Vec<_> = expected.iter().map(|it| format!("{prefix}{it}")).collect();
            assert_eq!(
                listed(&server, caller, list, key).await,
                expected,
                "{caller}"
            );
        }
    }
}

#[tokio::test]
async fn what_is_hidden_cannot_be_reached() {
    for (server, name, uri) in [(shelf(), "", ""), (mounted(), "outer_", "outer+")] {
        let prompt = json!({"type": "ref/prompt", "name": format!("{name}secret")});
        let template = json!({"type": "ref/resource", "uri": format!("{uri}draft://old/{{name}}")});
        let typing = |argument: &str| json!({"name": argument, "value": ""});
        for (method, params) in [
            (
                "prompts/get",
                json!({"name": format!("{name}secret"), "arguments": {"word": "x"}}),
            ),
            (
                "resources/read",
                json!({"uri": format!("{uri}draft://plan")}),
            ),
            (
                "resources/read",
                json!({"uri": format!("{uri}draft://old/x")}),
            ),
            (
                "resources/read",
                json!({"uri": format!("{uri}page://hidden")}),
            ),
            (
                "completion/complete",
                json!({"ref": prompt, "argument": typing("word")}),
            ),
            (
                "completion/complete",
                json!({"ref": template, "argument": typing("name")}),
            ),
        ] {
            let answer = ask(&server, "reader", method, params.clone()).await;
            assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
            let answer = ask(&server, "editor", method, params).await;
            assert!(answer["result"].is_object(), "{method}: {answer}");
        }
    }
}

#[tokio::test]
async fn nobody_is_told_of_changes_of_what_is_hidden() {
    for (server, uri) in [(shelf(), "draft://plan"), (mounted(), "outer+draft://plan")] {
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        let subscribe = json!({"uri": uri});
        let answer = wire
            .ask(support::request(1, "resources/subscribe", subscribe))
            .await;
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
}
