//! A server that reports progress.

use mcp_runtime::prelude::*;
use mcp_runtime::server::Progress;

struct Kitchen;

#[mcp_server(name = "progress")]
impl Kitchen {
    /// Bakes cakes, one after the other.
    #[tool]
    fn bake(
        &self,
        /// The kinds of cake.
        cakes: Vec<String>,
        progress: &Progress,
    ) -> Vec<String> {
        let baked = progress.over(cakes);
        baked.map(|cake| format!("a {cake} cake")).collect()
    }

    /// Makes tea, and reports each step.
    #[tool]
    fn brew(&self, cx: &Context) -> &'static str {
        cx.progress(1, 3, "boiling water");
        cx.progress(2, 3, "waiting");
        cx.progress(3, 3, "pouring");
        "tea"
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Kitchen.serve(stdio()).await
}
