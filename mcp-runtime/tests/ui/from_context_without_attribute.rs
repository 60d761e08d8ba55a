#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Clone, FromContext)]
struct User(String);

fn main() {}
