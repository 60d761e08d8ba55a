//! Calls the example `library` with the methods that `mcp bindgen` has generated for it.
//!
//! `cargo run --bin typed_client -- target/debug/library`
//!
//! This command writes `library.rs` and `library.mcp.json`. With `--check`, it compares them with
//! the server:
//!
//! `mcp bindgen -o examples/src/bin/typed_client/library.rs -- target/debug/library`

mod library;

use library::{FindArguments, Library};
use mcp_runtime::Client;
use mcp_runtime::transport::ChildProcess;

#[mcp_runtime::main]
#[allow(clippy::print_stdout, reason = "this program is not a server")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::args()
        .nth(1)
        .ok_or("usage: typed_client PROGRAM")?;
    let server = ChildProcess::new(program);
    let client = Client::builder("typed_client", "1.0.0")
        .connect(server)
        .await?;
    let library = Library(client);

    for book in library.find("emma").await? {
        println!("{} by {}, {}", book.title, book.author, book.year);
    }
    let two = library.find(FindArguments::new("a").with_limit(2)).await?;
    println!("{} books", two.len());

    let emma = library.resources().book("9780141439587").await?;
    println!("{}", emma.contents[0].as_text().unwrap_or_default());
    let summary = library.prompts().summary("Emma").await?;
    println!("{} messages", summary.messages.len());

    library.close().await;
    Ok(())
}
