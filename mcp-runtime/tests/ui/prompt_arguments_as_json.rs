#![allow(unused)]

use mcp_runtime::Client;
use serde_json::json;

async fn ask(client: Client) {
    let prompt = client.get_prompt("summary", json!({"title": "Emma"})).await;
}

fn main() {}
