//! Transports under test.

use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

/// The client's end of a connection, and the server that serves it.
pub type Line = (Memory, JoinHandle<Result<(), ServeError>>);

/// A transport that tests are run over.
pub trait Over {
    /// True if one direction can be closed while the other stays open.
    const CLOSES_BY_HALVES: bool = true;
    /// True if messages arrive in the order in which they were sent.
    const KEEPS_ORDER: bool = true;
    /// True if a message can be any bytes, not only text.
    const TAKES_BYTES: bool = true;

    /// A line to `server`, over this transport.
    async fn line(server: &Server) -> Line;

    /// A line to `server`, or where it has to be in another process, to what is called `name`
    /// there.
    async fn shared(_name: &str, server: &Server) -> Line {
        Self::line(server).await
    }
}

/// No transport but memory.
pub struct InMemory;

impl Over for InMemory {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let serving = server.serve(theirs).signals(false);
        (ours, tokio::spawn(serving.into_future()))
    }
}
