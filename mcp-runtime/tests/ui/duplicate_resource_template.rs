#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://{isbn}/text")]
    fn text(&self, isbn: String) -> String {
        isbn
    }

    #[resource("book://{title}/text")]
    fn by_title(&self, title: String) -> String {
        title
    }

    #[resource("book://{+path}/text")]
    fn by_path(&self, path: String) -> String {
        path
    }
}

fn main() {}
