#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Consent {
    charge: bool,
}

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    async fn pay(&self, #[elicit("Charge?")] consent: Consent) -> bool {
        consent.charge
    }
}

fn main() {}
