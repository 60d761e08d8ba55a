//! The client's side of a connection.

use std::sync::Arc;

use mcp_types::{DiscoverResult, Era, ServerCapabilities, Side, methods};

use super::methods as known;
use super::state::check_batches;
use super::{LifecycleState, Negotiated};
use crate::error::{RequestError, Unavailable};

/// A connection as its client sees it: what may be sent, and what may come in.
///
/// `docs/lifecycle.md` shows what comes of each event in each state.
///
/// A handshake passes through all states. `server/discover` leads from uninitialized, or from
/// initializing when its answer comes late, to operating.
#[derive(Debug)]
pub(crate) struct ClientLifecycle {
    state: State,
}

#[derive(Debug)]
enum State {
    Uninitialized,
    Initializing,
    Initialized(Arc<Negotiated<ServerCapabilities>>),
    Operating(Arc<Negotiated<ServerCapabilities>>),
    ShuttingDown,
    Terminated,
}

impl ClientLifecycle {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Uninitialized,
        }
    }

    pub(crate) fn state(&self) -> LifecycleState {
        match self.state {
            State::Uninitialized => LifecycleState::Uninitialized,
            State::Initializing => LifecycleState::Initializing,
            State::Initialized(_) => LifecycleState::Initialized,
            State::Operating(_) => LifecycleState::Operating,
            State::ShuttingDown => LifecycleState::ShuttingDown,
            State::Terminated => LifecycleState::Terminated,
        }
    }

    /// What was agreed on, from the server's answer until the end.
    pub(crate) fn negotiated(&self) -> Option<&Arc<Negotiated<ServerCapabilities>>> {
        match &self.state {
            State::Initialized(negotiated) | State::Operating(negotiated) => Some(negotiated),
            _ => None,
        }
    }

    /// A request is about to be sent.
    ///
    /// # Errors
    ///
    /// Why it must not be.
    pub(crate) fn send(&mut self, method: &'static str) -> Result<(), Unavailable> {
        match (&self.state, method) {
            (State::Uninitialized, methods::INITIALIZE) => {
                self.state = State::Initializing;
                Ok(())
            }
            (State::Uninitialized, methods::SERVER_DISCOVER | methods::PING)
            | (State::Initializing | State::Initialized(_), methods::PING) => Ok(()),
            (State::Operating(negotiated), _) if method != methods::INITIALIZE => {
                negotiated.allows(method)
            }
            _ => Err(Unavailable::State {
                method,
                state: self.state(),
            }),
        }
    }

    /// The server refused `initialize`; another one, or `server/discover`, may be sent.
    pub(crate) fn refused(&mut self) {
        if matches!(self.state, State::Initializing) {
            self.state = State::Uninitialized;
        }
    }

    /// The server answered `initialize`, and what it offers is acceptable. Out of place, nothing
    /// happens; otherwise `notifications/initialized` is due.
    pub(crate) fn initialized(&mut self, negotiated: Arc<Negotiated<ServerCapabilities>>) -> bool {
        let due = matches!(self.state, State::Initializing);
        if due {
            self.state = State::Initialized(negotiated);
        }
        due
    }

    /// `notifications/initialized` was sent.
    pub(crate) fn operate(&mut self) {
        if let State::Initialized(negotiated) = &self.state {
            self.state = State::Operating(Arc::clone(negotiated));
        }
    }

    /// The server answered `server/discover`, and what it offers is acceptable.
    pub(crate) fn discovered(&mut self, negotiated: Arc<Negotiated<ServerCapabilities>>) -> bool {
        let due = matches!(self.state, State::Uninitialized | State::Initializing);
        if due {
            self.state = State::Operating(negotiated);
        }
        due
    }

    /// A stateless server has said anew what it offers. Without a connection to it, nothing happens.
    pub(crate) fn discovered_again(&mut self, found: DiscoverResult) {
        if let State::Operating(negotiated) = &mut self.state {
            *negotiated = Arc::new(Negotiated {
                revision: negotiated.revision,
                peer_info: found.meta.and_then(|meta| meta.server_info),
                peer_capabilities: found.capabilities,
                instructions: found.instructions,
            });
        }
    }

    /// Whether requests of the server are answered: a stateless one must not send any, and its
    /// client must not respond (2026-07-28, "stdio", section Sending Messages).
    pub(crate) fn answers(&self) -> bool {
        let negotiated = self.negotiated();
        negotiated.is_none_or(|negotiated| negotiated.revision.era() == Era::Handshake)
    }

    /// Decides about a request of the server.
    ///
    /// # Errors
    ///
    /// The refusal to answer with; the connection goes on.
    pub(crate) fn request(&self, method: &str) -> Result<(), RequestError> {
        match &self.state {
            State::Uninitialized | State::Initializing if method == methods::PING => Ok(()),
            State::Uninitialized | State::Initializing => Err(RequestError::NotInitialized),
            State::Initialized(negotiated) | State::Operating(negotiated) => {
                let info = known::request(method, Side::Server)?;
                known::in_revision(info, Side::Server, negotiated.revision)
            }
            State::ShuttingDown | State::Terminated => Err(RequestError::Ending(self.state())),
        }
    }

    /// Whether a notification of the server is taken note of, or ignored as out of place.
    pub(crate) fn notification(&self, method: &str) -> bool {
        match &self.state {
            State::Initializing => method == methods::NOTIFICATIONS_MESSAGE,
            State::Initialized(negotiated) | State::Operating(negotiated) => {
                negotiated.revision.allows(method, Side::Server)
            }
            State::Uninitialized | State::ShuttingDown | State::Terminated => false,
        }
    }

    /// Whether the revision that is spoken has batches.
    pub(crate) fn accepts_batches(&self) -> Result<(), RequestError> {
        check_batches(self.negotiated().map(|it| it.revision), self.state())
    }

    /// Nothing is sent or served from here on.
    pub(crate) fn shut_down(&mut self) {
        if !matches!(self.state, State::Terminated) {
            self.state = State::ShuttingDown;
        }
    }

    /// The connection is over.
    pub(crate) fn terminate(&mut self) {
        self.state = State::Terminated;
    }
}

#[cfg(test)]
mod tests {
    //! The table of `docs/lifecycle.md`, state by state and event by event.

    use mcp_types::{Revision, ServerCapabilitiesTools};

    use super::*;
    use crate::protocol::state::documented::assert_documented;

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
            let expected =
                [LifecycleState::Initialized, LifecycleState::Operating].contains(&state);
            assert_eq!(known, expected, "{state}");
        }
    }
}
