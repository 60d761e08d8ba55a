//! Metadata of resources and of their contents.

use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use mcp_runtime::server::resources::{Contents, IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::types::{
    Annotations, CacheScope, ReadResourceResult, Resource, ResourceTemplate, Role,
    TextResourceContents,
};
use serde_json::{Value, json};

use crate::support::{Wire, request, stateless};

fn annotations() -> Annotations {
    Annotations::new()
        .with_audience([Role::User])
        .with_priority(0.5)
        .with_last_modified("2026-07-28T00:00:00Z")
}

fn server() -> Server {
    let mut server = Server::builder();
    server.cache(Duration::from_secs(9), CacheScope::Public);
    let resource = Resource::new("note", "note://1")
        .with_size(4)
        .with_mime_type("text/plain")
        .with_annotations(annotations());
    let note = ResourceEntry::resource(resource, |_| Reply::Ready("note".into_contents()));
    server.resource(note.cache(Duration::from_secs(2), CacheScope::Public));
    let listed = ResourceTemplate::new("day", "").with_annotations(annotations());
    let template = UriTemplate::parse("day://{date}").unwrap();
    server.resource(ResourceEntry::template(listed, template, |call| {
        Reply::Ready(Ok(match call.variables["date"].as_str() {
            "none" => Contents::Missing,
            "whole" => {
                let part = TextResourceContents::new(call.uri, "whole").into();
                let whole = ReadResourceResult::new([part]).with_ttl_ms(7);
                Contents::Whole(Box::new(whole))
            }
            date => Contents::Bytes(date.as_bytes().to_vec()),
        }))
    }));
    server.build()
}

async fn ask(method: &str, params: Value) -> [Value; 2] {
    let server = server();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-06-18").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(&server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

async fn read(uri: &str) -> [Value; 2] {
    ask("resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn annotations_and_sizes_are_listed() {
    let says = json!({
        "audience": ["user"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z",
    });
    for answer in ask("resources/list", json!({})).await {
        let listed = &answer["result"]["resources"][0];
        assert_eq!(listed["annotations"], says);
        assert_eq!(listed["size"], 4);
    }
    for answer in ask("resources/templates/list", json!({})).await {
        let listed = &answer["result"]["resourceTemplates"][0];
        assert_eq!(listed["annotations"], says);
    }
}

#[tokio::test]
async fn text_and_bytes_are_told_apart() {
    for answer in read("note://1").await {
        let text = json!([{"uri": "note://1", "mimeType": "text/plain", "text": "note"}]);
        assert_eq!(answer["result"]["contents"], text);
    }
    for answer in read("day://abc").await {
        let blob = json!([{"uri": "day://abc", "blob": "YWJj"}]);
        assert_eq!(answer["result"]["contents"], blob);
    }
}

#[tokio::test]
async fn only_what_a_resource_says_itself_may_be_kept() {
    for (uri, ttl, scope) in [
        ("note://1", 2000, "public"),
        ("day://abc", 0, "private"),
        ("day://whole", 7, "private"),
    ] {
        let [handshake, stateless] = read(uri).await;
        assert_eq!(handshake["result"].get("ttlMs"), None, "{uri}");
        assert_eq!(stateless["result"]["ttlMs"], ttl, "{uri}");
        assert_eq!(stateless["result"]["cacheScope"], scope, "{uri}");
    }
    for method in [
        "resources/list",
        "resources/templates/list",
        "server/discover",
    ] {
        let [_, stateless] = ask(method, json!({})).await;
        assert_eq!(stateless["result"]["ttlMs"], 9000, "{method}");
        assert_eq!(stateless["result"]["cacheScope"], "public", "{method}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_named_in_the_words_of_the_era() {
    for uri in ["day://none", "note://2", "nothing:"] {
        let [handshake, stateless] = read(uri).await;
        assert_eq!(handshake["error"]["code"], -32002);
        assert_eq!(stateless["error"]["code"], -32602);
        for answer in [handshake, stateless] {
            assert_eq!(answer["error"]["data"], json!({"uri": uri}), "{answer}");
        }
    }
}
