//! The lifecycle of a connection on the server's side.

use std::sync::Arc;

use mcp_types::{
    ClientCapabilities, DiscoverRequest, Era, InitializeRequest, MethodInfo, PingRequest,
    Request as _, Revision, Revisions, Side,
};

use super::LifecycleState::{
    Initialized, Initializing, Operating, ShuttingDown, Terminated, Uninitialized,
};
use super::capabilities::{check_revision, method_info};
use super::{LastNegotiated, Lifecycle, Negotiated, OwnMethod, RequestParams, Requirement};
use crate::error::RequestError;

/// The revision that a transport sends in addition to a message, such as the HTTP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedRevision {
    /// There is no revision, as on streams, and over HTTP before 2025-06-18.
    Absent,
    Known(Revision),
    Unknown,
}

impl NamedRevision {
    /// Returns the era of a message whose content does not determine the era.
    pub(crate) fn era(self) -> Era {
        match self {
            Self::Known(revision) => revision.era(),
            Self::Absent | Self::Unknown => Era::Handshake,
        }
    }
}

/// Returns the era of a request. This is the only place that decides it.
///
/// A request is stateless if its method exists only in the stateless era, or the transport names a
/// stateless revision. A request other than `initialize` is also stateless if `_meta` has a version
/// or capabilities, or the transport names an unknown revision. `params` are absent if they can't
/// be read; such a request is refused in both eras.
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

#[derive(Clone, Debug)]
pub(crate) struct ServerRules {
    pub(crate) supported: Revisions,
    pub(crate) requirement: Requirement,
    pub(crate) own_methods: Arc<[OwnMethod]>,
    /// True for proxies: the server behind them knows which methods exist.
    pub(crate) passes_unknown: bool,
}

impl ServerRules {
    /// Decides whether to serve a stateless request. `last` caches the outcome of the client's
    /// previous request.
    ///
    /// # Errors
    ///
    /// The error that answers the request.
    pub(crate) fn admit_stateless<'a>(
        &self,
        method: &str,
        params: RequestParams<'a>,
        last: &mut LastNegotiated,
    ) -> Result<Admission<'a>, RequestError> {
        self.serve_stateless(method, self.known(method)?, params, last)
    }

    fn serve_stateless<'a>(
        &self,
        method: &str,
        known: Option<&'static MethodInfo>,
        params: RequestParams<'a>,
        last: &mut LastNegotiated,
    ) -> Result<Admission<'a>, RequestError> {
        let negotiated = last.stateless(&params.meta, self.supported)?;
        self.check_method(method, known, negotiated.revision)?;
        // Discovery is exempt, because it tells clients which capabilities are required.
        if method != DiscoverRequest::METHOD {
            self.requirement.check(&negotiated)?;
        }
        Ok(Admission::Serve(negotiated, params))
    }

    /// Returns the table entry of a request, or `None` for a request of an extension.
    ///
    /// # Errors
    ///
    /// When neither the protocol nor an extension has such a request.
    fn known(&self, method: &str) -> Result<Option<&'static MethodInfo>, RequestError> {
        let info = method_info(method, Side::Client);
        let is_own = || OwnMethod::find(&self.own_methods, method).is_some();
        if info.is_some() || self.passes_unknown || is_own() {
            Ok(info)
        } else {
            Err(RequestError::UnknownMethod(method.to_owned()))
        }
    }

    /// Checks that the protocol or an extension has the request in `revision`. `known` is its table
    /// entry.
    fn check_method(
        &self,
        method: &str,
        known: Option<&'static MethodInfo>,
        revision: Revision,
    ) -> Result<(), RequestError> {
        if self.passes_unknown {
            return Ok(());
        }
        let checked = match known {
            Some(info) => check_revision(info, Side::Client, revision),
            None => Err(RequestError::UnknownMethod(method.to_owned())),
        };
        checked.or_else(|error| {
            let own = OwnMethod::find(&self.own_methods, method);
            own.filter(|own| own.revisions.contains(&revision))
                .map_or(Err(error), |_| Ok(()))
        })
    }
}

/// The lifecycle of a connection on the server's side. It decides how to treat each message.
///
/// `docs/lifecycle.md` shows the effect of each event in each state.
#[derive(Debug)]
pub(crate) struct ServerLifecycle {
    pub(crate) connection: Lifecycle,
    rules: ServerRules,
    stateless_seen: bool,
    last: LastNegotiated,
}

#[expect(
    clippy::large_enum_variant,
    reason = "it is matched where it is returned, and a box would allocate for each request"
)]
#[derive(Debug)]
pub(crate) enum Admission<'a> {
    /// Answer the handshake with this outcome.
    Initialize(Arc<Negotiated>),
    /// Serve the request under this outcome.
    Serve(Arc<Negotiated>, RequestParams<'a>),
    /// Answer a `ping` that arrived before any negotiation.
    Ping,
}

