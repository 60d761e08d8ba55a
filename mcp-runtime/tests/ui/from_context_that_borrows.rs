#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User<'a> {
    name: &'a str,
}

fn main() {}
