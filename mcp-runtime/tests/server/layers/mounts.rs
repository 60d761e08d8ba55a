//! Layers of mounted servers.

use mcp_runtime::Server;
use mcp_runtime::layer::{McpRequest, Next, RequestLayer, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::server::resources::{ResourceBuilder, UriTemplate, variable};
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::types::{RawJson, ResourceLink};
use serde_json::{Value, json};
use tracing::Level;

use super::{Record, recording};
use crate::support::log::Log;
use crate::support::{Wire, stateless};

struct Hub;

#[mcp_server(undocumented = "allow")]
impl Hub {
    #[tool]
    fn link(&self) -> ContentBlock {
        ResourceLink::new("own", "repo://about").into()
    }

    #[prompt]
    fn review(&self) -> &'static str {
        "Review it."
    }

    #[resource("repo://about")]
    fn about(&self) -> &'static str {
        "about"
    }

    #[resource("repo://gone/{name}")]
    fn gone(&self, name: String) -> Result<String, NotFound> {
        drop(name);
        Err(NotFound)
    }
}

/// Creates a server that mounts a second server, which mounts a third. If `layered`, each has a
/// layer.
fn nested(record: &Record, layered: bool) -> Server {
    let mut inner = Hub.into_builder();
    let mut middle = Server::builder();
    let mut outer = Server::builder();
    let entry = ToolBuilder::new("entry");
    if layered {
        inner.layer(recording(record, "inner"));
        middle.layer(recording(record, "middle"));
        outer.layer(recording(record, "outer"));
        inner.tool(entry.layer(recording(record, "entry")).call(|(), _| "so"));
    } else {
        inner.tool(entry.call(|(), _| "so"));
    }
    middle.mount("b", inner.build());
    outer.mount("a", middle.build());
    outer.build()
}

async fn ask(server: &Server, method: &str, params: Value) -> Value {
    let mut wire = Wire::to(server).await;
    wire.ask(stateless(1, method, params)).await
}

#[tokio::test]
async fn layers_of_a_mounted_server_stand_inside_those_of_the_outer_one() {
    let record = Record::default();
    let server = nested(&record, true);
    ask(&server, "tools/call", json!({"name": "a_b_entry"})).await;
    let passed = [
        "outer tools/call a_b_entry",
        "middle tools/call b_entry",
        "inner tools/call entry",
        "entry tools/call entry",
        "entry tools/call entry: answered",
        "inner tools/call entry: answered",
        "middle tools/call b_entry: answered",
        "outer tools/call a_b_entry: answered",
    ];
    assert_eq!(record.take(), passed);
    ask(&server, "tools/list", json!({})).await;
    assert_eq!(
        record.take(),
        ["outer tools/list ", "outer tools/list : answered"]
    );
}

#[tokio::test]
async fn results_are_the_same_with_and_without_layers() {
    let record = Record::default();
    let [with, without] = [true, false].map(|layered| nested(&record, layered));
    let resources = ask(&without, "resources/list", json!({})).await;
    let uri = resources["result"]["resources"][0]["uri"].clone();
    let gone = uri.as_str().unwrap().replace("about", "gone/x");
    for (method, params) in [
        ("tools/call", json!({"name": "a_b_link"})),
        ("tools/call", json!({"name": "a_b_entry"})),
        ("prompts/get", json!({"name": "a_b_review"})),
        ("resources/read", json!({"uri": uri})),
        ("resources/read", json!({"uri": gone})),
        ("resources/read", json!({"uri": "repo://nothing"})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("server/discover", json!({})),
    ] {
        let expected = ask(&without, method, params.clone()).await;
        assert_eq!(ask(&with, method, params).await, expected, "{method}");
    }
}

#[tokio::test]
async fn an_entry_keeps_its_layers_where_its_server_has_none() {
    let record = Record::default();
    let uri = UriTemplate::parse("a://b").unwrap();
    let entry = ResourceBuilder::new("entry", uri).layer(recording(&record, "entry"));
    let inner = Server::builder().resource(entry.call(|(), _| "so")).build();
    let mut outer = Server::builder();
    outer.mount("", &inner);
    ask(&outer.build(), "resources/read", json!({"uri": "a://b"})).await;
    let passed = [
        "entry resources/read a://b",
        "entry resources/read a://b: answered",
    ];
    assert_eq!(record.take(), passed);
}

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {
    #[resource("file:///{tenant}/{+path}", mime = "text/plain")]
    fn file(&self, tenant: String, path: String) -> Option<String> {
        (path != "gone").then(|| format!("{path} of {tenant}"))
    }

    #[resource("file:///own/about")]
    fn about(&self) -> &'static str {
        "about"
    }

    #[tool]
    fn public(&self) -> &'static str {
        "public"
    }

    #[tool]
    fn private(&self) -> &'static str {
        "private"
    }

    #[prompt]
    fn greet(&self) -> &'static str {
        "Hello."
    }

    #[prompt]
    fn order(&self) -> &'static str {
        "Come."
    }
}

