//! The server's lifecycle, state by state and event by event, as `docs/lifecycle.md` shows it.

use std::fmt::Write as _;

use mcp_types::{RawJsonRef, Revisions};

use super::{Admission, ServerLifecycle};

const DOCUMENT: &str = include_str!("../../../docs/lifecycle.md");

/// How each state is reached from a new connection, in the order in which they follow each other.
const STATES: [(&str, &[Event]); 6] = [
    ("uninitialized", &[]),
    ("initializing", &[Event::Initialize]),
    ("initialized", &[Event::Initialize, Event::Initialized]),
    (
        "operating",
        &[Event::Initialize, Event::Initialized, Event::Operate],
    ),
    ("shutting down", &[Event::ShutDown]),
    ("terminated", &[Event::Terminate]),
];

#[derive(Clone, Copy, Debug)]
enum Event {
    Initialize,
    Initialized,
    Operate,
    Ping,
    Request,
    Stateless,
    ShutDown,
    Terminate,
}

const EVENTS: [(&str, Event); 8] = [
    ("`initialize`", Event::Initialize),
    ("`notifications/initialized`", Event::Initialized),
    ("the server is ready for calls", Event::Operate),
    ("`ping`", Event::Ping),
    ("a handshake-era request", Event::Request),
    ("a stateless request", Event::Stateless),
    ("shutdown is asked for", Event::ShutDown),
    ("the connection ends", Event::Terminate),
];

fn lifecycle(path: &[Event]) -> ServerLifecycle {
    let mut lifecycle = ServerLifecycle::new(Revisions::ALL);
    for event in path {
        happen(&mut lifecycle, *event);
    }
    lifecycle
}

/// What the machine makes of an event: the answer, or nothing for what is not answered.
fn happen(lifecycle: &mut ServerLifecycle, event: Event) -> String {
    let request = |lifecycle: &mut ServerLifecycle, method, params: &str| {
        let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
        match lifecycle.request(method, Some(params)) {
            Ok(Admission::Initialize(_) | Admission::Ping) => "answered".to_owned(),
            Ok(Admission::Serve(_)) => "served".to_owned(),
            Err(refusal) => format!("refused ({})", refusal.to_error().code),
        }
    };
    match event {
        Event::Initialize => request(
            lifecycle,
            "initialize",
            r#"{"protocolVersion":"2025-11-25","capabilities":{},
                "clientInfo":{"name":"test","version":"1"}}"#,
        ),
        Event::Ping => request(lifecycle, "ping", "{}"),
        Event::Request => request(lifecycle, "tools/list", "{}"),
        Event::Stateless => request(
            lifecycle,
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{}}}"#,
        ),
        Event::Initialized => {
            lifecycle.initialized();
            String::new()
        }
        Event::Operate => {
            lifecycle.operate();
            String::new()
        }
        Event::ShutDown => {
            lifecycle.shut_down();
            String::new()
        }
        Event::Terminate => {
            lifecycle.terminate();
            String::new()
        }
    }
}

/// One cell: the answer, and the state that follows where it is another one.
fn cell(path: &[Event], event: Event) -> String {
    let mut lifecycle = lifecycle(path);
    let before = lifecycle.state();
    let answer = happen(&mut lifecycle, event);
    let after = lifecycle.state();
    match (answer.as_str(), before == after) {
        ("", true) => "ignored".to_owned(),
        ("", false) => format!("→ {after}"),
        (answer, true) => answer.to_owned(),
        (answer, false) => format!("{answer}, → {after}"),
    }
}

fn table() -> String {
    let mut table = String::from("| event |");
    for (state, _) in STATES {
        write!(table, " {state} |").unwrap();
    }
    table.push_str("\n|---|");
    table.push_str(&"---|".repeat(STATES.len()));
    for (name, event) in EVENTS {
        write!(table, "\n| {name} |").unwrap();
        for (_, path) in STATES {
            write!(table, " {} |", cell(path, event)).unwrap();
        }
    }
    table
}

#[test]
fn the_documented_table_is_what_the_machine_does() {
    for (name, path) in STATES {
        assert_eq!(lifecycle(path).state().to_string(), name);
    }
    let table = table();
    assert!(
        DOCUMENT.contains(&table),
        "docs/lifecycle.md must contain this table:\n\n{table}\n"
    );
}
