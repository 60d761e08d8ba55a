#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Consent {
    charge: bool,
}

struct Shop;

#[mcp_server]
impl Shop {
    /// Takes money.
    #[tool]
    async fn pay(&self, #[elicit("Charge?")] consent: Consent) -> bool {
        consent.charge
    }
}

fn main() {}
