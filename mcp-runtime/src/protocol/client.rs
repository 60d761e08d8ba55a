//! The client's side of a connection.

use std::sync::Arc;

use mcp_types::{Era, Side, methods};

use super::methods as known;
use super::{Agreement, LifecycleState, Refusal, Unavailable};

/// A connection as its client sees it: what may be sent, and what may come in.
///
/// | state | sends | receives |
/// |---|---|---|
/// | uninitialized | `server/discover`, `ping`, `initialize` → initializing | `ping` |
/// | initializing | `ping` | `ping`, log messages |
/// | initialized | `ping` | everything agreed on |
/// | operating | everything agreed on | everything agreed on |
/// | shutting down, terminated | nothing | nothing |
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
    Initialized(Arc<Agreement>),
    Operating(Arc<Agreement>),
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
    pub(crate) fn agreement(&self) -> Option<&Arc<Agreement>> {
        match &self.state {
            State::Initialized(agreement) | State::Operating(agreement) => Some(agreement),
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
            (State::Operating(agreement), _) if method != methods::INITIALIZE => {
                agreement.allows(method)
            }
            _ => Err(Unavailable::State {
                method,
                state: self.state(),
            }),
        }
    }

    /// The server answered `initialize`, and its terms are acceptable. Out of place, nothing
    /// happens; otherwise `notifications/initialized` is due.
    pub(crate) fn initialized(&mut self, agreement: Arc<Agreement>) -> bool {
        let due = matches!(self.state, State::Initializing);
        if due {
            self.state = State::Initialized(agreement);
        }
        due
    }

    /// `notifications/initialized` was sent.
    pub(crate) fn operate(&mut self) {
        if let State::Initialized(agreement) = &self.state {
            self.state = State::Operating(Arc::clone(agreement));
        }
    }

    /// The server answered `server/discover`, and its terms are acceptable.
    pub(crate) fn discovered(&mut self, agreement: Arc<Agreement>) -> bool {
        let due = matches!(self.state, State::Uninitialized | State::Initializing);
        if due {
            self.state = State::Operating(agreement);
        }
        due
    }

    /// Whether requests of the server are answered: a stateless one must not send any, and its
    /// client must not respond (2026-07-28, "stdio", section Sending Messages).
    pub(crate) fn answers(&self) -> bool {
        let agreement = self.agreement();
        agreement.is_none_or(|agreement| agreement.revision.era() == Era::Handshake)
    }

    /// Decides about a request of the server.
    ///
    /// # Errors
    ///
    /// The refusal to answer with; the connection goes on.
    pub(crate) fn request(&self, method: &str) -> Result<(), Refusal> {
        match &self.state {
            State::Uninitialized | State::Initializing if method == methods::PING => Ok(()),
            State::Uninitialized | State::Initializing => Err(Refusal::NotInitialized),
            State::Initialized(agreement) | State::Operating(agreement) => {
                let info = known::request(method, Side::Server)?;
                known::in_revision(info, Side::Server, agreement.revision)
            }
            State::ShuttingDown | State::Terminated => Err(Refusal::Ending(self.state())),
        }
    }

    /// Whether a notification of the server is taken note of, or ignored as out of place.
    pub(crate) fn notification(&self, method: &str) -> bool {
        match &self.state {
            State::Initializing => method == methods::NOTIFICATIONS_MESSAGE,
            State::Initialized(agreement) | State::Operating(agreement) => {
                agreement.revision.allows(method, Side::Server)
            }
            State::Uninitialized | State::ShuttingDown | State::Terminated => false,
        }
    }

    /// Whether the revision that is spoken has batches.
    pub(crate) fn accepts_batches(&self) -> Result<(), Refusal> {
        match self.agreement() {
            Some(agreement) if agreement.revision.has_batches() => Ok(()),
            Some(agreement) => Err(Refusal::Batch(format!(
                "revision {} has no batches",
                agreement.revision
            ))),
            None => Err(Refusal::Batch("nothing was agreed on yet".to_owned())),
        }
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
    use mcp_types::{Revision, ServerCapabilities};

    use super::*;
    use LifecycleState::{
        Initialized, Initializing, Operating, ShuttingDown, Terminated, Uninitialized,
    };

    const STATES: [LifecycleState; 6] = [
        Uninitialized,
        Initializing,
        Initialized,
        Operating,
        ShuttingDown,
        Terminated,
    ];

    fn agreement() -> Arc<Agreement> {
        Arc::new(Agreement {
            revision: Revision::LATEST_HANDSHAKE,
            server_info: None,
            server_capabilities: ServerCapabilities::new(),
            instructions: None,
        })
    }

    /// A lifecycle that is in `state`.
    fn at(state: LifecycleState) -> ClientLifecycle {
        let mut lifecycle = ClientLifecycle::new();
        let steps: [&dyn Fn(&mut ClientLifecycle); 5] = [
            &|lifecycle| lifecycle.send(methods::INITIALIZE).unwrap(),
            &|lifecycle| assert!(lifecycle.initialized(agreement())),
            &ClientLifecycle::operate,
            &ClientLifecycle::shut_down,
            &ClientLifecycle::terminate,
        ];
        for step in steps {
            if lifecycle.state() == state {
                break;
            }
            step(&mut lifecycle);
        }
        assert_eq!(lifecycle.state(), state);
        lifecycle
    }

    /// One event: what it is called, and what happens.
    type Event = (&'static str, fn(&mut ClientLifecycle) -> bool);

    const EVENTS: [Event; 14] = [
        ("send initialize", |it| it.send(methods::INITIALIZE).is_ok()),
        ("send discover", |it| {
            it.send(methods::SERVER_DISCOVER).is_ok()
        }),
        ("send ping", |it| it.send(methods::PING).is_ok()),
        ("send unheard-of", |it| it.send("unheard-of").is_ok()),
        ("send tools/list", |it| it.send(methods::TOOLS_LIST).is_ok()),
        ("initialized", |it| it.initialized(agreement())),
        ("operate", |it| {
            it.operate();
            true
        }),
        ("discovered", |it| it.discovered(agreement())),
        ("get ping", |it| it.request(methods::PING).is_ok()),
        ("get roots/list", |it| {
            it.request(methods::ROOTS_LIST).is_ok()
        }),
        ("get log", |it| {
            it.notification(methods::NOTIFICATIONS_MESSAGE)
        }),
        ("get change", |it| {
            it.notification(methods::NOTIFICATIONS_TOOLS_LIST_CHANGED)
        }),
        ("shut down", |it| {
            it.shut_down();
            true
        }),
        ("terminate", |it| {
            it.terminate();
            true
        }),
    ];

    /// For each event, what comes of it in each state: `!` refused or ignored, `.` allowed
    /// without a move, a letter for the state it leads to.
    const TABLE: [(&str, &str); 14] = [
        //                   U I i O S T
        ("send initialize", "I!!!!!"),
        ("send discover", ".!!!!!"),
        ("send ping", "....!!"),
        ("send unheard-of", "!!!!!!"),
        ("send tools/list", "!!!!!!"),
        ("initialized", "!i!!!!"),
        ("operate", "..O..."),
        ("discovered", "OO!!!!"),
        ("get ping", "....!!"),
        ("get roots/list", "!!..!!"),
        ("get log", "!...!!"),
        ("get change", "!!..!!"),
        ("shut down", "SSSS.."),
        ("terminate", "TTTTT."),
    ];

    fn letter(state: LifecycleState) -> char {
        match state {
            Uninitialized => 'U',
            Initializing => 'I',
            Initialized => 'i',
            Operating => 'O',
            ShuttingDown => 'S',
            Terminated => 'T',
        }
    }

    #[test]
    fn every_event_in_every_state() {
        for ((name, event), (expected_name, expected)) in EVENTS.iter().zip(TABLE) {
            assert_eq!(*name, expected_name);
            let row = STATES.map(|state| {
                let mut lifecycle = at(state);
                let allowed = event(&mut lifecycle);
                match (allowed, lifecycle.state()) {
                    (true, after) if after == state => '.',
                    (true, after) => letter(after),
                    (false, after) => {
                        assert_eq!(after, state, "a refusal moves nothing");
                        '!'
                    }
                }
            });
            assert_eq!(row.iter().collect::<String>(), expected, "{name}");
        }
    }

    #[test]
    fn what_was_agreed_on_is_known_until_the_end() {
        for state in STATES {
            let known = at(state).agreement().is_some();
            assert_eq!(known, matches!(state, Initialized | Operating), "{state}");
        }
    }
}
