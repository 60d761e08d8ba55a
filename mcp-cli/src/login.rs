//! Keeps tokens and settings of logins between commands, and opens pages for a person at a
//! terminal.

use std::path::Path;
use std::sync::Arc;
use std::{env, io};

use clap::Args;
use mcp_auth::OAuth;
use mcp_auth::client::browser;
use mcp_auth::client::store::{FileStore, TokenStore, user_folder};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Kind};
use crate::output::{is_interactive, note};
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
                store()?.save(&key(url), &text).await
            }
        };
        saved.await.map_err(store_failure)
    }
}

/// The authenticator for the server at `url`, with the settings and tokens of the last login.
///
/// # Errors
///
/// Fails if the tokens can't be read.
pub(crate) async fn oauth(url: &str) -> Result<OAuth, Failure> {
    let store = store().map_err(store_failure)?;
    let text = store.load(&key(url)).await.map_err(store_failure)?;
    let settings = text.and_then(|it| serde_json::from_str(&it).ok());
    let settings: LoginSettings = settings.unwrap_or_default();
    let oauth = OAuth::new("mcp").store(store).person(url);
    let mut oauth = if is_interactive() {
        oauth.opener(|page| async move { open(&page).await })
    } else {
        oauth.without_login()
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
    Ok(oauth)
}

fn key(url: &str) -> String {
    format!("settings of {url}")
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| "the variable is not set".to_owned())
}

/// Shows the page, and opens it in the browser.
async fn open(page: &str) -> io::Result<()> {
    note(&format!("Log in at {page}"));
    // Without a browser, the user opens the page manually.
    if let Err(error) = browser::open(page).await {
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
