//! The server's lifecycle, state by state and event by event, as `docs/lifecycle.md` shows it.

#![allow(clippy::unwrap_used)]

use mcp_types::{RawJsonRef, Revisions};

use super::tables::assert_documented;
use super::{Admission, LifecycleState, ServerLifecycle};

/// How each state is reached from a new connection, in the order in which they follow each other.
const STATES: [(LifecycleState, &[Event]); 6] = [
    (LifecycleState::Uninitialized, &[]),
    (LifecycleState::Initializing, &[Event::Initialize]),
    (
        LifecycleState::Initialized,
        &[Event::Initialize, Event::Initialized],
    ),
    (
        LifecycleState::Operating,
        &[Event::Initialize, Event::Initialized, Event::Operate],
    ),
    (LifecycleState::ShuttingDown, &[Event::ShutDown]),
    (LifecycleState::Terminated, &[Event::Terminate]),
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

/// A lifecycle that is in `state`.
fn at(state: LifecycleState) -> ServerLifecycle {
    let mut lifecycle = ServerLifecycle::new(Revisions::ALL);
    for (_, path) in STATES.iter().filter(|(reached, _)| *reached == state) {
        for event in *path {
            happen(&mut lifecycle, *event);
        }
    }
    assert_eq!(lifecycle.state(), state);
    lifecycle
}

/// What the machine makes of an event: the answer, or nothing for what is not answered.
fn happen(lifecycle: &mut ServerLifecycle, event: Event) -> String {
    let request = |lifecycle: &mut ServerLifecycle, method, params: &str| {
        let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
        match lifecycle.request(method, Some(params)) {
            Ok(Admission::Initialize(_) | Admission::Ping) => "answered".to_owned(),
            Ok(Admission::Serve(..)) => "served".to_owned(),
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

#[test]
fn the_document_shows_what_the_server_does() {
    let states = STATES.map(|(state, _)| state);
    assert_documented(&states, &EVENTS, |state, event| {
        let mut lifecycle = at(state);
        let answer = happen(&mut lifecycle, event);
        (answer, lifecycle.state())
    });
}
