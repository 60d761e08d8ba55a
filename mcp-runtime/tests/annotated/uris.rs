//! URIs of resources: built from values, kept in constants, and listed.

use mcp_runtime::ResourceUri;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::client::{builder, connect};
use crate::support::{Wire, stateless};

const ABOUT: &str = "memory://about";

#[derive(Clone, Copy)]
enum Listing {
    Found,
    Failed,
    Refused,
}

struct Memory(Listing);

#[mcp_server(undocumented = "allow")]
impl Memory {
    const GRAPH: &'static str = "memory://graph";

    #[resource(ABOUT)]
    fn about(&self) -> &'static str {
        "about"
    }

    #[resource(Self::GRAPH, subscribe)]
    fn graph(&self) -> &'static str {
        "graph"
    }

    #[resource("memory://entity/{name}{?line,part}", list = Self::entities)]
    fn entity(&self, name: String, line: Option<u32>, part: Option<String>) -> String {
        format!("{name} {line:?} {part:?}")
    }

    #[resource("memory:///{+path}", list = Self::nothing)]
    fn file(&self, path: String) -> String {
        path
    }

    #[resource("memory:page/{number}")]
    fn page(&self, number: u64) -> String {
        Self::page_uri(number)
    }

    fn page_uri(number: u64) -> String {
        format!("page {number}")
    }

    async fn entities(&self) -> Result<Vec<Resource>, ProtocolError> {
        tokio::task::yield_now().await;
        let uri = Self::entity_uri("one & two", None, None);
        match self.0 {
            Listing::Refused => Err(ProtocolError::new(-32001, "not now")),
            _ => Ok(vec![Resource::new("one", uri)]),
        }
    }

    fn nothing(&self) -> Result<Vec<Resource>, String> {
        match self.0 {
            Listing::Failed => Err("the disk is gone".to_owned()),
            _ => Ok(Vec::new()),
        }
    }
}

/// A note.
#[resource("note://{id}")]
fn note(id: u32) -> String {
    id.to_string()
}

async fn read(uri: impl AsRef<str>) -> Value {
    let mut wire = Wire::to(&Memory(Listing::Found).into_server()).await;
    let request = stateless(1, "resources/read", json!({"uri": uri.as_ref()}));
    wire.ask(request).await["result"]["contents"][0]["text"].take()
}

async fn list(listing: Listing) -> Value {
    let mut wire = Wire::to(&Memory(listing).into_server()).await;
    wire.ask(stateless(1, "resources/list", json!({}))).await
}

#[tokio::test]
async fn built_uris_are_encoded_and_read_back() {
    let uri = Memory::entity_uri("New York/50%", Some(&7), None);
    assert_eq!(uri.to_string(), "memory://entity/New%20York%2F50%25?line=7");
    assert_eq!(read(&uri).await, "New York/50% Some(7) None");
    let uri = Memory::entity_uri('é', None, Some(&"a&b"));
    assert_eq!(uri.as_ref(), "memory://entity/%C3%A9?part=a%26b");
    assert_eq!(read(&uri).await, r#"é None Some("a&b")"#);
    let uri: String = Memory::file_uri("a b/c.txt").into();
    assert_eq!(uri, "memory:///a%20b/c.txt");
    assert_eq!(read(&uri).await, "a b/c.txt");
    assert_eq!(note::uri(5).as_ref(), "note://5");
    assert_eq!(note(5), "5");
}

#[tokio::test]
async fn a_function_of_the_same_name_stays() {
    assert_eq!(read("memory:page/5").await, "page 5");
}

#[tokio::test]
async fn constants_are_uris() {
    assert_eq!(read(ABOUT).await, "about");
    assert_eq!(read(Memory::GRAPH).await, "graph");
    let graph: ResourceUri = Memory::graph_uri();
    assert_eq!(graph.as_ref(), Memory::GRAPH);
    assert_eq!(Memory::about_uri().as_ref(), ABOUT);
}

#[tokio::test]
async fn lists_may_fail() {
    let found = list(Listing::Found).await;
    let uris = found["result"]["resources"].as_array().unwrap().iter();
    let uris: Vec<_> = uris
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    let expected = [
        "memory://about",
        "memory://graph",
        "memory://entity/one%20%26%20two",
    ];
    assert_eq!(uris, expected);
    let failed = list(Listing::Failed).await;
    assert_eq!(
        failed["error"],
        json!({"code": -32603, "message": "the disk is gone"})
    );
    let refused = list(Listing::Refused).await;
    assert_eq!(
        refused["error"],
        json!({"code": -32001, "message": "not now"})
    );
}

struct Documents;

#[mcp_server(undocumented = "allow")]
impl Documents {
    #[resource("file:///docs/café/{name}/日本")]
    fn document(&self, name: String) -> String {
        name
    }
}

#[tokio::test]
async fn a_template_with_letters_outside_ascii_is_listed_and_read() {
    let client = connect(builder(), &Documents.into_server()).await;
    let listed = client.list_resource_templates().await.unwrap();
    let template = &listed[0].uri_template;
    let read = client
        .read_template(template, [("name", "a é")])
        .await
        .unwrap();
    let contents = serde_json::to_value(&read.contents[0]).unwrap();
    assert_eq!(contents["text"], "a é");
    let uri = "file:///docs/caf%C3%A9/a%20%C3%A9/%E6%97%A5%E6%9C%AC";
    assert_eq!(contents["uri"], uri);
}
