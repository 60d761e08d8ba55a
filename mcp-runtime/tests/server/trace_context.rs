//! The trace that a call belongs to.

use mcp_runtime::server::{Reply, tools::ToolEntry};
use mcp_runtime::types::Tool;
use mcp_runtime::{Era, TraceContext};
use serde_json::json;

use crate::support::client::{self, connect};
use crate::support::{builder, text};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

#[tokio::test]
async fn a_client_hands_its_trace_on_to_handlers() {
    let mut server = builder();
    let tool = Tool::new("parent", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let trace = call.context.trace_context();
        let said = trace.map(|trace| {
            (
                trace.parent_id().to_owned(),
                trace.baggage().map(str::to_owned),
            )
        });
        Reply::Ready(Ok(text(format!("{said:?}"))))
    }));
    let server = server.build();
    for era in [Era::Handshake, Era::Stateless] {
        for told in [true, false] {
            let client = client::builder().era(era).trace_context(move || {
                let trace = TraceContext::new(PARENT).filter(|_| told)?;
                Some(trace.with_baggage("user=7"))
            });
            let client = connect(client, &server).await;
            let said: String = client.call("parent", json!({})).await.unwrap();
            let expected = if told {
                r#"Some(("00f067aa0ba902b7", Some("user=7")))"#
            } else {
                "None"
            };
            assert_eq!(said, expected, "{era:?}");
        }
    }
}
