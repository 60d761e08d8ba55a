//! A calculator on standard input and output: the server from the README.

use mcp_runtime::prelude::*;

struct Calculator;

#[mcp_server(name = "calculator")]
impl Calculator {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    /// Divides one number by another.
    #[tool]
    fn divide(&self, a: f64, b: f64) -> Result<f64, &'static str> {
        if b == 0.0 {
            return Err("division by zero: `b` must be another number");
        }
        Ok(a / b)
    }

    /// Repeats the text.
    #[tool]
    fn echo(&self, text: String) -> String {
        text
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Calculator.serve(stdio()).await
}
