//! Resources: how they are found by URI, read and listed.

use mcp_runtime::prelude::*;
use mcp_runtime::types::{Annotations, BlobResourceContents, ReadResourceResult, ResourceContents};
use serde_json::{Value, json};

use crate::support::{Wire, initialize, request, stateless};

#[derive(Serialize)]
struct Book {
    isbn: u64,
}

struct Shelf;

#[mcp_server]
impl Shelf {
    /// The purpose of the shelf.
    #[resource("shelf://about", mime = "text/markdown", title = "About", size = 5)]
    fn about(&self) -> &'static str {
        "Books"
    }

    /// One book.
    #[resource("book://{isbn}", list = Self::books)]
    async fn book(&self, #[arg(complete = Self::isbns)] isbn: u64) -> Result<Json<Book>, NotFound> {
        tokio::task::yield_now().await;
        if isbn == 0 {
            Err(NotFound)
        } else {
            Ok(Json(Book { isbn }))
        }
    }

    #[resource("file:///{+path}{?line}", name = "file", mime = "text/plain")]
    fn file(&self, path: String, line: Option<u32>, cx: &Context) -> String {
        format!("{path} {line:?} {}", cx.revision())
    }

    #[resource(
        "shelf://bytes",
        mime = "image/png",
        annotations = Annotations::new().with_priority(0.5),
        cache(ttl = "1m", scope = public)
    )]
    fn bytes(&self) -> Vec<u8> {
        vec![1, 2, 3]
    }

    #[resource("shelf://none")]
    fn none(&self) -> Option<String> {
        None
    }

    #[resource("shelf://parts")]
    fn parts() -> Vec<ResourceContents> {
        vec![BlobResourceContents::new("shelf://part", "AQID").into()]
    }

    #[resource("shelf://whole")]
    fn whole(&self) -> ReadResourceResult {
        ReadResourceResult::new(Self::parts()).with_ttl_ms(5)
    }

    #[resource("shelf://broken")]
    fn broken(&self) -> Result<String, String> {
        Err("the shelf is broken".to_owned())
    }

    async fn books(&self) -> Vec<Resource> {
        vec![Resource::new("Emma", "book://978")]
    }

    fn isbns(request: &CompletionRequest) -> Vec<String> {
        vec![format!("{}0", request.value())]
    }
}

async fn ask(method: &str, params: Value) -> Value {
    let mut wire = Wire::to(&Shelf.into_server()).await;
    wire.ask(stateless(1, method, params)).await
}

async fn read(uri: &str) -> Value {
    ask("resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn every_return_type_answers() {
    let part = json!({"uri": "shelf://part", "blob": "AQID"});
    for (uri, expected) in [
        (
            "shelf://about",
            json!({"uri": "shelf://about", "mimeType": "text/markdown", "text": "Books"}),
        ),
        (
            "book://978",
            json!({"uri": "book://978", "mimeType": "application/json", "text": "{\"isbn\":978}"}),
        ),
        (
            "shelf://bytes",
            json!({"uri": "shelf://bytes", "mimeType": "image/png", "blob": "AQID"}),
        ),
        ("shelf://parts", part.clone()),
        ("shelf://whole", part.clone()),
    ] {
        let answer = read(uri).await;
        assert_eq!(answer["result"]["contents"], json!([expected]), "{uri}");
    }
    assert_eq!(read("shelf://whole").await["result"]["ttlMs"], 5);
}

#[tokio::test]
async fn variables_are_read_from_the_uri() {
    for (uri, expected) in [
        ("file:///a/b%20c.txt?line=7", "a/b c.txt Some(7) 2026-07-28"),
        ("file:///a", "a None 2026-07-28"),
    ] {
        let answer = read(uri).await;
        assert_eq!(answer["result"]["contents"][0]["text"], expected);
        assert_eq!(answer["result"]["contents"][0]["uri"], uri);
    }
    let answer = read("file:///a?line=x").await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("`line`: \"x\": invalid digit"),
        "{message}"
    );
}

#[tokio::test]
async fn what_does_not_exist_is_not_found_in_the_words_of_each_revision() {
    for uri in ["shelf://nowhere", "shelf://none", "book://0", "book://a/b"] {
        let answer = read(uri).await;
        assert_eq!(
            answer["error"],
            json!({"code": -32602, "message": format!("Resource not found: {uri}"), "data": {"uri": uri}})
        );
        let mut wire = Wire::to(&Shelf.into_server()).await;
        wire.handshake("2025-11-25").await;
        let answer = wire
            .ask(request(1, "resources/read", json!({"uri": uri})))
            .await;
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
}

#[tokio::test]
async fn an_error_of_the_function_is_an_internal_one() {
    let answer = read("shelf://broken").await;
    let expected = json!({"code": -32603, "message": "the shelf is broken"});
    assert_eq!(answer["error"], expected);
}

#[tokio::test]
async fn resources_are_listed_and_templates_say_what_they_stand_for() {
    let answer = ask("resources/list", json!({})).await;
    let listed = answer["result"]["resources"].as_array().unwrap();
    let uris: Vec<_> = listed
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "shelf://about",
            "shelf://bytes",
            "shelf://none",
            "shelf://parts",
            "shelf://whole",
            "shelf://broken",
            "book://978"
        ]
    );
    assert_eq!(
        listed[0],
        json!({
            "name": "about",
            "uri": "shelf://about",
            "title": "About",
            "description": "The purpose of the shelf.",
            "mimeType": "text/markdown",
            "size": 5,
        })
    );
    let answer = ask("resources/templates/list", json!({})).await;
    assert_eq!(
        answer["result"]["resourceTemplates"],
        json!([
            {"name": "book", "uriTemplate": "book://{isbn}", "description": "One book."},
            {"name": "file", "uriTemplate": "file:///{+path}{?line}", "mimeType": "text/plain"},
        ])
    );
}

#[tokio::test]
async fn variables_of_templates_are_completed() {
    let params = json!({
        "ref": {"type": "ref/resource", "uri": "book://{isbn}"},
        "argument": {"name": "isbn", "value": "97"},
    });
    let answer = ask("completion/complete", params).await;
    assert_eq!(answer["result"]["completion"], json!({"values": ["970"]}));
}

#[tokio::test]
async fn capabilities_are_those_that_are_declared() {
    let mut wire = Wire::to(&Shelf.into_server()).await;
    let answer = wire.ask(initialize("2025-06-18")).await;
    let declared = &answer["result"]["capabilities"];
    assert_eq!(*declared, json!({"resources": {}, "completions": {}}));
}

#[tokio::test]
async fn a_resource_says_what_it_matters_and_how_long_it_may_be_kept() {
    let listed = ask("resources/list", json!({})).await;
    let listed = listed["result"]["resources"].as_array().unwrap();
    let bytes = listed
        .iter()
        .find(|resource| resource["uri"] == "shelf://bytes");
    assert_eq!(bytes.unwrap()["annotations"], json!({"priority": 0.5}));
    let read = read("shelf://bytes").await;
    assert_eq!(read["result"]["ttlMs"], 60_000);
    assert_eq!(read["result"]["cacheScope"], "public");
}
