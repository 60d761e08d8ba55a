//! The server's side of a connection.

use std::sync::Arc;

use mcp_types::{
    ClientCapabilities, Era, InitializeRequest, MethodInfo, PingRequest, Request as _, Revision,
    Revisions,
};

use super::capabilities::Requirement;
use super::methods::{KnownMethod, OwnMethods};
use super::negotiation::LastNegotiated;
use super::state::check_batches;
use super::{LifecycleState, Negotiated, RequestParams};
use crate::error::RequestError;

/// The revision that a transport names beside a message, as HTTP does in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedRevision {
    /// None is named: on a stream, and over HTTP before 2025-06-18.
    Absent,
    Known(Revision),
    Unknown,
}

impl NamedRevision {
    /// The era of a message that does not tell by itself.
    pub(crate) fn era(self) -> Era {
        match self {
            Self::Known(revision) => revision.era(),
            Self::Absent | Self::Unknown => Era::Handshake,
        }
    }
}

/// The era of a request: the one place that decides it.
///
/// A method that exists in no other era makes a request stateless, and so does a stateless revision
/// that the transport names. Except for `initialize`, so do a version or capabilities in `_meta`, and
/// a named revision that is unknown. `params` are absent where they can't be read, which either era
/// refuses.
pub(crate) fn era_of_request(
    method: &str,
    info: Option<&MethodInfo>,
    params: Option<&RequestParams<'_>>,
    named: NamedRevision,
) -> Era {
    let is_stateless = |revision: Revision| revision.era() == Era::Stateless;
    let only_stateless = info.is_some_and(|info| info.by_client.iter().all(is_stateless));
    let tells = params.is_some_and(RequestParams::is_stateless) || named == NamedRevision::Unknown;
    if only_stateless || tells && method != InitializeRequest::METHOD {
        return Era::Stateless;
    }
    named.era()
}

/// Rules of a server for all its clients.
#[derive(Clone, Debug)]
pub(crate) struct ServerRules {
    pub(crate) supported: Revisions,
    /// Capabilities that each client must declare.
    pub(crate) requirement: Requirement,
    /// Methods of extensions.
    pub(crate) own_methods: OwnMethods,
}

impl ServerRules {
    /// Decides about a stateless request. `last` is the outcome of the client's request before.
    ///
    /// # Errors
    ///
    /// The error to answer with.
    pub(crate) fn admit_stateless<'a>(
        &self,
        method: &str,
        params: RequestParams<'a>,
        last: &mut LastNegotiated,
    ) -> Result<Admission<'a>, RequestError> {
        self.serve_stateless(self.own_methods.known(method)?, params, last)
    }

    fn serve_stateless<'a>(
        &self,
        known: KnownMethod,
        params: RequestParams<'a>,
        last: &mut LastNegotiated,
    ) -> Result<Admission<'a>, RequestError> {
        let negotiated = last.stateless(params.meta(), self.supported)?;
        known.in_revision(negotiated.revision)?;
        if known.needs_capabilities() {
            self.requirement.check(&negotiated)?;
        }
        Ok(Admission::Serve(negotiated, params))
    }
}

/// Lifecycle of a connection on the server's side: messages go in, decisions come out.
///
/// | state | `initialize` | `ping` | other requests | stateless requests |
/// |---|---|---|---|---|
/// | uninitialized | answered, → initializing | answered | refused | served |
/// | initializing | refused | answered | refused | served |
/// | initialized, operating | refused | answered | served | served |
/// | shutting down, terminated | refused | refused | refused | refused |
#[derive(Debug)]
pub(crate) struct ServerLifecycle {
    state: State,
    rules: ServerRules,
    stateless_seen: bool,
    last: LastNegotiated,
}

#[derive(Debug)]
enum State {
    Uninitialized,
    Initializing(Arc<Negotiated>),
    Initialized(Arc<Negotiated>),
    Operating(Arc<Negotiated>),
    ShuttingDown,
    Terminated,
}

/// The decision about a request.
#[expect(
    clippy::large_enum_variant,
    reason = "it is matched where it is returned; a box would be an allocation for each request"
)]
#[derive(Debug)]
pub(crate) enum Admission<'a> {
    /// Answer the handshake with this outcome.
    Initialize(Arc<Negotiated>),
    /// Serve it under this outcome.
    Serve(Arc<Negotiated>, RequestParams<'a>),
    /// Answer a `ping` that came before any negotiation.
    Ping,
}

impl ServerLifecycle {
    pub(crate) fn new(rules: ServerRules) -> Self {
        Self {
            state: State::Uninitialized,
            rules,
            stateless_seen: false,
            last: LastNegotiated::default(),
        }
    }

