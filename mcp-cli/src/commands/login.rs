//! `mcp login` and `mcp logout`.

use mcp_auth::AuthError;
use mcp_auth::client::Revocation;
use mcp_config::{Remote, Target};
use serde_json::json;

use crate::arguments::{At, Connection};
use crate::certificates::Roots;
use crate::failure::{Failure, Kind};
use crate::login::{LoginSettings, Person, oauth};
use crate::output::{Output, is_interactive};
use crate::server;
use crate::session::{Context, PASS_A_TOKEN};

/// Logs in to a server that requires it, and keeps the settings and tokens.
///
/// # Errors
///
/// Fails if there is no token, or if the target is a program.
pub(crate) async fn log_in(mut it: At<LoginSettings>, context: &Context) -> Result<(), Failure> {
    let url = url(&it.connection).await?;
    let output = &context.output;
    it.command.save(&url).await?;
    it.connection.reach.person = Person::AtLogin;
    let connected = async {
        let session = context.open(&it.connection).await?;
        // Some servers require a token only for requests, not for connections.
        session.list(session.client.list_tools()).await
    };
    connected.await.map_err(|mut failure| {
        // The advice would be to run this very command.
        if failure.advice.take().is_some() && !is_interactive() {
            let advice = format!("`mcp login` needs a terminal: run it there,\n{PASS_A_TOKEN}");
            failure.advice = Some(advice);
        }
        failure
    })?;
    let oauth = oauth(&url, Person::Absent).await?;
    let servers = oauth.servers().await.map_err(unexpected)?;
    let line = if servers.is_empty() {
        format!("{url} does not require a login")
    } else {
        format!("logged in to {url}")
    };
    output.show(&json!({"url": url, "loggedIn": !servers.is_empty()}), &line)
}

/// Revokes the tokens of a server, and removes them and the settings of the login.
///
/// # Errors
///
/// Fails if there are no tokens, or if they could not be revoked. They are removed in any case.
pub(crate) async fn log_out(connection: &Connection, output: &Output) -> Result<(), Failure> {
    let url = url(connection).await?;
    let roots = Roots::load(&connection.reach.trust.ca)?;
    let http = |url| {
        roots.http(&Remote {
            url,
            ..Remote::default()
        })
    };
    let oauth = oauth(&url, Person::Absent).await?;
    let servers = oauth.servers().await.map_err(unexpected)?;
    let revoked = oauth.logout_with(http).await;
    LoginSettings::default().save(&url).await?;
    if servers.is_empty() {
        let message = format!("you are not logged in to {url}: pass the URL that you logged in to");
        return Err(Failure::usage(message));
    }
    let is_revoked = revoked.map_err(|error| {
        let message = "the tokens are removed here, but not revoked, and valid until they expire";
        Failure::new(Kind::Unexpected, format!("{message}: {error}"))
    })? == Revocation::Done;
    let exception = if is_revoked {
        ""
    } else {
        "; its authorization server did not revoke all tokens: they are valid until they expire"
    };
    let document = json!({"url": url, "loggedIn": false, "revoked": is_revoked});
    output.show(&document, &format!("logged out of {url}{exception}"))
}

fn unexpected(error: AuthError) -> Failure {
    Failure::new(Kind::Unexpected, error.to_string())
}

async fn url(connection: &Connection) -> Result<String, Failure> {
    match server::of(&connection.target, &connection.reach).await? {
        Target::Http(remote) | Target::Sse(remote) => Ok(remote.url),
        _ => Err(Failure::usage("a login needs the `http` URL of a server")),
    }
}
