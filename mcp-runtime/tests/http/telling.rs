//! Notifications of handlers, which precede the answer on the same stream.

use mcp_runtime::ServerBuilder;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::types::{LoggingLevel, Tool};
use serde_json::json;

use crate::site::Site;
use crate::support::{self, call, stateless};

/// Adds tools that report progress or flood the log.
pub fn add(server: &mut ServerBuilder) {
    server.logging();
    let tool = |name| Tool::new(name, json!({"type": "object"}));
    server.tool(ToolEntry::new(tool("work"), |call| {
        call.context.log(LoggingLevel::Info, "begun");
        call.context.progress(1, 2, "");
        call.context.progress(2, 2, "");
        Reply::Ready(Ok(support::text("done".to_owned())))
    }));
    server.tool(ToolEntry::new(tool("flood"), |call| {
        let long = "x".repeat(1000);
        (0..1000).for_each(|_| call.context.log(LoggingLevel::Error, &long));
        call.context.progress(1, 1, "");
        Reply::Ready(Ok(support::text("done".to_owned())))
    }));
}

#[tokio::test]
async fn it_goes_before_the_answer_in_both_eras() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let mut message = call(1, "work", json!({}));
    message["params"]["_meta"] = json!({"progressToken": "t"});
    let in_session = session.ask(&message).await.messages();

    let mut message = stateless(1, "tools/call", json!({"name": "work"}));
    message["params"]["_meta"]["progressToken"] = json!("t");
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
    let alone = site.ask(&message).await.messages();

    for told in [in_session, alone] {
        assert_eq!(told.len(), 4, "{told:?}");
        assert_eq!(told[0]["params"], json!({"level": "info", "data": "begun"}));
        for (told, progress) in told[1..].iter().zip([1, 2]) {
            let expected = json!({"progressToken": "t", "progress": progress, "total": 2});
            assert_eq!(told["params"], expected);
        }
        assert_eq!(told[3]["result"]["content"][0]["text"], "done");
    }
}

#[tokio::test]
async fn a_flood_is_cut_off_and_the_answer_arrives() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let mut message = call(1, "flood", json!({}));
    message["params"]["_meta"] = json!({"progressToken": "t"});
    let told = session.ask(&message).await.messages();
    assert!((50..100).contains(&told.len()), "{}", told.len());
    let [.., progress, answer] = &told[..] else {
        panic!("there are more messages");
    };
    assert_eq!(progress["params"]["progress"], 1);
    assert_eq!(answer["result"]["content"][0]["text"], "done");
}
