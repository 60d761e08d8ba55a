#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema, Elicit)]
enum Seat {
    Window,
    Row(u8),
}

fn main() {}
