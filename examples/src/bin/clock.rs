//! A server whose tool takes a while and reports progress over HTTP. `clock ADDR [ORIGIN]…` serves
//! `http://ADDR/mcp` to local programs, and to web pages from the given origins.

use std::time::Duration;

use mcp_runtime::ServeError;
use mcp_runtime::prelude::*;
use mcp_runtime::server::Progress;
use mcp_runtime::transport::http::{HttpOptions, http};

struct Clock;

const TICK: Duration = Duration::from_millis(300);

#[mcp_server(name = "clock")]
impl Clock {
    /// Ticks a few times, and reports each tick.
    #[tool(read_only)]
    async fn tick(&self, #[arg(range = 1..=100)] times: u32, progress: &Progress) -> String {
        for tick in 1..=times {
            tokio::time::sleep(TICK).await;
            progress.report(tick, times, "tick");
        }
        format!("ticked {times} times")
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut args = std::env::args().skip(1);
    let address = args.next().unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let options = HttpOptions::default().allowed_origins(args);
    Clock.serve(http(address).options(options)).await
}
