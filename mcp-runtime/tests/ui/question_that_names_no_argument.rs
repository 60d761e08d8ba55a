#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(
        &self,
        amount: u32,
        #[elicit("Charge {amont} to {card}?")] consent: bool,
    ) -> u32 {
        amount
    }
}

fn main() {}
