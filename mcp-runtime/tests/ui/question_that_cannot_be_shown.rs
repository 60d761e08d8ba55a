#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(&self, amounts: Vec<u32>, #[elicit("Charge {amounts}?")] consent: bool) {}
}

fn main() {}
