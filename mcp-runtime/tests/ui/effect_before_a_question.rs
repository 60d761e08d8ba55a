#![allow(unused)]
#![deny(deprecated)]

use mcp_runtime::prelude::*;

struct Shop;

#[mcp_server]
impl Shop {
    /// Pays an amount.
    #[tool]
    async fn pay(&self, amount: u32, cx: &Context) -> Result<bool, ToolError> {
        self.charge(amount)?;
        let receipt: bool = cx.elicit("A receipt?").await?;
        Ok(receipt)
    }

    fn charge(&self, amount: u32) -> Result<(), AskError> {
        Ok(())
    }
}

fn main() {}
