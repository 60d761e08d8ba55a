//! Requests of extensions.

use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::{JsonObject, Request};
use mcp_runtime::{CallError, Client, ClientBuilder, Revision, Server, Unavailable};
use serde_json::{Value, json};

use crate::servers::Servers;
use crate::support::client::connect;
use crate::support::scripted::{Scripted, discovered, initialized};

const CLOCK: &str = "com.example/clock";

enum Now {}

impl Request for Now {
    const METHOD: &'static str = "com.example/now";
    const PARAMS_OPTIONAL: bool = true;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some(CLOCK);
    type Params = JsonObject;
    type Result = JsonObject;
}

fn object(value: Value) -> JsonObject {
    value.as_object().unwrap().clone()
}

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

fn server(declares: bool) -> Server {
    let mut server = Server::builder();
    if declares {
        server.extension((CLOCK, JsonObject::new()));
    }
    server.method("com.example/now", async |asked: JsonObject, _| {
        Ok::<_, mcp_runtime::ProtocolError>(json!({"zone": asked["zone"]}))
    });
    server.build()
}

#[tokio::test]
async fn a_method_of_an_extension_is_sent_where_both_sides_have_declared_it() {
    let zone = || object(json!({"zone": "utc"}));
    for revision in Revision::ALL {
        let declared = builder().extension((CLOCK, object(json!({"hours": 24}))));
        let client = connect(declared.revision(revision), &server(true)).await;
        let result = client.request::<Now>(zone()).await.unwrap();
        assert_eq!(result["zone"], "utc", "{revision}");
        assert!(client.has_extension(CLOCK), "{revision}");

        // The server did not declare the extension.
        let declared = builder().extension((CLOCK, JsonObject::new()));
        let client = connect(declared.revision(revision), &server(false)).await;
        let error = client.request::<Now>(zone()).await.unwrap_err();
        let CallError::Unavailable(unavailable) = error else {
            panic!("{revision}: {error}")
        };
        let method = Now::METHOD;
        let capability = CLOCK;
        assert_eq!(unavailable, Unavailable::NotOffered { method, capability });
        assert!(!client.has_extension(CLOCK), "{revision}");

        // The client did not declare the extension.
        let client = connect(builder().revision(revision), &server(true)).await;
        let error = client.request::<Now>(zone()).await.unwrap_err();
        let CallError::Unavailable(unavailable) = error else {
            panic!("{revision}: {error}")
        };
        assert_eq!(unavailable, Unavailable::NotDeclared { method, capability });
        assert!(!client.has_extension(CLOCK), "{revision}");
    }
}

/// An extension of the stateless era. One of its methods also exists in 2025-11-25.
struct Tasks;

impl ClientExtension for Tasks {
    fn id(&self) -> &'static str {
        "com.example/tasks"
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        (revision >= Revision::V2026_07_28).then(JsonObject::new)
    }
}

enum GetTask {}

impl Request for GetTask {
    const METHOD: &'static str = "tasks/get";
    const PARAMS_OPTIONAL: bool = false;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some("com.example/tasks");
    type Params = JsonObject;
    type Result = JsonObject;
}

#[tokio::test]
async fn an_extension_is_there_in_its_revisions_only() {
    let declared = json!({"com.example/tasks": {}});
    let (ours, mut server) = Scripted::pair();
    let connecting = builder().extension(Tasks).connect(ours);
    let served = async {
        let (id, params) = server.expect("server/discover").await;
        let meta = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(*meta, json!({"extensions": declared}));
        let mut result = discovered(&["2026-07-28"]);
        result["capabilities"]["extensions"] = declared.clone();
        server.answer(&id, result).await;
    };
    let (client, ()) = tokio::join!(connecting, served);
    let client = client.unwrap();
    assert!(client.has_extension("com.example/tasks"));
    let params = object(json!({"taskId": "7"}));
    let getting = tokio::spawn(client.request::<GetTask>(params.clone()).into_future());
    let (id, sent) = server.expect("tasks/get").await;
    assert_eq!(sent["taskId"], "7");
    server
        .answer(&id, json!({"resultType": "complete", "status": "working"}))
        .await;
    assert_eq!(getting.await.unwrap().unwrap()["status"], "working");

    // Revision 2025-11-25 has a different kind of tasks.
    let (ours, mut server) = Scripted::pair();
    let old = builder().revision(Revision::V2025_11_25);
    let served = async {
        let (id, params) = server.expect("initialize").await;
        assert_eq!(params["capabilities"], json!({}));
        let mut result = initialized("2025-11-25");
        result["capabilities"]["extensions"] = declared;
        result["capabilities"]["tasks"] = json!({});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
    };
    let (client, ()) = tokio::join!(old.extension(Tasks).connect(ours), served);
    let client = client.unwrap();
    assert!(!client.has_extension("com.example/tasks"));
    let error = client.request::<GetTask>(params).await.unwrap_err();
    let CallError::Unavailable(unavailable) = error else {
        panic!("{error}")
    };
    let method = GetTask::METHOD;
    let capability = "com.example/tasks";
    assert_eq!(unavailable, Unavailable::NotDeclared { method, capability });
}

#[tokio::test]
async fn a_method_that_names_no_extension_is_not_sent() {
    enum Stray {}

    impl Request for Stray {
        const METHOD: &'static str = "com.example/now";
        const PARAMS_OPTIONAL: bool = true;
        const MAY_REQUIRE_INPUT: bool = false;
        type Params = JsonObject;
        type Result = JsonObject;
    }

    let declared = builder().extension((CLOCK, JsonObject::new()));
    let client = connect(declared, &server(true)).await;
    let error = client
        .request::<Stray>(JsonObject::new())
        .await
        .unwrap_err();
    let unavailable = CallError::Unavailable(Unavailable::NotInRevision {
        method: Stray::METHOD,
        revision: client.revision(),
    });
    assert_eq!(error.to_string(), unavailable.to_string());
}

#[tokio::test]
async fn a_client_declares_its_extensions_in_every_revision() {
    let declared = json!({CLOCK: {"hours": 24}});
    let clock = || builder().extension((CLOCK, object(json!({"hours": 24}))));
    let (ours, mut server) = Scripted::pair();
    let (_client, params) = tokio::join!(
        clock().revision(Revision::V2025_11_25).connect(ours),
        server.shake_hands("2025-11-25")
    );
    assert_eq!(params["capabilities"], json!({"extensions": declared}));
    let (ours, mut server) = Scripted::pair();
    let (_client, params) = tokio::join!(clock().connect(ours), server.be_discovered());
    let capabilities = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*capabilities, json!({"extensions": declared}));
}

#[tokio::test(start_paused = true)]
async fn a_method_of_an_extension_is_not_sent_again_by_itself() {
    let clock = crate::servers::builder().extension((CLOCK, JsonObject::new()));
    let (mut servers, make) = Servers::new();
    let connecting = clock.revision(Revision::V2025_11_25).connect_with(make);
    let served = async {
        let mut server = servers.next().await;
        let (id, _) = server.expect("initialize").await;
        let mut result = initialized("2025-11-25");
        result["capabilities"]["extensions"] = json!({CLOCK: {}});
        server.answer(&id, result).await;
        server.expect("notifications/initialized").await;
        server
    };
    let (client, mut server) = tokio::join!(connecting, served);
    let client = client.unwrap();
    let calling = tokio::spawn(client.request::<Now>(JsonObject::new()).into_future());
    server.expect(Now::METHOD).await;
    drop(server);
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed), "{error}");
}
