//! Settings of logins, and the authenticator that they make.

use std::io::{self, IsTerminal};

use mcp_auth::OAuth;
use mcp_auth::client::redirect::{Redirect, RedirectReceiver};
use mcp_auth::client::store::TokenStore;
use mcp_runtime::transport::http_client::BoxFuture;
use serde::{Deserialize, Serialize};

use super::store;
use crate::failure::{Failure, Kind};

/// What a person has set at the login, for the commands thereafter.
#[derive(Default, Deserialize, Serialize)]
pub(crate) struct LoginSettings {
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    pub(crate) issuer: Option<String>,
    pub(crate) client_metadata: Option<String>,
    pub(crate) scopes: Vec<String>,
}

impl LoginSettings {
    /// The settings of the last login at `url`.
    async fn load(store: &dyn TokenStore, url: &str) -> Result<Self, Failure> {
        let text = store.load(&key(url)).await.map_err(store_failure)?;
        Ok(text
            .and_then(|it| serde_json::from_str(&it).ok())
            .unwrap_or_default())
    }

    /// Keeps the settings.
    ///
    /// # Errors
    ///
    /// If the store can't be written.
    pub(crate) async fn save(&self, url: &str) -> Result<(), Failure> {
        let text = serde_json::to_string(self).map_err(io::Error::from)?;
        store()?.save(&key(url), &text).await.map_err(store_failure)
    }

    /// Removes the settings.
    ///
    /// # Errors
    ///
    /// If the store can't be written.
    pub(crate) async fn remove(url: &str) -> Result<(), Failure> {
        store()?.remove(&key(url)).await.map_err(store_failure)
    }

    /// The authenticator for the server at `url`.
    ///
    /// # Errors
    ///
    /// If there is no folder for tokens.
    pub(crate) fn oauth(self, url: &str) -> Result<OAuth, Failure> {
        let mut oauth = OAuth::new("mcp").store(store()?).person(url);
        if let Some(issuer) = self.issuer {
            oauth = oauth.issuer(issuer);
        }
        if let Some(id) = self.client_id {
            oauth = oauth.client(id);
        }
        if let Some(secret) = self.client_secret {
            oauth = oauth.client_secret(secret);
        }
        if let Some(document) = self.client_metadata {
            oauth = oauth.client_metadata_url(document);
        }
        if !self.scopes.is_empty() {
            oauth = oauth.scopes(self.scopes);
        }
        Ok(
            match io::stdin().is_terminal() && io::stderr().is_terminal() {
                true => oauth.opener(|page| async move { open(&page).await }),
                false => oauth.redirect(NoLogin),
            },
        )
    }
}

/// The authenticator for the server at `url`, with the settings and tokens of the last login.
///
/// # Errors
///
/// If the tokens can't be read.
pub(crate) async fn oauth(url: &str) -> Result<OAuth, Failure> {
    LoginSettings::load(&*store()?, url).await?.oauth(url)
}

/// Returns true if there are tokens for the server at `url`.
///
/// # Errors
///
/// If they can't be read.
pub(crate) async fn has_tokens(url: &str) -> Result<bool, Failure> {
    let servers = oauth(url).await?.servers().await;
    let servers = servers.map_err(|error| Failure::new(Kind::Unexpected, error.to_string()))?;
    Ok(!servers.is_empty())
}

fn key(url: &str) -> String {
    format!("settings of {url}")
}

/// Adds the command that logs in to a failure that needs it.
pub(crate) fn advise(mut failure: Failure, url: Option<&str>) -> Failure {
    if let (Kind::AuthorizationRequired, Some(url)) = (failure.kind, url) {
        failure.message = format!("{}\nlog in by: mcp login {url}", failure.message);
    }
    failure
}

/// Shows the page, and opens it in the browser.
#[allow(clippy::print_stderr, reason = "this program is no server")]
async fn open(page: &str) -> io::Result<()> {
    eprintln!("Log in at {page}");
    // Without a browser, the person opens it by hand.
    if let Err(error) = mcp_auth::client::browser::open(page).await {
        eprintln!("The browser can't be opened ({error}): open the page yourself.");
    }
    Ok(())
}

/// A login where there is no person.
struct NoLogin;

impl Redirect for NoLogin {
    fn listen(&self, _: Option<&str>) -> BoxFuture<io::Result<Box<dyn RedirectReceiver>>> {
        Box::pin(async { Err(io::Error::other("a login needs a terminal")) })
    }
}

fn store_failure(error: io::Error) -> Failure {
    Failure::new(
        Kind::Unexpected,
        format!("the tokens can't be read or written: {error}"),
    )
}
