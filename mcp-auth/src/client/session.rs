//! The state of the authorization at one MCP server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use http::header::HeaderValue;
use mcp_runtime::transport::PrincipalChanges;
use mcp_runtime::transport::http_client::AuthHttp;
use tokio::sync::watch;
use tokio::time::Instant;

use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::scopes::Scopes;
use super::token_set::{Binding, TokenSet};
use crate::limits::client::EARLY_REFRESH_PAUSE;
use crate::util::{lock, unix_now};

/// The authorization at one MCP server. All connections to the server share it.
pub(crate) struct Session {
    pub(crate) server: String,
    state: Mutex<SessionState>,
    renewing: Arc<tokio::sync::Mutex<()>>,
    principal: PrincipalChanges,
    /// The URL of the page of a login that waits for the person.
    login_page: watch::Sender<Option<String>>,
}

#[derive(Default)]
struct SessionState {
    is_loaded: bool,
    binding: Option<Binding>,
    token: Option<Arc<CurrentToken>>,
    requested: Scopes,
    /// The number of completed renewals, and the error of the last one.
    renewals: u64,
    failure: Option<AuthError>,
    no_early_refresh_until: Option<Instant>,
    /// The HTTP client that the last request used for the authorization server.
    http: Option<AuthHttp>,
}

pub(crate) struct CurrentToken {
    pub(crate) tokens: TokenSet,
    pub(crate) origin: TokenOrigin,
    /// False if the store could not save the tokens, so the stored tokens are older.
    pub(crate) is_saved: bool,
    is_accepted: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenOrigin {
    /// Loaded from the store, where this or another process saved it.
    Stored,
    Refresh,
    /// Obtained with a login, or with the grant of an unattended client.
    Grant,
}

impl Session {
    pub(crate) fn new(server: String, principal: PrincipalChanges) -> Self {
        Self {
            server,
            principal,
            state: Mutex::default(),
            renewing: Arc::default(),
            login_page: watch::Sender::default(),
        }
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.state().is_loaded
    }

    pub(crate) fn token(&self) -> Option<Arc<CurrentToken>> {
        self.state().token.clone()
    }

    pub(crate) fn binding(&self) -> Option<Binding> {
        self.state().binding.clone()
    }

    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let token = self.token()?;
        let tokens = &token.tokens;
        tokens.token_type.authorization(&tokens.access_token)
    }

    /// The scopes that logins requested, plus the scopes of the token.
    pub(crate) fn known_scopes(&self) -> Scopes {
        let state = self.state();
        let granted = state.token.as_ref().map(|token| token.tokens.scope.clone());
        let requested = state.requested.clone();
        requested.union(&granted.unwrap_or_default())
    }

    pub(crate) fn has_requested(&self, scopes: &Scopes) -> bool {
        self.state().requested.contains_all(scopes)
    }

    pub(crate) fn requested(&self, scopes: &Scopes) {
        let mut state = self.state();
        state.requested = std::mem::take(&mut state.requested).union(scopes);
    }

    /// Replaces the current tokens. `is_saved` is true if the store has them.
    pub(crate) fn set(
        &self,
        binding: Option<Binding>,
        tokens: Option<(TokenSet, TokenOrigin)>,
        is_saved: bool,
    ) {
        let is_refreshed = matches!(tokens, Some((_, TokenOrigin::Refresh)));
        let mut state = self.state();
        state.is_loaded = true;
        state.binding = binding;
        state.no_early_refresh_until = None;
        state.token = tokens.map(|(tokens, origin)| {
            Arc::new(CurrentToken {
                tokens,
                origin,
                is_saved,
                is_accepted: AtomicBool::new(false),
            })
        });
        if !is_refreshed {
            self.principal.changed();
        }
    }

    /// Forgets the requested scopes, because another person may log in next.
    pub(crate) fn forget_scopes(&self) {
        self.state().requested = Scopes::default();
    }

    /// Returns true if the token can and should be renewed before the next request. An unattended
    /// client can renew it at any time.
    pub(crate) fn needs_refresh(&self, is_unattended: bool) -> bool {
        let state = self.state();
        let tokens = state.token.as_ref().map(|token| &token.tokens);
        let is_due = tokens.is_some_and(|tokens| {
            let can_be = is_unattended || tokens.refresh_token.is_some();
            can_be && tokens.expires_soon(unix_now())
        });
        let until = state.no_early_refresh_until;
        is_due && until.is_none_or(|until| until <= Instant::now())
    }

    /// Keeps using the current token for a while after a failed refresh.
    pub(crate) fn postpone_refresh(&self) {
        self.state().no_early_refresh_until = Some(Instant::now() + EARLY_REFRESH_PAUSE);
    }

    pub(crate) fn set_http(&self, http: AuthHttp) {
        self.state().http = Some(http);
    }

    pub(crate) fn http(&self) -> Option<AuthHttp> {
        self.state().http.clone()
    }

    pub(crate) fn login_page(&self) -> watch::Receiver<Option<String>> {
        self.login_page.subscribe()
    }

    pub(crate) fn show_login(&self, page: Option<String>) {
        self.login_page.send_if_modified(|shown| {
            let is_new = *shown != page;
            *shown = page;
            is_new
        });
    }

    /// Runs `work` unless `is_done` returns a result after waiting for other work. If the other
    /// work failed, its error is returned. Otherwise the user would see the same login twice.
    ///
    /// The work runs in its own task, so it continues if this future is dropped.
    pub(crate) async fn once<T, F>(
        self: &Arc<Self>,
        is_done: impl Fn(&Self) -> Option<T>,
        work: impl FnOnce() -> F,
    ) -> Result<T, AuthError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, AuthError>> + Send + 'static,
    {
        let before = self.state().renewals;
        let turn = Arc::clone(&self.renewing).lock_owned().await;
        if let Some(done) = is_done(self) {
            return Ok(done);
        }
        let failure = {
            let state = self.state();
            (state.renewals != before).then(|| state.failure.clone())
        };
        if let Some(error) = failure.flatten() {
            return Err(error);
        }
        let session = Arc::clone(self);
        let work = work();
        let task = tokio::spawn(async move {
            let result = work.await;
            session.ended(result.as_ref().err());
            drop(turn);
            result
        });
        let aborted = |_| AuthError::new(AuthStep::Access, &self.server, AuthErrorKind::Aborted);
        task.await.map_err(aborted)?
    }

    fn ended(&self, failure: Option<&AuthError>) {
        let mut state = self.state();
        state.renewals += 1;
        state.failure = failure.cloned();
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        lock(&self.state)
    }
}

impl CurrentToken {
    /// Records that the MCP server accepted the token.
    pub(crate) fn accepted(&self) {
        self.is_accepted.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server may have rejected the token because of its age: the token was
    /// accepted before or comes from the store.
    pub(crate) fn may_be_old(&self) -> bool {
        self.is_accepted.load(Ordering::Relaxed) || self.origin == TokenOrigin::Stored
    }
}
