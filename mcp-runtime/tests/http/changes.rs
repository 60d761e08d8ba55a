//! Notifications of changes in sessions.

use mcp_runtime::Change;
use mcp_runtime::ServerBuilder;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{
    List, Reply,
    resources::{IntoContents as _, ResourceEntry},
};
use mcp_runtime::types::{Resource, Tool};
use serde_json::json;

use crate::site::{Site, read_until};
use crate::support::{self, call, request, stateless};

/// Adds a resource that clients can subscribe to, and a tool that changes the resource and the list
/// of tools.
pub fn add(server: &mut ServerBuilder) {
    server.list_changed([List::Tools, List::Resources]);
    let resource = Resource::new("watched", "test://watched");
    let entry = ResourceEntry::resource(resource, |_| Reply::Ready("x".into_contents()));
    server.resource(entry.subscribable());
    let tool = Tool::new("change", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        call.context.notify_resource_updated("test://watched");
        call.context.notify_changed(Change::Tools);
        Reply::Ready(Ok(support::text("changed".to_owned())))
    }));
    let tool = Tool::new("grow", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let zone = json!({"type": "string", "x-mcp-header": "Zone"});
        let schema = json!({"type": "object", "properties": {"zone": zone}});
        let grown = ToolEntry::new(Tool::new("grown", schema), |_| {
            Reply::Ready(Ok(support::text("grown".to_owned())))
        });
        call.context
            .server()
            .edit()
            .add_tool(grown)
            .apply()
            .unwrap();
        Reply::Ready(Ok(support::text("done".to_owned())))
    }));
}

#[tokio::test]
async fn the_headers_of_a_tool_that_came_later_are_checked() {
    let site = Site::open().await;
    let call = |tool: &str| {
        let params = json!({"name": tool, "arguments": {"zone": "a"}});
        site.stateless(&stateless(1, "tools/call", params))
    };
    assert_eq!(site.send(call("grow")).await.status, 200);
    let answer = site.send(call("grown")).await;
    assert_eq!((answer.status.as_u16(), answer.error_code()), (400, -32020));
    let mut request = call("grown");
    let zone = http::HeaderValue::from_static("a");
    request.headers_mut().insert("mcp-param-zone", zone);
    assert_eq!(site.send(request).await.status, 200);
}

#[tokio::test]
async fn changes_come_on_the_stream_of_the_session() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let other = site.session("2025-06-18").await;
    let uri = json!({"uri": "test://watched"});
    let answer = session.ask(&request(1, "resources/subscribe", uri)).await;
    assert_eq!(answer.json()["result"], json!({}), "{answer:?}");
    let mut ours = session.listen(None).await;
    let mut theirs = other.listen(None).await;
    let answer = session.ask(&call(2, "change", json!({}))).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "changed");
    let told = read_until(&mut ours, "notifications/resources/updated").await;
    assert!(told.contains("notifications/tools/list_changed"), "{told}");
    let told = read_until(&mut theirs, "notifications/tools/list_changed").await;
    assert!(!told.contains("resources/updated"), "{told}");
}
