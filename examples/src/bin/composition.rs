//! Combines two servers into one. Each of them keeps its own prefix for names.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;

struct Dictionary;

#[mcp_server]
impl Dictionary {
    /// Explains a word.
    #[tool(read_only)]
    fn look_up(&self, word: String) -> String {
        format!("Nobody knows what `{word}` means.")
    }

    /// All words.
    #[resource("words://all")]
    fn words(&self) -> &'static str {
        "aardvark, zebra"
    }
}

struct Atlas;

#[mcp_server]
impl Atlas {
    /// Finds a place.
    #[tool(read_only)]
    fn look_up(&self, place: String) -> String {
        format!("{place} is somewhere else.")
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut server = Server::builder();
    server
        .name("composition")
        .version(env!("CARGO_PKG_VERSION"))
        .mount("words", Dictionary)
        .mount("places", Atlas);
    server.build().serve(stdio()).await
}
