#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    city: String,
}

async fn book(cx: &Context) -> Result<String, AskError> {
    let trip: Trip = cx.elicit("Where to?").await?;
    Ok(trip.city)
}

fn main() {}
