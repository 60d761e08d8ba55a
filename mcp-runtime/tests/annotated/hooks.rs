//! Methods that the server itself calls.

use std::sync::{Arc, Mutex};

use mcp_runtime::ServeError;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::memory;

use crate::support::Wire;

#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<String>>>);

impl Noting {
    fn note(&self, event: impl Into<String>) {
        self.0.lock().unwrap().push(event.into());
    }
}

type Client = Initialized;

#[mcp_server(groups(more), undocumented = "allow")]
impl Noting {
    #[on_start]
    fn open(&self) {
        self.note("open");
    }

    #[on_initialized]
    async fn greet(&self, client: &Client) -> Result<(), String> {
        self.note(format!("greet {}", client.client_info().unwrap().name));
        Ok(())
    }

    #[tool]
    fn look(&self) {}

    #[on_shutdown]
    async fn close(&self) -> std::io::Result<()> {
        self.note("close");
        Ok(())
    }
}

#[mcp_server(group = more)]
impl Noting {
    #[on_initialized]
    async fn count(&self) {
        self.note("count");
    }

    #[cfg(any())]
    #[on_start]
    fn never(&self) -> Absent {}
}

#[tokio::test]
async fn hooks_run_at_their_moments() {
    let server = Noting::default();
    let diary = Arc::clone(&server.0);
    let mut wire = Wire::to(&server.into_server()).await;
    wire.handshake("2025-11-25").await;
    wire.lives_on().await;
    wire.close().await.unwrap();
    let diary = diary.lock().unwrap();
    assert_eq!(*diary, ["open", "greet wire", "count", "close"]);
}

/// A server that cannot start.
#[mcp_server]
mod taken {
    #[on_start]
    fn open() -> Result<(), &'static str> {
        Err("the place is taken")
    }
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let (_ours, theirs) = memory::pair();
    let serving = taken::Server.serve(theirs).signals(false);
    let error = serving.await.unwrap_err();
    assert!(matches!(error, ServeError::Start(_)), "{error:?}");
    assert!(error.to_string().contains("the place is taken"), "{error}");
}

/// Watches as long as its server is running.
#[derive(Default)]
struct Watching(Noting);

/// Records when it is dropped.
struct Watcher(Noting);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

#[mcp_server(undocumented = "allow")]
impl Watching {
    #[on_start]
    async fn watch(&self, server: &mcp_runtime::Server) -> std::io::Result<Watcher> {
        self.0.note(server.tools()[0].name.clone());
        Ok(Watcher(self.0.clone()))
    }

    #[tool]
    fn look(&self) {}

    #[on_shutdown]
    fn close(&self) {
        self.0.note("close");
    }
}

#[tokio::test]
async fn what_the_start_returns_is_dropped_at_the_end() {
    let server = Watching::default();
    let diary = Arc::clone(&server.0.0);
    let mut wire = Wire::to(&server.into_server()).await;
    wire.lives_on().await;
    assert_eq!(*diary.lock().unwrap(), ["look"]);
    wire.close().await.unwrap();
    assert_eq!(*diary.lock().unwrap(), ["look", "close", "dropped"]);
}
