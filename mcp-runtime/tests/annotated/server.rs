//! The name, instructions and capabilities of a server.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{Wire, initialize, request, stateless};

const ITEMS_A_PAGE: usize = 1;

/// A server with every setting.
struct Whole;

#[mcp_server(
    requires(sampling, elicitation),
    list_changed(tools, resources),
    logging,
    page_size = ITEMS_A_PAGE,
    undocumented = "allow"
)]
impl Whole {
    #[tool]
    fn one(&self) {}

    #[tool]
    fn two(&self) {}

    #[prompt]
    fn ask(&self) -> &'static str {
        "?"
    }

    #[resource("whole://news", subscribe)]
    fn news(&self) -> &'static str {
        "none"
    }

    #[resource("whole://history")]
    fn history(&self) -> &'static str {
        "long"
    }
}

struct Kept;

#[mcp_server(
    revisions = "2025-06-18..",
    cache(ttl = "5m", scope = public),
    undocumented = "allow"
)]
impl Kept {
    #[tool]
    fn look(&self) {}

    #[prompt]
    fn ask(&self) -> &'static str {
        "?"
    }

    #[resource("kept://{name}", list = Self::all)]
    fn read(&self, name: String) -> String {
        name
    }

    fn all(&self) -> Vec<Resource> {
        vec![]
    }
}

#[tokio::test]
async fn lists_say_how_long_they_may_be_kept() {
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let mut wire = Wire::to(&Kept.into_server()).await;
        let answer = wire.ask(stateless(1, method, json!({}))).await;
        assert_eq!(answer["result"]["ttlMs"], 300_000, "{method}");
        assert_eq!(answer["result"]["cacheScope"], "public", "{method}");
        let mut wire = Wire::to(&Kept.into_server()).await;
        wire.handshake("2025-11-25").await;
        let answer = wire.ask(request(1, method, json!({}))).await;
        assert!(answer["result"].get("ttlMs").is_none(), "{method}");
    }
}

#[tokio::test]
async fn only_the_declared_revisions_are_spoken() {
    let mut wire = Wire::to(&Kept.into_server()).await;
    let answer = wire.ask(initialize("2024-11-05")).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let mut wire = Wire::to(&Kept.into_server()).await;
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert_eq!(versions.len(), 3, "{answer}");
}

/// Adds the client capabilities that `Whole` requires.
fn able(mut request: Value) -> Value {
    let able = json!({"sampling": {}, "elicitation": {}});
    let params = &mut request["params"];
    if params["capabilities"].is_object() {
        params["capabilities"] = able;
    } else {
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = able;
    }
    request
}

#[tokio::test]
async fn clients_that_lack_what_is_required_are_refused() {
    let server = Whole.into_server();
    let lists = stateless(1, "tools/list", json!({}));
    let answer = Wire::to(&server).await.ask(lists.clone()).await;
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({"sampling": {}, "elicitation": {"form": {}}})
    );
    let answer = Wire::to(&server).await.ask(able(lists)).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    let answer = Wire::to(&server).await.ask(initialize("2025-11-25")).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let greeting = able(initialize("2025-11-25"));
    let answer = Wire::to(&server).await.ask(greeting).await;
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test]
async fn lists_come_in_pages_of_the_declared_size() {
    let mut wire = Wire::to(&Whole.into_server()).await;
    let page = able(stateless(1, "tools/list", json!({})));
    let first = wire.ask(page).await["result"].take();
    assert_eq!(first["tools"].as_array().map(Vec::len), Some(ITEMS_A_PAGE));
    let cursor = json!({"cursor": first["nextCursor"]});
    let page = able(stateless(2, "tools/list", cursor));
    let second = wire.ask(page).await["result"].take();
    assert_eq!(second["tools"][0]["name"], "two");
    assert!(second.get("nextCursor").is_none(), "{second}");
}

#[tokio::test]
async fn capabilities_are_those_that_are_declared() {
    let declared = async |server: &Server| {
        let greeting = able(initialize("2025-11-25"));
        let mut answer = Wire::to(server).await.ask(greeting).await;
        answer["result"]["capabilities"].take()
    };
    assert_eq!(
        declared(&Whole.into_server()).await,
        json!({
            "logging": {},
            "tools": {"listChanged": true},
            "prompts": {},
            "resources": {"subscribe": true, "listChanged": true},
        })
    );
    assert_eq!(
        declared(&Kept.into_server()).await,
        json!({"tools": {}, "prompts": {}, "resources": {}})
    );
}

/// A server with state that the program also uses.
#[derive(Default)]
struct Counter(std::sync::atomic::AtomicU32);

#[mcp_server]
impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1
    }
}

#[tokio::test]
async fn a_server_that_the_program_shares_can_be_served_and_mounted() {
    use std::sync::Arc;

    let counter = Arc::new(Counter::default());
    let mut outer = Server::builder();
    outer.mount("inner", Arc::clone(&counter));
    for (server, tool) in [
        (Server::from(Arc::clone(&counter)), "count"),
        (Arc::clone(&counter).into_server(), "count"),
        (Arc::clone(&counter).into_builder().build(), "count"),
        (outer.build(), "inner_count"),
    ] {
        let mut wire = Wire::to(&server).await;
        let answer = wire
            .ask(stateless(1, "tools/call", json!({"name": tool})))
            .await;
        assert!(answer["result"].is_object(), "{answer}");
        wire.close().await.unwrap();
    }
    let (ours, theirs) = mcp_runtime::transport::memory::pair();
    drop(ours);
    Arc::clone(&counter)
        .serve(theirs)
        .signals(false)
        .await
        .unwrap();
    assert_eq!(counter.0.load(std::sync::atomic::Ordering::Relaxed), 4);
}
