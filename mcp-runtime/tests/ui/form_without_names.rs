#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Trip(String, u8);

fn main() {}
