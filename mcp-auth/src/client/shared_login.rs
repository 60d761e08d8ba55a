//! One login of a person for all processes and connections that share a store.
//!
//! The process that holds the lock of a login asks the person, and saves the URL of the page in the
//! store. The others wait for the lock, show that URL meanwhile, and then use the saved tokens. The
//! operating system releases the lock of a process that is killed, so the next process asks.

use std::fmt;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;

use http::Uri;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::discovery::Discovery;
use super::error::AuthError;
use super::login::login_error;
use super::oauth::OAuth;
use super::renewal::{Demand, Renewal};
use super::session::{Session, TokenOrigin};
use super::store::StoreLock;
use super::token_set::{Binding, load, stored};
use crate::limits::client::{LOCK_INTERVAL, LOGIN_PAGE_INTERVAL, LOGIN_TURN_MARGIN};

impl Renewal {
    /// Gets new tokens, with a login if a person is needed. If another process already asks the
    /// person, waits for that login and uses its tokens.
    pub(super) async fn grant(
        &self,
        discovery: &Discovery,
        binding: Binding,
        demand: Demand,
    ) -> Result<(), AuthError> {
        if self.config.grant.is_unattended() {
            return self.obtain(discovery, binding, demand).await;
        }
        let receivable = self.config.redirect();
        receivable.map_err(|error| login_error(discovery, error))?;
        let store = &*self.config.store;
        let key = self.config.keys().login(&binding.issuer, &binding.resource);
        let _ending = Ending(&self.session);
        let _turn = self.turn(&key).await?;
        if self.take(&binding).await? {
            return Ok(());
        }
        let done = self.obtain(discovery, binding, demand).await;
        let removed = stored(store.remove(&key)).await;
        done.and(removed)
    }

    /// Waits until no other process asks the person. Meanwhile, shows the page of that process.
    async fn turn(&self, key: &str) -> Result<StoreLock, AuthError> {
        let store = &*self.config.store;
        let locking = async {
            loop {
                match store.lock(key).await {
                    // A person may take longer than the store waits.
                    Err(error) if error.kind() == ErrorKind::TimedOut => sleep(LOCK_INTERVAL).await,
                    locked => return locked,
                }
            }
        };
        let mut locking = pin!(locking);
        let limit = self.config.login_timeout.saturating_mul(2);
        let limit = limit.saturating_add(LOGIN_TURN_MARGIN);
        let begun = Instant::now();
        loop {
            match timeout(LOGIN_PAGE_INTERVAL, &mut locking).await {
                Ok(locked) => return locked.map_err(AuthError::store),
                Err(_) if begun.elapsed() >= limit => {
                    let reason = format!(
                        "another process has waited for a login for {limit:?}; end it, and try again"
                    );
                    let error = io::Error::new(ErrorKind::TimedOut, reason);
                    return Err(AuthError::store(error));
                }
                Err(_) => self.session.show_login(load(store, key).await?),
            }
        }
    }

    /// Uses the tokens that another process has saved while this one waited. Returns false if there
    /// are no such tokens. If they lack a scope, the server demands it again.
    async fn take(&self, binding: &Binding) -> Result<bool, AuthError> {
        let current = self.session.token();
        let kept = self.kept(binding).await?.filter(|kept| {
            current.as_ref().is_none_or(|current| {
                let tokens = &current.tokens;
                // Tokens in the store are older than tokens that could not be saved.
                let may_be_newer = current.is_saved || tokens.issued_at < kept.issued_at;
                may_be_newer && tokens.access_token != kept.access_token
            })
        });
        let Some(kept) = kept else {
            return Ok(false);
        };
        let tokens = Some((kept, TokenOrigin::Stored));
        self.session.set(Some(binding.clone()), tokens, true);
        Ok(true)
    }
}

impl OAuth {
    /// Follows the logins at a server, for a program that shows the page of a login itself, or that
    /// has other work until the login has ended. `server` is the URL of the connection.
    ///
    /// The page may be the page of another process that shares the [store](Self::store). Call this
    /// after the other settings are set.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_runtime::Client;
    /// use mcp_runtime::transport::http_client::http_client;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let url = "https://mcp.example.com/mcp";
    /// let oauth = OAuth::new("my-app").opener(async |_| Ok(()));
    /// let mut login = oauth.watch_login(url);
    /// let server = http_client(url).auth(oauth);
    /// let mut connecting = tokio::spawn(Client::builder("my-app", "1.0").connect(server));
    /// let client = loop {
    ///     tokio::select! {
    ///         connected = &mut connecting => break connected??,
    ///         Some(page) = login.changed() => println!("Log in at {page}"),
    ///     }
    /// };
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn watch_login(&self, server: &str) -> LoginWatch {
        // `RequestInfo::server`, by which sessions are found, has this form.
        let parsed = server.parse::<Uri>();
        let server = parsed.map_or_else(|_| server.to_owned(), |it| it.to_string());
        let session = self.session_of(&server);
        LoginWatch {
            page: session.login_page(),
            _session: session,
        }
    }
}

/// Hides the page of a login at the end of the login.
struct Ending<'a>(&'a Session);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.show_login(None);
    }
}

/// Follows the logins at one server; created by [`OAuth::watch_login`](crate::OAuth::watch_login).
///
/// `Debug` does not show the URL.
#[derive(Clone)]
pub struct LoginWatch {
    page: watch::Receiver<Option<String>>,
    /// Keeps the sender after the `OAuth` is gone.
    _session: Arc<Session>,
}

impl LoginWatch {
    /// Returns the URL of the page where the person has to log in, or `None` if no login waits for
    /// a person.
    ///
    /// The URL is secret until the login has ended: show it only to the person. A browser on
    /// another machine can't return to the [`Loopback`](crate::Loopback) of this machine.
    #[must_use]
    pub fn page(&self) -> Option<String> {
        self.page.borrow().clone()
    }

    /// Waits until the page has changed, and returns it. `None` means that the login has ended.
    pub async fn changed(&mut self) -> Option<String> {
        // It fails only without a sender, which the session keeps.
        let _ = self.page.changed().await;
        self.page.borrow_and_update().clone()
    }
}

impl fmt::Debug for LoginWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginWatch")
            .field("is_pending", &self.page.borrow().is_some())
            .finish_non_exhaustive()
    }
}
