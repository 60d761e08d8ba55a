//! Keeps tokens and settings of logins between commands, and opens pages for a person at a
//! terminal.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, io};

use clap::Args;
use mcp_auth::OAuth;
use mcp_auth::client::store::{FileStore, TokenStore, user_folder};
use mcp_auth::client::{LoginWatch, browser};
use mcp_runtime::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::task::yield_now;

use crate::failure::{Failure, Kind};
use crate::output::{is_interactive, note};
use crate::pasted_redirect::PastedRedirect;
#[cfg(feature = "keyring")]
use mcp_auth::client::store::KeyringStore;

/// The options of `mcp login`, which are kept for later commands.
#[derive(Args, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct LoginSettings {
    /// The identifier of a client that was registered manually
    #[arg(long, value_name = "ID", requires = "issuer")]
    client_id: Option<String>,
    /// The environment variable that contains the secret of the client
    #[arg(long = "client-secret-env", value_name = "NAME", requires = "client_id", value_parser = variable)]
    client_secret: Option<String>,
    /// The authorization server that the client is registered with
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    /// The URL of the client's metadata document
    #[arg(long, value_name = "URL")]
    client_metadata: Option<String>,
    /// A scope to request; can be repeated
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
}

impl LoginSettings {
    /// Stores the settings, and replaces the settings of an earlier login.
    ///
    /// # Errors
    ///
    /// Fails if the store can't be written.
    pub(crate) async fn save(&self, url: &str) -> Result<(), Failure> {
        let text = serde_json::to_string(self).map_err(io::Error::from)?;
        let saved = async {
            if *self == Self::default() {
                store()?.remove(&key(url)).await
            } else {
                store()?.save(&key(url), &text, None).await
            }
        };
        saved.await.map_err(store_failure)
    }
}

/// How a person can log in while a command runs.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Person {
    Absent,
    /// The terminal shows the page, if there is a terminal.
    #[default]
    AtTerminal,
    /// Like [`AtTerminal`](Self::AtTerminal). The terminal also takes the address at which the login
    /// ends, so no other question may be asked.
    AtLogin,
    /// Standard input belongs to a program, but a browser can open the page.
    AtBrowser,
}

/// The authenticator for the server at `url`, with the settings and tokens of the last login.
///
/// # Errors
///
/// Fails if the tokens can't be read.
pub(crate) async fn oauth(url: &str, person: Person) -> Result<OAuth, Failure> {
    let store = store().map_err(store_failure)?;
    let text = store.load(&key(url)).await.map_err(store_failure)?;
    let settings = text.and_then(|it| serde_json::from_str(&it).ok());
    let settings: LoginSettings = settings.unwrap_or_default();
    let oauth = OAuth::new("mcp").store(store).person(url);
    let is_at_terminal = matches!(person, Person::AtTerminal | Person::AtLogin);
    let has_terminal = is_at_terminal && is_interactive();
    let mut oauth = match person {
        Person::AtBrowser if browser::is_available() => oauth.opener(open_once()),
        Person::AtTerminal if has_terminal => oauth.opener(open),
        Person::AtLogin if has_terminal => oauth.opener(open).redirect(PastedRedirect),
        _ => oauth.without_login(),
    };
    oauth = oauth.scopes(settings.scopes);
    if let Some(issuer) = settings.issuer {
        oauth = oauth.issuer(issuer);
    }
    if let Some(id) = settings.client_id {
        oauth = oauth.client(id);
    }
    if let Some(secret) = settings.client_secret {
        oauth = oauth.client_secret(secret);
    }
    if let Some(document) = settings.client_metadata {
        oauth = oauth.client_metadata_url(document);
    }
    if has_terminal {
        tokio::spawn(show_pages(oauth.watch_login(url)));
    }
    Ok(oauth)
}

/// Shows the page of each login, even if another command has opened it.
async fn show_pages(mut login: LoginWatch) {
    loop {
        if let Some(page) = login.changed().await {
            note(&format!("Log in at {page}"));
        }
    }
}

fn key(url: &str) -> String {
    format!("settings of {url}")
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| "the variable is not set".to_owned())
}

/// Opens the page of the first login. Later pages are only sent to clients, or a tab would open for
/// each call while nobody is there.
fn open_once() -> impl Fn(String) -> BoxFuture<io::Result<()>> + Send + Sync + 'static {
    let is_opened = AtomicBool::new(false);
    move |page| {
        let is_first = !is_opened.swap(true, Ordering::Relaxed);
        Box::pin(async move {
            if is_first {
                browser::open(&page).await?;
            }
            Ok(())
        })
    }
}

async fn open(page: String) -> io::Result<()> {
    // The page is shown first.
    yield_now().await;
    let opened = if browser::is_available() {
        browser::open(&page).await
    } else {
        Err(io::Error::other("there is no desktop session"))
    };
    // Without a browser, the user opens the page manually.
    if let Err(error) = opened {
        let advice = "open the page yourself";
        note(&format!("The browser can't be opened ({error}): {advice}."));
    }
    Ok(())
}

fn store_failure(error: io::Error) -> Failure {
    let message = format!("the tokens can't be read or written: {error}");
    Failure::new(Kind::Unexpected, message)
}

/// The store of this user: the keyring of the operating system, or files with mode 0600 if there is
/// no keyring, for example without a desktop session.
///
/// # Errors
///
/// Fails if the environment names no folder for the files, or for the locks of the keyring.
fn store() -> io::Result<Arc<dyn TokenStore>> {
    let folder = user_folder("mcp")?;
    let keyring = keyring(&folder);
    Ok(keyring.unwrap_or_else(|| Arc::new(FileStore::new(folder.join("tokens")))))
}

#[cfg(feature = "keyring")]
fn keyring(folder: &Path) -> Option<Arc<dyn TokenStore>> {
    keyring::Entry::store_status().as_ref().ok()?;
    let keyring = keyring_core::get_default_store()?;
    Some(Arc::new(KeyringStore::new(keyring, "mcp", folder)))
}

#[cfg(not(feature = "keyring"))]
fn keyring(_: &Path) -> Option<Arc<dyn TokenStore>> {
    None
}
