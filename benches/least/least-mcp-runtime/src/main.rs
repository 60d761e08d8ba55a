//! A minimal server with one tool on mcp-runtime.

use mcp_runtime::prelude::*;

struct Calculator;

#[mcp_server]
impl Calculator {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> String {
        (a + b).to_string()
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Calculator.serve(stdio()).await
}
