//! A server that gives its tools and pages the descriptions of a test, and does not declare the extension.

use std::sync::{Arc, Mutex};

use mcp_extensions::Apps;
use mcp_extensions::apps::{AppError, AppPage, ServerApps, ShowApps as _};
use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::testing::connect;
use mcp_runtime::{Client, Revision, Server};

pub const HTML: &str = "<!doctype html><p>Hello";

/// The answers of the server. By default, its tool `show` has a plain page.
#[derive(Clone)]
pub struct Stranger {
    /// The tools, each with its `_meta`.
    pub tools: Vec<(&'static str, Value)>,
    /// The `contents` of any page.
    pub contents: Value,
    /// The `resources` of the list, or `None` if listing fails.
    pub listed: Option<Value>,
}

/// The methods that were called.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Default for Stranger {
    fn default() -> Self {
        Self {
            tools: vec![("show", json!({"ui": {"resourceUri": "ui://page"}}))],
            contents: contents(Value::Null),
            listed: Some(json!([])),
        }
    }
}

/// The contents of a page with this `_meta`.
pub fn contents(meta: Value) -> Value {
    let kind = "text/html;profile=mcp-app";
    json!([{"uri": "ui://page", "mimeType": kind, "text": HTML, "_meta": meta}])
}

/// Returns the policy of a page with this `csp`.
pub async fn policy(csp: Value) -> String {
    let page = Stranger::described(json!({"csp": csp})).page().await;
    page.unwrap().policy().to_owned()
}

impl Stranger {
    /// A server whose page describes itself like this.
    pub fn described(ui: Value) -> Self {
        let contents = contents(json!({"ui": ui}));
        Self {
            contents,
            ..Self::default()
        }
    }

    pub async fn connect(self) -> (Client, Seen) {
        let seen = Seen::default();
        let host = Client::builder("host", "1.0").extension(Apps::host());
        let client = connect(self.server(seen.clone())).client(host);
        let client = client.revision(Revision::V2025_11_25).await.unwrap();
        seen.take();
        (client, seen)
    }

    pub async fn apps(self) -> (ServerApps, Seen) {
        let (client, seen) = self.connect().await;
        (client.apps().unwrap(), seen)
    }

    /// Reads the page of the first tool.
    pub async fn page(self) -> Result<AppPage, AppError> {
        let (client, _) = self.connect().await;
        let tools = client.list_tools().await?;
        client.apps()?.page(&tools[0]).await
    }

    fn server(self, seen: Seen) -> Server {
        let mut server = Server::builder();
        for (name, _) in &self.tools {
            server.tool(ToolBuilder::new(*name).arguments(()).call(|(), _| "called"));
        }
        server.resource(mcp_runtime::server::resources::ResourceEntry::resource(
            mcp_runtime::types::Resource::new("never", "never://read"),
            |_| unreachable!("the layer answers"),
        ));
        server.layer(from_fn(move |request: McpRequest, next: Next| {
            let Seen(methods) = &seen;
            methods.lock().unwrap().push(request.method().to_owned());
            let answer = self.answer(request.method());
            async move {
                match answer {
                    Some(answer) => Ok(McpResponse::of(&answer?)?),
                    None => next.run(request).await,
                }
            }
        }));
        server.build()
    }

    fn answer(&self, method: &str) -> Option<Result<Value, mcp_runtime::ProtocolError>> {
        let failed = || mcp_runtime::ProtocolError::new(-32603, "the list is broken");
        let tools = self.tools.iter();
        let tools = tools.map(
            |(name, meta)| json!({"name": name, "inputSchema": {"type": "object"}, "_meta": meta}),
        );
        match method {
            "tools/list" => Some(Ok(json!({"tools": tools.collect::<Vec<_>>()}))),
            "resources/read" => Some(Ok(json!({"contents": self.contents}))),
            "resources/list" => {
                let listed = self.listed.as_ref().ok_or_else(failed);
                Some(listed.map(|listed| json!({"resources": listed})))
            }
            _ => None,
        }
    }
}
