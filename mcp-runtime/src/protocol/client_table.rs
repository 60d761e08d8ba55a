//! The client's lifecycle, state by state and event by event, as `docs/lifecycle.md` shows it.

use std::sync::Arc;

use mcp_types::{Revision, ServerCapabilities, ServerCapabilitiesTools, methods};

use super::tables::assert_documented;
use super::{ClientLifecycle, LifecycleState, Negotiated};

/// The states in the order in which a handshake passes through them, each with the event that
/// leads on to the next one.
const STATES: [(LifecycleState, Event); 6] = [
    (
        LifecycleState::Uninitialized,
        Event::Send(methods::INITIALIZE),
    ),
    (LifecycleState::Initializing, Event::Accepted),
    (LifecycleState::Initialized, Event::Operate),
    (LifecycleState::Operating, Event::ShutDown),
    (LifecycleState::ShuttingDown, Event::Terminate),
    (LifecycleState::Terminated, Event::Terminate),
];

#[derive(Clone, Copy, Debug)]
enum Event {
    Send(&'static str),
    Accepted,
    Refused,
    Operate,
    Discovered,
    Request(&'static str),
    Notification(&'static str),
    ShutDown,
    Terminate,
}

const EVENTS: [(&str, Event); 15] = [
    (
        "`initialize` is to be sent",
        Event::Send(methods::INITIALIZE),
    ),
    (
        "`server/discover` is to be sent",
        Event::Send(methods::SERVER_DISCOVER),
    ),
    ("`ping` is to be sent", Event::Send(methods::PING)),
    (
        "a request that is offered is to be sent",
        Event::Send(methods::TOOLS_LIST),
    ),
    (
        "a request that is not offered is to be sent",
        Event::Send(methods::PROMPTS_LIST),
    ),
    ("the answer to `initialize` is acceptable", Event::Accepted),
    (
        "`initialize` is refused, and other revisions are offered",
        Event::Refused,
    ),
    ("`notifications/initialized` was sent", Event::Operate),
    (
        "the answer to `server/discover` is acceptable",
        Event::Discovered,
    ),
    ("the server sends `ping`", Event::Request(methods::PING)),
    (
        "the server sends another request",
        Event::Request(methods::ROOTS_LIST),
    ),
    (
        "the server sends a log message",
        Event::Notification(methods::NOTIFICATIONS_MESSAGE),
    ),
    (
        "the server sends another notification",
        Event::Notification(methods::NOTIFICATIONS_TOOLS_LIST_CHANGED),
    ),
    ("shutdown is asked for", Event::ShutDown),
    ("the connection ends", Event::Terminate),
];

fn negotiated() -> Arc<Negotiated<ServerCapabilities>> {
    let tools = ServerCapabilitiesTools::new();
    Arc::new(Negotiated {
        revision: Revision::LATEST_HANDSHAKE,
        peer_info: None,
        peer_capabilities: ServerCapabilities::new().with_tools(tools),
        instructions: None,
    })
}

/// A lifecycle that is in `state`.
fn at(state: LifecycleState) -> ClientLifecycle {
    let mut lifecycle = ClientLifecycle::new();
    for (reached, next) in STATES {
        assert_eq!(lifecycle.state(), reached);
        if reached == state {
            break;
        }
        happen(&mut lifecycle, next);
    }
    lifecycle
}

/// What the machine makes of an event, in a word; nothing where there is nothing to decide.
fn happen(lifecycle: &mut ClientLifecycle, event: Event) -> String {
    let word = match event {
        Event::Send(method) => match lifecycle.send(method) {
            Ok(()) => "sent",
            Err(_) => "not sent",
        },
        Event::Request(method) => match lifecycle.request(method) {
            Ok(()) => "served",
            Err(refusal) => return format!("refused ({})", refusal.to_error().code),
        },
        Event::Notification(method) if lifecycle.notification(method) => "passed on",
        Event::Notification(_) => "",
        Event::Refused => {
            lifecycle.refused();
            ""
        }
        Event::Accepted => {
            lifecycle.initialized(negotiated());
            ""
        }
        Event::Discovered => {
            lifecycle.discovered(negotiated());
            ""
        }
        Event::Operate => {
            lifecycle.operate();
            ""
        }
        Event::ShutDown => {
            lifecycle.shut_down();
            ""
        }
        Event::Terminate => {
            lifecycle.terminate();
            ""
        }
    };
    word.to_owned()
}

#[test]
fn the_document_shows_what_the_client_does() {
    let states = STATES.map(|(state, _)| state);
    assert_documented(&states, &EVENTS, |state, event| {
        let mut lifecycle = at(state);
        let decision = happen(&mut lifecycle, event);
        (decision, lifecycle.state())
    });
}

#[test]
fn what_was_agreed_on_is_known_until_the_end() {
    for (state, _) in STATES {
        let known = at(state).negotiated().is_some();
        let expected = [LifecycleState::Initialized, LifecycleState::Operating].contains(&state);
        assert_eq!(known, expected, "{state}");
    }
}
