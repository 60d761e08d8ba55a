#![allow(unused)]

#[mcp_runtime::main]
async fn main() -> String {
    String::new()
}