impl ServerLifecycle {
    pub(crate) fn new(rules: ServerRules) -> Self {
        Self {
            connection: Lifecycle::new(),
            rules,
            stateless_seen: false,
            last: LastNegotiated::default(),
        }
    }

    /// Creates a lifecycle that is already operating, for a client whose handshake is not known. If
    /// the client names no revision, 2025-03-26 is assumed (2025-11-25, "Transports", section
    /// "Protocol Version Header").
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
        let mut lifecycle = Self::new(rules);
        lifecycle.connection.state = Operating;
        lifecycle.connection.negotiated = Some(Arc::new(negotiated));
        lifecycle
    }

    /// Decides whether to serve a request. The parameters are read only if the method is known.
    ///
    /// # Errors
    ///
    /// The error that answers the request. The connection continues.
    pub(crate) fn request<'a>(
        &mut self,
        method: &str,
        read: impl FnOnce() -> Result<RequestParams<'a>, RequestError>,
    ) -> Result<Admission<'a>, RequestError> {
        let known = self.rules.known(method)?;
        let params = read()?;
        let era = era_of_request(method, known, Some(&params), NamedRevision::Absent);
        let connection = &mut self.connection;
        match (connection.state, method, &connection.negotiated) {
            (ShuttingDown | Terminated, ..) => Err(RequestError::Ending(connection.state)),
            _ if era == Era::Stateless => {
                self.stateless_seen = true;
                self.rules
                    .serve_stateless(method, known, params, &mut self.last)
            }
            // The server behind a proxy may refuse `initialize`, and the client may try again.
            (state @ (Uninitialized | Initializing), InitializeRequest::METHOD, _)
                if state == Uninitialized || self.rules.passes_unknown =>
            {
                let negotiated = Negotiated::handshake(&params, self.rules.supported)?;
                self.rules.requirement.check(&negotiated)?;
                let negotiated = Arc::new(negotiated);
                connection.state = Initializing;
                connection.negotiated = Some(Arc::clone(&negotiated));
                Ok(Admission::Initialize(negotiated))
            }
            (state, InitializeRequest::METHOD, _) => Err(RequestError::AlreadyInitialized(state)),
            (Uninitialized | Initializing, PingRequest::METHOD, _) => Ok(Admission::Ping),
            (Initializing, ..) => Err(RequestError::InitializedMissing),
            (_, _, None) => Err(RequestError::NotInitialized),
            (_, _, Some(negotiated)) => {
                self.rules
                    .check_method(method, known, negotiated.revision)?;
                Ok(Admission::Serve(Arc::clone(negotiated), params))
            }
        }
    }

    /// Returns true if errors about messages without a readable id have the id `null`. Stateless
    /// revisions leave the id out.
    pub(crate) fn sends_null_ids(&self) -> bool {
        !self.stateless_seen || self.connection.negotiated.is_some()
    }

    /// Records that the client has sent `notifications/initialized`. Returns false if the
    /// notification was unexpected; it is then ignored.
    pub(crate) fn initialized(&mut self) -> bool {
        self.connection.step(&[Initializing], Initialized)
    }
}

#[cfg(test)]
mod tests {
    //! Checks the table of `docs/lifecycle.md`, for each state and event.

    use mcp_types::RawJsonRef;

    use super::super::LifecycleState;
    use super::*;
    use crate::protocol::lifecycle::documented::assert_documented;

    impl Default for ServerRules {
        fn default() -> Self {
            Self {
                supported: Revisions::ALL,
                requirement: Requirement::default(),
                own_methods: Arc::default(),
                passes_unknown: false,
            }
        }
    }

    /// The states in order, each with the events that lead to it from a new connection.
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
        ("shutdown is requested", Event::ShutDown),
        ("the connection ends", Event::Terminate),
    ];

    fn at(state: LifecycleState) -> ServerLifecycle {
        let mut lifecycle = ServerLifecycle::new(ServerRules::default());
        for (_, path) in STATES.iter().filter(|(reached, _)| *reached == state) {
            for event in *path {
                happen(&mut lifecycle, *event);
            }
        }
        assert_eq!(lifecycle.connection.state, state);
        lifecycle
    }

    /// Applies an event, and describes the answer. The string is empty if the event has no answer.
    fn happen(lifecycle: &mut ServerLifecycle, event: Event) -> String {
        let request = |lifecycle: &mut ServerLifecycle, method, params: &str| {
            let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
            match lifecycle.request(method, || RequestParams::read(Some(params))) {
                Ok(Admission::Initialize(_) | Admission::Ping) => "answered".to_owned(),
                Ok(Admission::Serve(..)) => "served".to_owned(),
                Err(error) => format!("refused ({})", error.to_error().code),
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
                lifecycle.connection.operate();
                String::new()
            }
            Event::ShutDown => {
                lifecycle.connection.shut_down();
                String::new()
            }
            Event::Terminate => {
                lifecycle.connection.terminate();
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
            (answer, lifecycle.connection.state)
        });
    }
}
