#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Trip {
    nights: Option<u8>,
    place: Place,
}

fn main() {}
