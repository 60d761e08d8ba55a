#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(FromContext)]
#[from_context(identity)]
struct User(String);

fn main() {}
