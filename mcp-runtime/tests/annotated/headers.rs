//! Arguments that HTTP clients repeat in headers.

use mcp_runtime::prelude::*;
use serde_json::json;

use crate::{call, faults, listed, text};

struct Headers;

#[mcp_server(undocumented = "allow")]
impl Headers {
    #[tool]
    fn entry(
        &self,
        #[arg(header = "Region")] region: Option<String>,
        #[arg(header = "Shard")] shard: i64,
        #[arg(header = "Tenant", range = ..=99)] tenant: Option<u64>,
        #[arg(header = "Floor")] floor: i8,
    ) -> String {
        format!("{region:?} {shard} {tenant:?} {floor}")
    }
}

/// Clients must refuse a tool whose schema allows values that a header can't carry.
#[tokio::test]
async fn the_schema_keeps_to_what_a_header_may_carry() {
    let properties = listed(Headers, "entry").await["inputSchema"]["properties"].take();
    assert_eq!(
        properties,
        json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "shard": {"type": "integer", "x-mcp-header": "Shard",
                "minimum": -9_007_199_254_740_991_i64, "maximum": 9_007_199_254_740_991_i64},
            "tenant": {"type": "integer", "x-mcp-header": "Tenant", "minimum": 0, "maximum": 99},
            "floor": {"type": "integer", "x-mcp-header": "Floor", "minimum": -128, "maximum": 127},
        })
    );
}

#[tokio::test]
async fn integers_that_others_would_round_are_refused() {
    let server = Headers.into_server();
    let arguments = json!({"shard": 9_007_199_254_740_991_i64, "floor": 0, "region": null});
    let result = call(&server, "entry", arguments).await;
    assert_eq!(result, text("None 9007199254740991 None 0"));
    for shard in [9_007_199_254_740_992_i64, -9_007_199_254_740_992] {
        let found = faults(&server, "entry", json!({"shard": shard, "floor": 0})).await;
        assert_eq!(
            found[1..],
            [format!(
                "- `shard`: out of range: {shard}, expected a number of at least \
                 -9007199254740991 and of at most 9007199254740991"
            )]
        );
    }
}
