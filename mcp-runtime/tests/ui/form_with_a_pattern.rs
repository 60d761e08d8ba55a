#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Trip {
    #[schemars(regex(pattern = "^[A-Z]"))]
    city: String,
}

fn main() {}
