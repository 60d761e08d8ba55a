#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Clone, FromContext)]
#[from_context(header)]
struct User(String);

fn main() {}
