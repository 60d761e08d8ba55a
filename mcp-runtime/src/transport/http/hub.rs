//! What all requests to one server share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mcp_types::{RequestMetaRef, Revision};
use tokio::sync::watch;

use super::mirror::ParamHeaders;
use super::options::HttpOptions;
use super::permits::Permits;
use super::session::{Session, SessionId, Sessions};
use crate::protocol::{LastTerms, Refusal, ServerLifecycle, Terms, admit_stateless};
use crate::server::{Conversation, Server};

/// What all requests to one server share.
pub(super) struct Hub {
    pub(super) server: Server,
    pub(super) options: HttpOptions,
    /// What the tools want repeated in headers, and the edit of the server that it was read after.
    annotated: Mutex<(u64, Arc<ParamHeaders>)>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) permits: Arc<Permits>,
    /// The same for subscriptions.
    pub(super) open: Arc<Permits>,
    /// All that stateless requests have in common is the end of the server.
    pub(super) stateless: Arc<Conversation>,
    /// Shared by all clients, most of which say the same each time.
    last_terms: Mutex<LastTerms>,
    /// Whether the server ends; received by whatever has to end with it.
    pub(super) ending: Arc<watch::Sender<bool>>,
}

impl Hub {
    pub(super) fn new(server: Server, options: HttpOptions) -> Self {
        Self {
            annotated: Mutex::new((server.edits(), read_headers(&server))),
            sessions: Arc::new(Sessions::new(
                options.max_sessions,
                options.session_idle,
                Arc::clone(&options.store),
            )),
            permits: Permits::new(options.max_in_flight, options.max_calls),
            open: Permits::new(options.max_subscriptions, options.max_subscriptions),
            stateless: server.conversation(),
            last_terms: Mutex::new(LastTerms::new(server.requirement())),
            server,
            options,
            ending: Arc::new(watch::Sender::new(false)),
        }
    }

    /// A session for one request of a client that has none, because the server keeps none.
    pub(super) fn passing_session(&self, revision: Option<Revision>) -> Arc<Session> {
        let lifecycle = ServerLifecycle::without_handshake(revision, self.server.revisions())
            .knowing(self.server.own_methods().clone());
        let (id, conversation) = (SessionId::new(0), self.server.conversation());
        let session = Session::new(id, None, lifecycle, conversation, None, false, now());
        Arc::new(session)
    }

    /// The terms that a stateless request brings.
    ///
    /// # Errors
    ///
    /// When they are incomplete, or do not have the method.
    pub(super) fn stateless_terms(
        &self,
        method: &str,
        meta: Option<&RequestMetaRef<'_>>,
    ) -> Result<Arc<Terms>, Refusal> {
        let mut last = self
            .last_terms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let server = &self.server;
        admit_stateless(
            method,
            meta,
            &mut last,
            server.revisions(),
            server.own_methods(),
        )
    }

    /// What the tools want repeated in headers.
    pub(super) fn annotated(&self) -> Arc<ParamHeaders> {
        let mut annotated = self
            .annotated
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let edits = self.server.edits();
        if annotated.0 != edits {
            *annotated = (edits, read_headers(&self.server));
        }
        Arc::clone(&annotated.1)
    }

    /// No new requests from here on; the streams that belong to no request end.
    pub(super) fn shut_down(&self) {
        self.ending.send_replace(true);
        self.stateless.end();
        for session in self.sessions.all() {
            session.standalone().end();
        }
    }

    /// Ends what is left.
    pub(super) fn terminate(&self) {
        for session in self.sessions.all() {
            self.sessions.end(session.id());
        }
    }

    pub(super) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }
}

fn read_headers(server: &Server) -> Arc<ParamHeaders> {
    Arc::new(ParamHeaders::of(&server.tools()))
}

/// The time by tokio's clock, which tests can stop.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
