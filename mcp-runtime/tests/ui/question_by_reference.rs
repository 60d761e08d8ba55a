#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(&self, #[elicit("Which card?")] card: &str) {}
}

fn main() {}