/// Returns a layer that replaces a string in the parameters.
fn replacing(from: &'static str, to: &'static str) -> impl RequestLayer {
    from_fn(move |mut request: McpRequest, next: Next| {
        if let Some(params) = request.params() {
            let params = params.get().replace(from, to);
            request.set_params(RawJson::from_text(params).unwrap());
        }
        next.run(request)
    })
}

/// Creates a server that mounts, under the prefix `in`, a server with files and a layer.
fn replaced(from: &'static str, to: &'static str) -> Server {
    let mut files = Files.into_builder();
    files.filter_resources(|uri, _| !uri.contains("hidden"));
    files.layer(replacing(from, to));
    let mut outer = Server::builder();
    outer.mount("in", files.build());
    outer.build()
}

async fn read(server: &Server, uri: &str) -> Value {
    ask(server, "resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn a_uri_that_a_layer_has_replaced_gives_the_variables() {
    let from = "/other/";
    let to = "/own/";
    let mut alone = Files.into_builder();
    alone.layer(replacing(from, to));
    let template = UriTemplate::parse("file:///{tenant}/{+path}").unwrap();
    let entry = ResourceBuilder::new("file", template)
        .variables((variable::<String>("tenant"), variable::<String>("path")))
        .layer(replacing(from, to))
        .call(|(tenant, path), _| format!("{path} of {tenant}"));
    let layered = Server::builder().resource(entry).build();
    let mut nested = Server::builder();
    nested.mount("x", replaced(from, to));
    for (server, prefix) in [
        (alone.build(), ""),
        (layered, ""),
        (replaced(from, to), "in+"),
        (nested.build(), "x+in+"),
    ] {
        for (uri, text) in [
            ("file:///other/a/b", "a/b of own"),
            ("file:///%6Fther/a", "a of other"),
            ("FILE:///other/%61", "a of own"),
            ("file:///own/a", "a of own"),
        ] {
            let answer = read(&server, &format!("{prefix}{uri}")).await;
            let contents = &answer["result"]["contents"][0];
            assert_eq!(contents["text"], text, "{prefix} {uri} {answer}");
        }
    }
    // The error for a missing resource names the URI that the caller sent.
    let answer = read(&replaced(from, to), "in+file:///other/gone").await;
    let data = json!({"uri": "in+file:///other/gone"});
    assert_eq!(answer["error"]["data"], data, "{answer}");
}

#[tokio::test]
async fn a_layer_that_leads_to_another_entry_is_refused() {
    let internal = json!({"code": -32603, "message": "Internal error"});
    for (uri, to) in [
        ("file:///other/a", "note://x"),
        ("file:///other/a", "no URI"),
        ("file:///other/a", "file:///own/../a"),
        ("file:///other/a", "file:///hidden/a"),
        // This URI has its own entry, although the template matches as well.
        ("file:///other/a", "file:///own/about"),
        ("file:///own/about", "file:///own/a"),
    ] {
        let (log, _guard) = Log::listening(Level::ERROR);
        let answer = read(&replaced(uri, to), &format!("in+{uri}")).await;
        assert_eq!(answer["error"], internal, "{to}");
        let text = log.text();
        assert!(text.contains("a layer replaced the parameters"), "{text}");
    }
    let server = replaced("public", "private");
    let answer = ask(&server, "tools/call", json!({"name": "in_public"})).await;
    assert_eq!(answer["error"], internal);
    let answer = ask(&server, "tools/call", json!({"name": "in_private"})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "private");
    let server = replaced("greet", "order");
    let answer = ask(&server, "prompts/get", json!({"name": "in_greet"})).await;
    assert_eq!(answer["error"], internal);
}
