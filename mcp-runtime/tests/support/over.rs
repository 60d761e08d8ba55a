//! The transports under test.

use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

/// The client's end of a connection, and the server that serves it.
pub type Line = (Memory, JoinHandle<Result<(), ServeError>>);

/// A transport over which tests run.
pub trait Over {
    /// True if one direction can be closed while the other stays open.
    const CLOSES_BY_HALVES: bool = true;
    /// True if messages arrive in the order in which they were sent.
    const KEEPS_ORDER: bool = true;
    /// True if a message can be any bytes, not only text.
    const TAKES_BYTES: bool = true;

    /// Connects to `server` over this transport.
    async fn line(server: &Server) -> Line;

    /// Connects to `server`. If the server must run in another process, connects to the server with
    /// this name there.
    async fn shared(_name: &str, server: &Server) -> Line {
        Self::line(server).await
    }
}

/// A connection in memory, without another transport.
pub struct InMemory;

impl Over for InMemory {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let serving = server.serve(theirs).signals(false);
        (ours, tokio::spawn(serving.into_future()))
    }
}
