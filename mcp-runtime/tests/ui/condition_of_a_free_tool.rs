#![allow(unused)]

use mcp_runtime::prelude::*;

fn exists(name: &str) -> bool {
    name == "a"
}

/// Writes a file.
#[tool]
fn write(name: String, #[elicit("Overwrite {name}?", when = exists)] overwrite: Option<bool>) {}

fn main() {}
