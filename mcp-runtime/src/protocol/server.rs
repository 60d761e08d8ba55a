//! The server's side of a connection.

use std::sync::Arc;

use mcp_types::{Era, InitializeRequest, PingRequest, RawJsonRef, Request as _, Revisions};

use super::known::{Known, OwnMethods};
use super::negotiated_server::LastNegotiated;
use super::requirement::Requirement;
use super::state::check_batches;
use super::{LifecycleState, Negotiated, RequestParams};
use crate::error::RequestError;

/// A connection as its server sees it: messages go in, decisions come out.
///
/// | state | `initialize` | `ping` | other requests | stateless requests |
/// |---|---|---|---|---|
/// | uninitialized | answered, → initializing | answered | refused | served |
/// | initializing | refused | answered | refused | served |
/// | initialized, operating | refused | answered | served | served |
/// | shutting down, terminated | refused | refused | refused | refused |
#[derive(Debug)]
pub(crate) struct ServerLifecycle {
    pub(super) state: State,
    supported: Revisions,
    stateless_seen: bool,
    last: LastNegotiated,
    own: OwnMethods,
}

#[derive(Debug)]
pub(super) enum State {
    Uninitialized,
    Initializing(Arc<Negotiated>),
    Initialized(Arc<Negotiated>),
    Operating(Arc<Negotiated>),
    ShuttingDown,
    Terminated,
}

/// What is to be done with a request.
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
    pub(crate) fn new(supported: Revisions) -> Self {
        Self {
            state: State::Uninitialized,
            supported,
            stateless_seen: false,
            last: LastNegotiated::default(),
            own: OwnMethods::default(),
        }
    }

    /// Demands capabilities of the client.
    pub(crate) fn requiring(mut self, requirement: Requirement) -> Self {
        self.last = LastNegotiated::new(requirement);
        self
    }

    /// Knows the methods of extensions.
    pub(crate) fn knowing(mut self, own: OwnMethods) -> Self {
        self.own = own;
        self
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

    /// Decides about a request.
    ///
    /// # Errors
    ///
    /// The refusal to answer with; the connection goes on.
    pub(crate) fn request<'a>(
        &mut self,
        method: &str,
        params: Option<RawJsonRef<'a>>,
    ) -> Result<Admission<'a>, RequestError> {
        let known = self.own.known(method)?;
        let params = RequestParams::read(params)?;
        let request = Request::classify(known, &params);
        match (&self.state, request) {
            (State::ShuttingDown | State::Terminated, _) => Err(RequestError::Ending(self.state())),
            (_, Request::Stateless) => {
                self.stateless_seen = true;
                let negotiated = self.last.stateless(params.meta(), self.supported)?;
                known.in_revision(negotiated.revision)?;
                if known.needs_capabilities() {
                    self.last.check(&negotiated)?;
                }
                Ok(Admission::Serve(negotiated, params))
            }
            (State::Uninitialized, Request::Initialize) => {
                let negotiated = Negotiated::handshake(params.decode()?, self.supported)?;
                let negotiated = Arc::new(negotiated);
                self.last.check(&negotiated)?;
                self.state = State::Initializing(Arc::clone(&negotiated));
                Ok(Admission::Initialize(negotiated))
            }
            (_, Request::Initialize) => Err(RequestError::AlreadyInitialized(self.state())),
            (State::Uninitialized | State::Initializing(_), Request::Ping) => Ok(Admission::Ping),
            (State::Uninitialized, Request::Other) => Err(RequestError::NotInitialized),
            (State::Initializing(_), Request::Other) => Err(RequestError::InitializedMissing),
            (State::Initialized(negotiated) | State::Operating(negotiated), _) => {
                known.in_revision(negotiated.revision)?;
                Ok(Admission::Serve(Arc::clone(negotiated), params))
            }
        }
    }

    /// Whether the revision of the handshake has batches.
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

/// The kinds of request that the lifecycle tells apart.
enum Request {
    Initialize,
    Ping,
    Stateless,
    Other,
}

impl Request {
    /// A request is stateless when its `_meta` says a version or capabilities, or when its method
    /// exists in no other era.
    fn classify(known: Known, params: &RequestParams<'_>) -> Self {
        match known.name() {
            Some(InitializeRequest::METHOD) => Self::Initialize,
            _ if params.is_stateless() || known.only_in(Era::Stateless) => Self::Stateless,
            Some(PingRequest::METHOD) => Self::Ping,
            _ => Self::Other,
        }
    }
}
