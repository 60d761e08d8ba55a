//! Layers of servers within servers.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::server::resources::{ResourceBuilder, UriTemplate};
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::types::ResourceLink;
use serde_json::{Value, json};

use super::{Record, recording};
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

/// A server that mounts one which mounts a third; `layered` ones have a layer.
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
