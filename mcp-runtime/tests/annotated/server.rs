//! What a server says of all it offers.

use mcp_runtime::prelude::*;
use serde_json::json;

use crate::support::{Wire, initialize, request, stateless};

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
