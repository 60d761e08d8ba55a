#![allow(unused)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Charges the user.
    #[tool]
    fn survey(
        &self,
        #[elicit("1?")] a: bool,
        #[elicit("2?")] b: bool,
        #[elicit("3?")] c: bool,
        #[elicit("4?")] d: bool,
        #[elicit("5?")] e: bool,
        #[elicit("6?")] f: bool,
        #[elicit("7?")] g: bool,
    ) {
    }
}

fn main() {}
