//! What the log says of a request.

#![allow(clippy::unwrap_used)]

mod support;

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;
use support::{Wire, call};
use tracing::Level;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is logged at `level` while a session makes the given call.
async fn logged(level: Level, tool: &str) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // The test's runtime has one thread, so this holds for every task of it.
    let _guard = tracing::subscriber::set_default(subscriber);
    let mut wire = Wire::operating("2025-06-18").await;
    wire.ask(call(42, tool, json!({}))).await;
    log.text()
}

#[tokio::test]
async fn a_request_is_logged_with_what_it_was_and_how_it_ended() {
    for (tool, outcome) in [
        ("soon", "answered"),
        ("echo", "answered"),
        ("refuse", "failed"),
    ] {
        let log = logged(Level::DEBUG, tool).await;
        let line = log.lines().find(|line| line.contains("id=42")).unwrap();
        for part in [
            "method=\"tools/call\"",
            &format!("name=\"{tool}\""),
            "revision=\"2025-06-18\"",
            "client=\"wire\"",
            &format!("outcome=\"{outcome}\""),
            "elapsed_us=",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
    }
}

#[tokio::test]
async fn operation_is_quiet_and_a_panic_is_not() {
    assert_eq!(logged(Level::INFO, "soon").await, "");
    let log = logged(Level::INFO, "panic_later").await;
    assert!(log.contains("ERROR") && log.contains("secret"), "{log}");
}
