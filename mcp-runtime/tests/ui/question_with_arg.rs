#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(
        &self,
        #[arg(default = true)]
        #[elicit("Really?")]
        consent: bool,
    ) {
    }
}

fn main() {}
