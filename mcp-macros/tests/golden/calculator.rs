use mcp_runtime::prelude::*;

struct Calculator;

/// Whole numbers only.
#[mcp_server]
impl Calculator {
    /// Adds two whole numbers.
    #[tool(read_only)]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    /// Divides one whole number by another.
    #[tool]
    fn divide(
        &self,
        a: i64,
        /// Anything but zero.
        b: i64,
    ) -> Result<i64, &'static str> {
        a.checked_div(b).ok_or("division by zero")
    }

    /// Rounds to so many digits, if the user agrees.
    #[tool(timeout = "1m")]
    async fn round(
        &self,
        value: f64,
        digits: u32,
        #[elicit("Round {value} to {digits:>2} digits?")] agrees: Option<bool>,
        #[elicit("Which way?")] way: Way,
    ) -> f64 {
        way.round(value, digits, agrees)
    }

    /// Gives back what it gets.
    #[tool]
    async fn echo(&self, text: String, cx: &Context) -> String {
        drop(cx);
        text
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Calculator.serve(stdio()).await
}
