//! Subscriptions, and a server that offers some.

use mcp_runtime::Server;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::{List, Reply};
use mcp_runtime::types::Resource;
use serde_json::{Value, json};

use super::over::Over;
use super::{WireOver, builder, stateless};

pub fn server() -> Server {
    let mut server = builder();
    server.list_changed([List::Tools, List::Resources]);
    let resource = |name: &str| Resource::new(name, format!("test://{name}"));
    let entry =
        |name| ResourceEntry::resource(resource(name), |_| Reply::Ready("x".into_contents()));
    server.resource(entry("first").subscribable());
    server.resource(entry("second").subscribable());
    server.resource(entry("fixed"));
    server.build()
}

pub fn listen(id: impl Into<Value>, filter: Value) -> Value {
    stateless(id, "subscriptions/listen", json!({"notifications": filter}))
}

pub fn about(id: impl Into<Value>, mut rest: Value) -> Value {
    rest["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id.into()});
    rest
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

pub fn updated(id: impl Into<Value>, uri: &str) -> Value {
    notification("resources/updated", about(id, json!({"uri": uri})))
}

/// Subscribes, and checks the acknowledgement.
pub async fn subscribed(
    wire: &mut WireOver<impl Over>,
    id: impl Into<Value>,
    filter: Value,
    accepted: Value,
) {
    let id = id.into();
    let acknowledged = wire.ask(listen(id.clone(), filter)).await;
    let params = about(id, json!({"notifications": accepted}));
    assert_eq!(
        acknowledged,
        notification("subscriptions/acknowledged", params)
    );
}
