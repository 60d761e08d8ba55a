//! Extensions and custom methods of a server.

use std::sync::Arc;

use mcp_runtime::BoxFuture;
use mcp_runtime::resources::{Contents, ResourceCall, ResourceEntry, UriTemplate};
use mcp_runtime::serde::{Deserialize, Serialize};
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::server::{Extension, ExtensionNotification, ExtensionSubscription, Reply};
use mcp_runtime::types::{JsonObject, Resource, ResourceTemplate};
use mcp_runtime::{Context, Era, ProtocolError, Revision, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::{Wire, builder, initialize, request, stateless};

#[derive(Deserialize)]
struct Asked {
    zone: String,
}

#[derive(Serialize)]
struct Time {
    zone: String,
    revision: String,
}

fn server() -> Server {
    let mut server = builder();
    let settings = json!({"precision": 1});
    server.extension(("com.example/clock", settings.as_object().unwrap().clone()));
    server.method("com.example/now", async |asked: Asked, cx| {
        tokio::task::yield_now().await;
        match asked.zone.as_str() {
            "nowhere" => Err(ProtocolError::new(-32050, "no such zone")),
            _ => Ok(Time {
                zone: asked.zone,
                revision: cx.revision().to_string(),
            }),
        }
    });
    server.method("com.example/reset", async |_: Value, _| Ok::<_, String>(()));
    server.method("com.example/list", async |_: Value, _| Ok::<_, String>([1]));
    server.build()
}

async fn ask(method: &str, params: Value) -> [Value; 2] {
    let server = server();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-03-26").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(&server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

#[tokio::test]
async fn extensions_are_declared_in_both_eras() {
    let declared = json!({"com.example/clock": {"precision": 1}});
    let mut wire = Wire::to(&server()).await;
    let answer = wire.handshake("2025-11-25").await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(*capabilities, json!({"tools": {}, "extensions": declared}));
    let mut wire = Wire::to(&server()).await;
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(*capabilities, json!({"tools": {}, "extensions": declared}));
}

#[tokio::test]
async fn methods_of_extensions_are_served() {
    let [handshake, stateless] = ask("com.example/now", json!({"zone": "utc"})).await;
    let expected = json!({"zone": "utc", "revision": "2025-03-26"});
    assert_eq!(handshake["result"], expected);
    let result = &stateless["result"];
    assert_eq!(result["revision"], "2026-07-28");
    assert_eq!(result["resultType"], "complete");
    let named = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert_eq!(*named, "fixture");
    let [handshake, _] = ask("com.example/reset", json!({})).await;
    assert_eq!(handshake["result"], json!({}));
}

#[tokio::test]
async fn faults_are_told_as_those_of_any_other_method() {
    for answer in ask("com.example/now", json!({})).await {
        assert_eq!(
            answer["error"],
            json!({"code": -32602, "message": "Invalid params: params.zone: missing"})
        );
    }
    for answer in ask("com.example/now", json!({"zone": "nowhere"})).await {
        assert_eq!(answer["error"]["code"], -32050);
    }
    for answer in ask("com.example/list", json!({})).await {
        assert_eq!(answer["error"]["code"], -32603, "no object");
    }
    for answer in ask("com.example/other", json!({})).await {
        assert_eq!(answer["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_method_of_an_extension_needs_a_handshake_as_well() {
    let mut wire = Wire::to(&server()).await;
    let now = request(1, "com.example/now", json!({"zone": "utc"}));
    let answer = wire.ask(now).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    wire.lives_on().await;
}

/// An extension that clients need not declare. It returns the URIs of the resources that the caller
/// can see, after it has looked up the parameter.
struct Shelf;

impl Extension for Shelf {
    fn id(&self) -> &'static str {
        "com.example/shelf"
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }

    fn must_be_declared(&self) -> bool {
        false
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let books = UriTemplate::parse("book:{name}").unwrap();
        let listed = ResourceTemplate::new("books", "");
        let read = |_: ResourceCall<'_>| Reply::Ready(Ok(Contents::Text("text".to_owned())));
        server.resource(ResourceEntry::template(listed, books, read));
        server.method("com.example/books", async |asked: Asked, cx: Context| {
            let view = cx.resources();
            let shown = ["book:emma", "book:draft", "book:secret", "note:a"];
            let shown = shown.into_iter().filter(|uri| view.shows(uri));
            Ok::<_, ProtocolError>(json!({
                "asked": view.inner_uri(&asked.zone),
                "shown": shown.map(|uri| view.outer_uri(uri)).collect::<Vec<_>>(),
                "differ": view.differ_by_caller(),
                "page": view.page_size(),
            }))
        });
    }
}

#[tokio::test]
async fn an_extension_that_need_not_be_declared_serves_every_client() {
    let server = builder().extension(Shelf).build();
    let ask = async |uri: &str| {
        let mut wire = Wire::to(&server).await;
        let asked = stateless(1, "com.example/books", json!({"zone": uri}));
        wire.ask(asked).await["result"].clone()
    };
    let answer = ask("book:emma").await;
    assert_eq!(answer["asked"], "book:emma");
    assert_eq!(
        answer["shown"],
        json!(["book:emma", "book:draft", "book:secret"])
    );
    assert_eq!(
        (&answer["differ"], &answer["page"]),
        (&json!(false), &json!(null))
    );
}

#[tokio::test]
async fn an_extension_of_a_mounted_server_sees_what_the_caller_sees() {
    let mut inner = Server::builder();
    inner.filter_resources(|uri, _| uri != "book:draft");
    let mut middle = Server::builder();
    middle.mount("b", inner.extension(Shelf).build());
    let mut outer = builder();
    outer.filter_resources(|uri, _| uri != "a+b+book:secret");
    outer.page_size(5.try_into().unwrap());
    let server = outer.mount("a", middle.build()).build();
    for (asked, inner) in [
        ("A+b+book:emma", Some("book:emma")),
        ("b+book:emma", None),
        ("book:emma", None),
    ] {
        let mut wire = Wire::to(&server).await;
        let asked = stateless(1, "com.example/books", json!({"zone": asked}));
        let answer = &wire.ask(asked).await["result"];
        assert_eq!(answer["asked"], json!(inner));
        assert_eq!(answer["shown"], json!(["a+b+book:emma"]));
        assert_eq!(
            (&answer["differ"], &answer["page"]),
            (&json!(true), &json!(5))
        );
    }
}

#[test]
#[should_panic(expected = "`tools/call` is a method of the protocol")]
fn methods_of_the_protocol_are_left_alone() {
    let mut server = Server::builder();
    server.method("tools/call", async |_: Value, _| Ok::<_, String>(()));
}

/// An extension that is offered only without a handshake. One of its methods also exists in
/// 2025-11-25, and clients can subscribe to its notifications.
struct Chores;

impl Extension for Chores {
    fn id(&self) -> &'static str {
        "com.example/chores"
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        (revision.era() == Era::Stateless).then(JsonObject::new)
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        server.method("tasks/get", async |_: Value, _| {
            Ok::<_, String>(json!({"chore": "dishes"}))
        });
    }

    fn listen(
        &self,
        wanted: &JsonObject,
        cx: &Context,
    ) -> Result<Option<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let Some(chores) = wanted.get("com.example/chores") else {
            return Ok(None);
        };
        cx.require_extension(self.id())?;
        let (sender, notifications) = mpsc::channel(1);
        for done in ["dishes", "windows"] {
            let params = json!({"done": done, "_meta": {"com.example/by": "Ada"}});
            let params = params.as_object().unwrap().clone();
            let news = ExtensionNotification::new("notifications/com.example/done", params);
            let sender = sender.clone();
            tokio::spawn(async move { sender.send(news).await.unwrap() });
        }
        let accepted = [("com.example/chores".to_owned(), chores.clone())];
        let listening = ExtensionSubscription::new(accepted.into_iter().collect(), notifications);
        Ok(Some(Box::pin(async { listening })))
    }
}

/// Returns a stateless request of a client that declares the extension.
fn declaring(id: u32, method: &str, params: Value) -> Value {
    let mut message = stateless(id, method, params);
    let capabilities = json!({"extensions": {"com.example/chores": {}}});
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    message
}

#[tokio::test]
async fn a_method_is_served_in_the_revisions_of_its_extension_to_those_who_declare_it() {
    let mut server = builder();
    let server = server.extension(Chores).build();
    let mut wire = Wire::to(&server).await;
    let answer = wire.ask(declaring(1, "tasks/get", json!({}))).await;
    assert_eq!(answer["result"]["chore"], "dishes", "{answer}");
    let answer = wire.ask(stateless(1, "tasks/get", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    for revision in ["2025-11-25", "2025-06-18"] {
        let mut wire = Wire::to(&server).await;
        let hello = wire.handshake(revision).await;
        let capabilities = &hello["result"]["capabilities"];
        assert_eq!(capabilities["extensions"], Value::Null, "{hello}");
        let answer = wire.ask(request(1, "tasks/get", json!({}))).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}

#[tokio::test]
async fn a_method_of_the_handshake_era_is_refused_to_those_who_do_not_declare_the_extension() {
    struct Everywhere;

    impl Extension for Everywhere {
        fn id(&self) -> &'static str {
            "com.example/everywhere"
        }

        fn settings(&self, _: Revision) -> Option<JsonObject> {
            Some(JsonObject::new())
        }

        fn register(self: Arc<Self>, server: &mut ServerBuilder) {
            server.method("com.example/here", async |_: Value, _| {
                Ok::<_, String>(json!({}))
            });
        }
    }

    let server = builder().extension(Everywhere).build();
    for (declared, is_served) in [
        (json!({"extensions": {"com.example/everywhere": {}}}), true),
        (
            json!({"experimental": {"com.example/everywhere": {}}}),
            false,
        ),
        (json!({}), false),
    ] {
        let mut wire = Wire::to(&server).await;
        let mut hello = initialize("2025-03-26");
        hello["params"]["capabilities"] = declared;
        wire.ask(hello).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        let answer = wire.ask(request(1, "com.example/here", json!({}))).await;
        assert_eq!(answer["result"].is_object(), is_served, "{answer}");
    }
}

#[tokio::test]
async fn what_no_extension_accepts_is_not_acknowledged() {
    let mut server = Server::builder();
    let mut outer = builder();
    outer.mount("a", server.extension(Chores).build());
    let mut wire = Wire::to(&outer.build()).await;
    let filter =
        json!({"com.example/chores": ["all"], "com.example/other": 1, "toolsListChanged": true});
    let listen = |filter: &Value| json!({"notifications": filter});
    wire.send(declaring(5, "subscriptions/listen", listen(&filter)))
        .await;
    let acknowledged = wire.answer().await;
    assert_eq!(
        acknowledged["params"],
        json!({
            "notifications": {"com.example/chores": ["all"]},
            "_meta": {"io.modelcontextprotocol/subscriptionId": 5},
        })
    );
    for done in ["dishes", "windows"] {
        let news = wire.answer().await;
        assert_eq!(news["method"], "notifications/com.example/done");
        let meta = json!({"io.modelcontextprotocol/subscriptionId": 5, "com.example/by": "Ada"});
        assert_eq!(news["params"], json!({"done": done, "_meta": meta}));
    }
    let answer = wire
        .ask(stateless(6, "subscriptions/listen", listen(&filter)))
        .await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    wire.lives_on().await;
}

#[tokio::test]
async fn an_extension_that_adds_another_one_keeps_its_own_methods() {
    struct Household;

    impl Extension for Household {
        fn id(&self) -> &'static str {
            "com.example/household"
        }

        fn settings(&self, _: Revision) -> Option<JsonObject> {
            Some(JsonObject::new())
        }

        fn register(self: Arc<Self>, server: &mut ServerBuilder) {
            server.extension(Chores);
            server.method("com.example/rooms", async |_: Value, _| {
                Ok::<_, String>(json!({"rooms": 3}))
            });
        }
    }

    let server = builder().extension(Household).build();
    let mut wire = Wire::to(&server).await;
    for (id, is_served) in [
        ("com.example/household", true),
        ("com.example/chores", false),
    ] {
        let mut message = stateless(1, "com.example/rooms", json!({}));
        let capabilities = json!({"extensions": {id: {}}});
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let answer = wire.ask(message).await;
        assert_eq!(answer["result"].is_object(), is_served, "{id}: {answer}");
    }
}

#[test]
#[should_panic(expected = "the server has the extension `com.example/chores` already")]
fn an_extension_is_added_once() {
    Server::builder().extension(Chores).extension(Chores);
}

#[test]
#[should_panic(expected = "`tools/list` is a method of the protocol")]
fn an_extension_leaves_methods_of_its_revisions_alone() {
    struct Lists;

    impl Extension for Lists {
        fn id(&self) -> &'static str {
            "com.example/lists"
        }

        fn settings(&self, _: Revision) -> Option<JsonObject> {
            Some(JsonObject::new())
        }

        fn register(self: Arc<Self>, server: &mut ServerBuilder) {
            server.method("tools/list", async |_: Value, _| Ok::<_, String>(()));
        }
    }

    Server::builder().extension(Lists);
}

#[tokio::test]
async fn a_lister_gets_the_requested_part_and_the_context() {
    let template = || UriTemplate::parse("item:{number}").unwrap();
    let listed = ResourceTemplate::new("items", "item:{number}");
    let items =
        ResourceEntry::template(listed, template(), |_| Reply::Ready(Ok(Contents::Missing)));
    let items = items.list(|part| async move {
        let first = part
            .after()
            .map_or(0, |uri| uri[5..].parse::<u8>().unwrap() + 1);
        let numbers = (first..9).take(part.enough());
        let client = part
            .context()
            .client_info()
            .map(|client| client.name.clone());
        let name = client.unwrap_or_default();
        numbers
            .map(|number| Resource::new(format!("{name} {number}"), format!("item:{number}")))
            .collect::<Vec<_>>()
    });
    let mut inner = Server::builder();
    inner.resource(items);
    let mut server = Server::builder();
    server
        .page_size(4.try_into().unwrap())
        .mount("in", inner.build());
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-11-25").await;
    let mut names = Vec::new();
    let mut cursor = json!({});
    loop {
        let page = wire.ask(request(1, "resources/list", cursor)).await["result"].clone();
        let resources = page["resources"].as_array().unwrap().iter();
        names.extend(resources.map(|it| it["name"].as_str().unwrap().to_owned()));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = json!({"cursor": next}),
            None => break,
        }
    }
    let expected: Vec<_> = (0..9).map(|number| format!("wire {number}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn metadata_adds_up() {
    let tool = ToolBuilder::new("t");
    let tool = tool.meta(json!({"com.example/a": 1, "com.example/b": 1}));
    let tool = tool.meta(json!({"com.example/b": 2})).call(|(), _| "");
    let server = Server::builder().tool(tool).build();
    let meta = json!({"com.example/a": 1, "com.example/b": 2});
    assert_eq!(json!(server.tools()[0].meta), meta);
}
