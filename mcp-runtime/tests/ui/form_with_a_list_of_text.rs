#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Trip {
    cities: Vec<String>,
}

fn main() {}
