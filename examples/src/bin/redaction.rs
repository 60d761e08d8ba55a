//! Redacts results: the server replaces the digits of payment card numbers with stars.

use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server(name = "redaction", version = env!("CARGO_PKG_VERSION"))]
impl Shop {
    /// Finds an order.
    #[tool]
    fn order(&self, number: u32) -> String {
        format!("order {number}: paid with 4111 1111 1111 1111, sent to Hartfield")
    }

    #[resource("order://{number}", mime = "text/plain")]
    fn receipt(&self, number: u32) -> String {
        format!("receipt of order {number}: 4111111111111111")
    }
}

/// Replaces each digit of a card number with a star. A card number has 13 to 19 digits, possibly
/// with spaces between them.
fn redacted(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let is_part = |c: char| c.is_ascii_digit() || c == ' ';
        let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
        let digits = from[..end].chars().filter(char::is_ascii_digit).count();
        redacted.push_str(before);
        match digits {
            13..=19 => redacted.extend(from[..end].chars().map(|c| if c == ' ' { c } else { '*' })),
            _ => redacted.push_str(&from[..end]),
        }
        rest = &from[end..];
    }
    redacted + rest
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut server = Shop.into_builder();
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        let mut response = next.run(request).await?;
        if let Some(text) = response.json()?.as_deref() {
            let text = redacted(text);
            response = McpResponse::new(text)?;
        }
        Ok(response)
    }));
    server.serve(stdio()).await
}
