//! The server's side of a connection.

use std::sync::Arc;

use mcp_types::{
    Era, InitializeRequest, PingRequest, RawJsonRef, Request as _, RequestMetaRef, Revisions,
};

use super::known::{Known, OwnMethods};
use super::requirement::Requirement;
use super::server_terms::{LastTerms, check_progress_token};
use super::{LifecycleState, Refusal, Terms, decode_params, request_meta};

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
    last: LastTerms,
    own: OwnMethods,
}

#[derive(Debug)]
pub(super) enum State {
    Uninitialized,
    Initializing(Arc<Terms>),
    Initialized(Arc<Terms>),
    Operating(Arc<Terms>),
    ShuttingDown,
    Terminated,
}

/// What is to be done with a request.
#[derive(Debug)]
pub(crate) enum Admission {
    /// Answer the handshake with these terms.
    Initialize(Arc<Terms>),
    /// Serve it under these terms.
    Serve(Arc<Terms>),
    /// Answer a `ping` that came before any terms.
    Ping,
}

impl ServerLifecycle {
    pub(crate) fn new(supported: Revisions) -> Self {
        Self {
            state: State::Uninitialized,
            supported,
            stateless_seen: false,
            last: LastTerms::default(),
            own: OwnMethods::default(),
        }
    }

    /// Demands capabilities of the client.
    pub(crate) fn requiring(mut self, requirement: Requirement) -> Self {
        self.last = LastTerms::new(requirement);
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

    /// The terms of the handshake, once there was one.
    pub(crate) fn terms(&self) -> Option<&Arc<Terms>> {
        match &self.state {
            State::Initializing(terms) | State::Initialized(terms) | State::Operating(terms) => {
                Some(terms)
            }
            State::Uninitialized | State::ShuttingDown | State::Terminated => None,
        }
    }

    /// Decides about a request.
    ///
    /// # Errors
    ///
    /// The refusal to answer with; the connection goes on.
    pub(crate) fn request(
        &mut self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Result<Admission, Refusal> {
        let known = self.own.known(method)?;
        let request = Request::classify(known, params)?;
        match (&self.state, request) {
            (State::ShuttingDown | State::Terminated, _) => Err(Refusal::Ending(self.state())),
            (_, Request::Stateless(meta)) => {
                self.stateless_seen = true;
                let terms = self.last.stateless(meta.as_ref(), self.supported)?;
                known.in_revision(terms.revision)?;
                if known.needs_capabilities() {
                    self.last.check(&terms)?;
                }
                Ok(Admission::Serve(terms))
            }
            (State::Uninitialized, Request::Initialize) => {
                let terms = Terms::handshake(decode_params(params)?, self.supported)?;
                let terms = Arc::new(terms);
                self.last.check(&terms)?;
                self.state = State::Initializing(Arc::clone(&terms));
                Ok(Admission::Initialize(terms))
            }
            (_, Request::Initialize) => Err(Refusal::AlreadyInitialized(self.state())),
            (State::Uninitialized | State::Initializing(_), Request::Ping) => Ok(Admission::Ping),
            (State::Uninitialized, Request::Other) => Err(Refusal::NotInitialized),
            (State::Initializing(_), Request::Other) => Err(Refusal::InitializedMissing),
            (State::Initialized(terms) | State::Operating(terms), _) => {
                known.in_revision(terms.revision)?;
                Ok(Admission::Serve(Arc::clone(terms)))
            }
        }
    }

    /// Whether the revision of the handshake has batches.
    pub(crate) fn accepts_batches(&self) -> Result<(), Refusal> {
        let reason = match self.terms() {
            Some(terms) if terms.revision.has_batches() => return Ok(()),
            Some(terms) => format!("revision {} has no batches", terms.revision),
            None => format!(
                "a batch needs a handshake that settles on a revision with batches, \
                             and the connection is {}",
                self.state()
            ),
        };
        Err(Refusal::Batch(reason))
    }

    /// Whether an error about a message without a readable id says `null`; stateless revisions
    /// leave the id out.
    pub(crate) fn sends_null_ids(&self) -> bool {
        !self.stateless_seen || self.terms().is_some()
    }

    /// The client says that it is initialized. Out of place, the notification is ignored.
    pub(crate) fn initialized(&mut self) -> bool {
        let State::Initializing(terms) = &self.state else {
            return false;
        };
        self.state = State::Initialized(Arc::clone(terms));
        true
    }

    /// What had to be done after the handshake is done.
    pub(crate) fn operate(&mut self) {
        if let State::Initialized(terms) = &self.state {
            self.state = State::Operating(Arc::clone(terms));
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
enum Request<'a> {
    Initialize,
    Ping,
    Stateless(Option<RequestMetaRef<'a>>),
    Other,
}

impl<'a> Request<'a> {
    /// A request is stateless when its `_meta` says a version or capabilities, or when its method
    /// exists in no other era.
    fn classify(known: Known, params: Option<RawJsonRef<'a>>) -> Result<Self, Refusal> {
        if known.name() == Some(InitializeRequest::METHOD) {
            return Ok(Self::Initialize);
        }
        let meta = request_meta(params)?;
        check_progress_token(meta.as_ref())?;
        let says_terms = meta.as_ref().is_some_and(|meta| {
            meta.protocol_version.is_some() || meta.client_capabilities.is_some()
        });
        Ok(match known.name() {
            _ if says_terms || known.only_in(Era::Stateless) => Self::Stateless(meta),
            Some(PingRequest::METHOD) => Self::Ping,
            _ => Self::Other,
        })
    }
}
