#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(
        &self,
        #[elicit("")] consent: bool,
        #[elicit] card: String,
        #[elicit(really)] amount: u32,
    ) {
    }
}

fn main() {}
