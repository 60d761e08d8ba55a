//! Writes an audit log with one line per request: its outcome, but not its arguments.
//!
//! `cargo run --bin audit -- audit.log`

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::prelude::*;

struct Calculator;

#[mcp_server(name = "audit", version = env!("CARGO_PKG_VERSION"))]
impl Calculator {
    /// Divides one number by another.
    #[tool]
    fn divide(&self, dividend: i64, divisor: i64) -> Result<i64, ToolError> {
        let quotient = dividend.checked_div(divisor);
        quotient.ok_or_else(|| ToolError::new("`dividend` can't be divided by `divisor`"))
    }
}

/// A line of the log: file, description, outcome, and start of a request. The line is written when
/// this value is dropped, so a cancelled request is logged as well.
struct Line(Arc<File>, String, &'static str, Instant);

impl Line {
    fn end(mut self, outcome: &'static str) {
        self.2 = outcome;
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let Self(log, about, outcome, begun) = self;
        let _ = writeln!(&**log, "{about}: {outcome} after {:?}", begun.elapsed());
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: audit FILE")?;
    let log = Arc::new(OpenOptions::new().create(true).append(true).open(path)?);
    let mut server = Calculator.into_builder();
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        let target = request.target().unwrap_or_default();
        let principal = request.principal().unwrap_or("anonymous");
        let about = format!("{principal} {} {target:?}", request.method());
        let line = Line(Arc::clone(&log), about, "cancelled", Instant::now());
        async move {
            let response = next.run(request).await;
            let failed = response.as_ref().map_or(true, McpResponse::is_error);
            line.end(if failed { "failed" } else { "answered" });
            response
        }
    }));
    Ok(server.serve(stdio()).await?)
}
