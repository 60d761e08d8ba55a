//! Stands in for the gateway where HTTP is not built.

use mcp_runtime::transport::memory::Memory;
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

pub fn serve(_: &Server, _: Memory) -> JoinHandle<Result<(), ServeError>> {
    unreachable!("only tests that need HTTP ask for it")
}
