//! The client under test in the official conformance suite. The suite runs `conformance-client URL`
//! and passes the scenario in environment variables.

mod authorization;
mod calls;
mod skills;

use std::env;
use std::error::Error;

use mcp_extensions::skills::SkillsClient;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::Revisions;
use mcp_runtime::{Client, Revision};
use serde_json::Value;

type Outcome = Result<(), Box<dyn Error>>;

#[mcp_runtime::main]
async fn main() -> Outcome {
    let url = env::args()
        .next_back()
        .ok_or("usage: conformance-client URL")?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO")?;
    let revision: Revision = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?.parse()?;
    let mut server = http_client(&url);
    if scenario.starts_with("auth/") {
        server = server.auth(authorization::oauth(&scenario, &url).await?);
    }
    let client = Client::builder("conformance-client", env!("CARGO_PKG_VERSION"))
        .revisions(Revisions::ALL.of(revision.era()))
        .extension(SkillsClient::new())
        .on_form(async |form| form.accept_suggestions())
        .connect(server)
        .await?;
    let outcome = match &*scenario {
        "initialize" | "request-metadata" => Ok(()),
        "http-standard-headers" => calls::everything(&client).await,
        "http-custom-headers" => calls::from_context(&client).await,
        "json-schema-ref-no-deref" => client.list_tools().await.map(drop).map_err(Into::into),
        "json-schema-2020-12-preservation" => calls::echo_schema(&client).await,
        "sep-2640-client-no-prefetch" => skills::list(&client).await,
        name if name.starts_with("sep-2640-client-verify-") => skills::open_changed(&client).await,
        _ => calls::every_tool(&client).await,
    };
    client.close().await;
    outcome
}

/// Returns the context that the suite passes for the scenario, or null if it passes nothing.
fn context() -> Result<Value, Box<dyn Error>> {
    let context = env::var("MCP_CONFORMANCE_CONTEXT");
    Ok(context.map_or(Ok(Value::Null), |json| serde_json::from_str(&json))?)
}
