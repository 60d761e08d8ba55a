//! A tool with a page (`io.modelcontextprotocol/ui`): a clock, which the host shows next to the text.
//!
//! `apps` serves over standard streams, and `apps ADDRESS [ORIGIN]…` serves `http://ADDRESS/mcp` to
//! local programs and to web pages from the given origins. To see the page, run
//! `cargo run -p mcp-example-app-host -- -- target/debug/apps`.

use std::env;
use std::error::Error;
use std::time::{Duration, SystemTime};

use mcp_extensions::apps::{App, Apps, Permission};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, http};

/// The page of all tools. It may fetch from one origin and write to the clipboard; the host blocks
/// everything else.
const CLOCK: App = App::html("ui://clock", include_str!("clock.html"))
    .title("Clock")
    .connect(&["https://api.example"])
    .permissions(&[Permission::ClipboardWrite])
    .border(true);

struct Clock;

#[mcp_server(name = "clock")]
impl Clock {
    /// Returns the time of day.
    #[tool(read_only, with(CLOCK))]
    async fn time(&self, #[arg(range = -12..=14)] utc_offset: Option<i32>) -> String {
        time_of_day(utc_offset.unwrap_or_default())
    }

    /// Returns the time of day for the page, which calls this tool when its button is clicked.
    #[tool(read_only, with(CLOCK.for_app()))]
    async fn tick(&self, #[arg(range = -12..=14)] utc_offset: Option<i32>) -> String {
        time_of_day(utc_offset.unwrap_or_default())
    }

    /// Waits, and rings. The page can't call this tool.
    #[tool(read_only, with(CLOCK.for_model()))]
    async fn alarm(&self, #[arg(range = 1..=60)] seconds: u32) -> &'static str {
        tokio::time::sleep(Duration::from_secs(seconds.into())).await;
        "it rings"
    }
}

/// Returns the time in a zone as `HH:MM:SS`.
fn time_of_day(utc_offset: i32) -> String {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let day = 24 * 3600;
    let seconds = (since.as_secs() % day).cast_signed() + i64::from(utc_offset) * 3600;
    let seconds = seconds.rem_euclid(day.cast_signed());
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut server = Clock.into_builder();
    server.extension(Apps::new());
    match arguments.next() {
        None => server.serve(stdio()).await?,
        Some(address) => {
            let options = HttpOptions::default().allowed_origins(arguments);
            server.serve(http(address).options(options)).await?;
        }
    }
    Ok(())
}
