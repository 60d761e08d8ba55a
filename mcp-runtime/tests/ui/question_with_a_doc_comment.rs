#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(
        &self,
        /// Whether it is all right.
        #[elicit("Charge?")]
        consent: bool,
    ) {
    }
}

fn main() {}
