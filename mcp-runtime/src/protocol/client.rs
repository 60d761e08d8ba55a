//! The lifecycle of a connection on the client's side.

use std::sync::Arc;

use mcp_types::{Era, Revision, ServerCapabilities, Side, methods};

use super::LifecycleState::{
    Initialized, Initializing, Operating, ShuttingDown, Terminated, Uninitialized,
};
use super::capabilities::{check_revision, method_info};
use super::{Lifecycle, Negotiated};
use crate::error::{RequestError, Unavailable};

/// The lifecycle of a connection on the client's side. It decides which messages may be sent and
/// received.
///
/// `docs/lifecycle.md` shows the effect of each event in each state.
///
/// A handshake passes through all states. An answer to `server/discover` leads directly from
/// uninitialized to operating, or from initializing if the answer is late.
pub(crate) type ClientLifecycle = Lifecycle<ServerCapabilities>;

impl ClientLifecycle {
    /// Records that a request is about to be sent.
    ///
    /// # Errors
    ///
    /// The reason why the request must not be sent.
    pub(crate) fn send(&mut self, method: &'static str) -> Result<(), Unavailable> {
        match (self.state, method) {
            (Uninitialized, methods::INITIALIZE) => {
                self.state = Initializing;
                Ok(())
            }
            (Uninitialized, methods::SERVER_DISCOVER | methods::PING)
            | (Initializing | Initialized, methods::PING) => Ok(()),
            (Operating, _)
                if method != methods::INITIALIZE
                    && let Some(negotiated) = &self.negotiated =>
            {
                negotiated.allows(method)
            }
            (state, _) => Err(Unavailable::State { method, state }),
        }
    }

    /// Checks that a request of an extension may be sent, and returns the outcome of the
    /// negotiation.
    ///
    /// # Errors
    ///
    /// The reason why the request must not be sent.
    pub(crate) fn send_of_extension(
        &self,
        method: &'static str,
        extension: &'static str,
    ) -> Result<&Negotiated<ServerCapabilities>, Unavailable> {
        let capability = extension;
        match (self.state, &self.negotiated) {
            (Operating, Some(negotiated)) => {
                if negotiated.offers_extension(extension) {
                    Ok(negotiated)
                } else {
                    Err(Unavailable::NotOffered { method, capability })
                }
            }
            (state, _) => Err(Unavailable::State { method, state }),
        }
    }

    /// Records that the server refused `initialize`. The client may send it again, or send
    /// `server/discover`.
    pub(crate) fn refused(&mut self) {
        self.step(&[Initializing], Uninitialized);
    }

    /// Records that the server answered `initialize` with an acceptable offer. Returns true if the
    /// client must now send `notifications/initialized`, and false if the answer was unexpected.
    pub(crate) fn initialized(&mut self, negotiated: Arc<Negotiated<ServerCapabilities>>) -> bool {
        let due = self.step(&[Initializing], Initialized);
        if due {
            self.negotiated = Some(negotiated);
        }
        due
    }

    /// Records that the server answered `server/discover` with an acceptable offer. Returns false
    /// if the answer was unexpected.
    pub(crate) fn discovered(&mut self, negotiated: Arc<Negotiated<ServerCapabilities>>) -> bool {
        let due = self.step(&[Uninitialized, Initializing], Operating);
        if due {
            self.negotiated = Some(negotiated);
        }
        due
    }

    /// Returns true if the client answers requests of the server. Stateless servers must not send
    /// requests, and clients must not answer them (2026-07-28, "stdio", section Sending Messages).
    pub(crate) fn answers(&self) -> bool {
        let negotiated = self.negotiated.as_ref();
        negotiated.is_none_or(|negotiated| negotiated.revision.era() == Era::Handshake)
    }

    /// Decides whether to serve a request of the server.
    ///
    /// # Errors
    ///
    /// The error that answers the request. The connection continues.
    pub(crate) fn request(&self, method: &str) -> Result<(), RequestError> {
        match (self.state, &self.negotiated) {
            (ShuttingDown | Terminated, _) => Err(RequestError::Ending(self.state)),
            (_, Some(negotiated)) => {
                let info = method_info(method, Side::Server)
                    .ok_or_else(|| RequestError::UnknownMethod(method.to_owned()))?;
                check_revision(info, Side::Server, negotiated.revision)
            }
            (_, None) if method == methods::PING => Ok(()),
            (_, None) => Err(RequestError::NotInitialized),
        }
    }

    /// Returns true if a notification of the server is passed on, and false if it is unexpected.
    /// Notifications that no revision defines are passed on, because they may belong to an
    /// extension.
    pub(crate) fn notification(&self, method: &str) -> bool {
        match &self.negotiated {
            Some(_) if Revision::method(method).is_none() => true,
            Some(negotiated) => negotiated.revision.allows(method, Side::Server),
            None => self.state == Initializing && method == methods::NOTIFICATIONS_MESSAGE,
        }
    }
}

#[cfg(test)]
mod tests {
    //! Checks the table of `docs/lifecycle.md`, for each state and event.

    use mcp_types::ServerCapabilitiesTools;

    use super::super::LifecycleState;
    use super::*;
    use crate::protocol::lifecycle::documented::assert_documented;

    /// The states in the order of a handshake, each with the event that leads to the next state.
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
            "`initialize` should be sent",
            Event::Send(methods::INITIALIZE),
        ),
        (
            "`server/discover` should be sent",
            Event::Send(methods::SERVER_DISCOVER),
        ),
        ("`ping` should be sent", Event::Send(methods::PING)),
        (
            "a request that is offered should be sent",
            Event::Send(methods::TOOLS_LIST),
        ),
        (
            "a request that is not offered should be sent",
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
        ("shutdown is requested", Event::ShutDown),
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

    fn at(state: LifecycleState) -> ClientLifecycle {
        let mut lifecycle = ClientLifecycle::new();
        for (reached, next) in STATES {
            assert_eq!(lifecycle.state, reached);
            if reached == state {
                break;
            }
            happen(&mut lifecycle, next);
        }
        lifecycle
    }

    /// Applies an event, and describes the decision. The string is empty if there is nothing to
    /// decide.
    fn happen(lifecycle: &mut ClientLifecycle, event: Event) -> String {
        let word = match event {
            Event::Send(method) => match lifecycle.send(method) {
                Ok(()) => "sent",
                Err(_) => "not sent",
            },
            Event::Request(method) => match lifecycle.request(method) {
                Ok(()) => "served",
                Err(error) => return format!("refused ({})", error.to_error().code),
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
            (decision, lifecycle.state)
        });
    }

    #[test]
    fn what_was_agreed_on_is_known_until_the_end() {
        for (state, _) in STATES {
            let known = at(state).negotiated.is_some();
            let expected =
                [LifecycleState::Initialized, LifecycleState::Operating].contains(&state);
            assert_eq!(known, expected, "{state}");
        }
    }
}
