//! A client and a server in one process, in every revision.

use mcp_runtime::transport::memory;
use mcp_runtime::types::ContentBlock;
use mcp_runtime::{Client, LifecycleState, Revision};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::support;

type Serving = JoinHandle<Result<(), mcp_runtime::ServeError>>;

async fn connected(
    configure: impl FnOnce(mcp_runtime::ClientBuilder) -> mcp_runtime::ClientBuilder,
) -> (Client, Serving) {
    let (ours, theirs) = memory::pair();
    let serving = support::server().serve(theirs).signals(false);
    let serving = tokio::spawn(serving.into_future());
    let builder = configure(Client::builder("test", "1.0.0"));
    (builder.connect(ours).await.unwrap(), serving)
}

fn text(block: &ContentBlock) -> &str {
    match block {
        ContentBlock::Text(text) => &text.text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_revision_lists_and_calls() {
    for revision in Revision::ALL {
        let (client, serving) = connected(|builder| builder.revision(revision)).await;
        assert_eq!(client.revision(), revision);
        assert_eq!(client.server_info().unwrap().name, "fixture");
        assert_eq!(client.instructions().as_deref(), Some("Only for tests."));
        let tools = client.list_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "echo"), "{revision}");
        let result = client.call_tool("echo", json!({"a": 1})).await.unwrap();
        assert_eq!(text(&result.content[0]), r#"{"a":1}"#);
        let typed: serde_json::Value = client.call("echo", json!({"a": 1})).await.unwrap();
        assert_eq!(typed, json!({"a": 1}));
        client.close().await;
        assert_eq!(client.status().lifecycle, LifecycleState::Terminated);
        serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_server_of_both_eras_is_spoken_to_statelessly() {
    let (client, _serving) = connected(|builder| builder).await;
    assert_eq!(client.revision(), Revision::LATEST);
}