    /// A lifecycle in the middle, for a client whose handshake is not remembered. One that names no
    /// revision is taken to speak 2025-03-26 (2025-11-25, "Transports", section "Protocol Version
    /// Header").
    pub(crate) fn without_handshake(named: NamedRevision, rules: ServerRules) -> Self {
        let negotiated = Negotiated {
            revision: match named {
                NamedRevision::Known(revision) => revision,
                NamedRevision::Absent | NamedRevision::Unknown => Revision::V2025_03_26,
            },
            peer_info: None,
            peer_capabilities: ClientCapabilities::default(),
            instructions: None,
        };
        Self {
            state: State::Operating(Arc::new(negotiated)),
            ..Self::new(rules)
        }
    }

    pub(crate) fn state(&self) -> LifecycleState {
        match self.state {
            State::Uninitialized => LifecycleState::Uninitialized,
            State::Initializing(_) => LifecycleState::Initializing,
            State::Initialized(_) => LifecycleState::Initialized,
            State::Operating(_) => LifecycleState::Operating,
            State::ShuttingDown => LifecycleState::ShuttingDown,
            State::Terminated => LifecycleState::Terminated,
        }
    }

    /// The outcome of the handshake, once there was one.
    pub(crate) fn negotiated(&self) -> Option<&Arc<Negotiated>> {
        match &self.state {
            State::Initializing(negotiated)
            | State::Initialized(negotiated)
            | State::Operating(negotiated) => Some(negotiated),
            State::Uninitialized | State::ShuttingDown | State::Terminated => None,
        }
    }

    /// Decides about a request, whose parameters are read if its method is known.
    ///
    /// # Errors
    ///
    /// The error to answer with; the connection goes on.
    pub(crate) fn request<'a>(
        &mut self,
        method: &str,
        read: impl FnOnce() -> Result<RequestParams<'a>, RequestError>,
    ) -> Result<Admission<'a>, RequestError> {
        let known = self.rules.own_methods.known(method)?;
        let params = read()?;
        let era = era_of_request(method, known.info(), Some(&params), NamedRevision::Absent);
        match (&self.state, method) {
            (State::ShuttingDown | State::Terminated, _) => Err(RequestError::Ending(self.state())),
            _ if era == Era::Stateless => {
                self.stateless_seen = true;
                self.rules.serve_stateless(known, params, &mut self.last)
            }
            (State::Uninitialized, InitializeRequest::METHOD) => {
                let negotiated = Negotiated::handshake(params.decode()?, self.rules.supported)?;
                self.rules.requirement.check(&negotiated)?;
                let negotiated = Arc::new(negotiated);
                self.state = State::Initializing(Arc::clone(&negotiated));
                Ok(Admission::Initialize(negotiated))
            }
            (_, InitializeRequest::METHOD) => Err(RequestError::AlreadyInitialized(self.state())),
            (State::Uninitialized | State::Initializing(_), PingRequest::METHOD) => {
                Ok(Admission::Ping)
            }
            (State::Uninitialized, _) => Err(RequestError::NotInitialized),
            (State::Initializing(_), _) => Err(RequestError::InitializedMissing),
            (State::Initialized(negotiated) | State::Operating(negotiated), _) => {
                known.in_revision(negotiated.revision)?;
                Ok(Admission::Serve(Arc::clone(negotiated), params))
            }
        }
    }

    /// Checks that the revision of the handshake has batches.
    pub(crate) fn accepts_batches(&self) -> Result<(), RequestError> {
        check_batches(self.negotiated().map(|it| it.revision), self.state())
    }

    /// Whether an error about a message without a readable id says `null`; stateless revisions
    /// leave the id out.
    pub(crate) fn sends_null_ids(&self) -> bool {
        !self.stateless_seen || self.negotiated().is_some()
    }

    /// The client says that it is initialized. Out of place, the notification is ignored.
    pub(crate) fn initialized(&mut self) -> bool {
        let State::Initializing(negotiated) = &self.state else {
            return false;
        };
        self.state = State::Initialized(Arc::clone(negotiated));
        true
    }

    /// What had to be done after the handshake is done.
    pub(crate) fn operate(&mut self) {
        if let State::Initialized(negotiated) = &self.state {
            self.state = State::Operating(Arc::clone(negotiated));
        }
    }

    /// No new requests from here on.
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

    use mcp_types::RawJsonRef;

    use super::*;
    use crate::protocol::state::documented::assert_documented;

    impl Default for ServerRules {
        fn default() -> Self {
            Self {
                supported: Revisions::ALL,
                requirement: Requirement::default(),
                own_methods: OwnMethods::default(),
            }
        }
    }

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
        let mut lifecycle = ServerLifecycle::new(ServerRules::default());
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
            match lifecycle.request(method, || RequestParams::read(Some(params))) {
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
}
