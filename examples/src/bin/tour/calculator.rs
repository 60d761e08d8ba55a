//! The server of the tour.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use mcp_runtime::prelude::*;

/// The URI of the stored number.
pub(crate) const MEMORY: &str = "calculator://memory";

#[derive(Default)]
pub(crate) struct Calculator {
    memory: AtomicI64,
}

/// Calculates with small numbers.
#[mcp_server(name = "calculator", version = "1.0.0")]
impl Calculator {
    /// Adds two whole numbers.
    #[tool(read_only)]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    /// Divides one number by another.
    #[tool(read_only)]
    fn divide(&self, a: f64, b: f64) -> Result<f64, &'static str> {
        if b == 0.0 {
            return Err("division by zero: `b` must be another number");
        }
        Ok(a / b)
    }

    /// Adds many numbers, and takes its time.
    #[tool(read_only)]
    async fn sum(&self, numbers: Vec<i64>, cx: &Context) -> i64 {
        for (done, number) in (1..).zip(&numbers) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            cx.progress(done, numbers.len(), format!("added {number}"));
        }
        numbers.iter().sum()
    }

    /// Stores a number, if the user agrees.
    #[tool]
    fn store(&self, number: i64, #[elicit("Store {number}?")] sure: bool, cx: &Context) -> bool {
        if sure {
            self.memory.store(number, Ordering::Relaxed);
            cx.notify_resource_updated(MEMORY);
        }
        sure
    }

    /// The stored number.
    #[resource("calculator://memory", subscribe)]
    fn memory(&self) -> String {
        self.memory.load(Ordering::Relaxed).to_string()
    }

    /// Ends the process without an answer.
    #[tool]
    fn crash(&self) {
        std::process::exit(1)
    }
}
