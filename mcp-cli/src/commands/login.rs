//! `mcp login` and `mcp logout`.

use std::env;

use mcp_auth::client::Revocation;
use mcp_config::Target;
use serde::Serialize;

use crate::arguments::{Global, Login, Logout};
use crate::failure::{Failure, Kind};
use crate::login::{self, LoginSettings};
use crate::output::Output;
use crate::questions::Questions;
use crate::server;
use crate::session::{Opened, Session};

/// Logs in at a server that asks for it, and keeps settings and tokens.
///
/// # Errors
///
/// Why there is no token; if the target is a program.
pub(crate) async fn log_in(
    command: Login,
    global: &Global,
    opened: &Opened,
) -> Result<(), Failure> {
    let url = url(server::find(
        &command.connection.target,
        command.connection.config.as_deref(),
    )?)?;
    let client_secret = command.client_secret_env.as_deref().map(|name| {
        let missing = |_| Failure::usage(format!("the variable {name} is not set"));
        env::var(name).map_err(missing)
    });
    let settings = LoginSettings {
        client_id: command.client_id,
        client_secret: client_secret.transpose()?,
        issuer: command.issuer,
        client_metadata: command.client_metadata,
        scopes: command.scopes,
    };
    settings.save(&url).await?;
    let questions = Questions::new(Vec::new());
    let session = Session::open(&command.connection, global, &questions, opened).await?;
    // Some servers let anybody connect.
    match session.client.list_tools().await {
        Ok(_) | Err(mcp_runtime::CallError::Unavailable(_)) => {}
        Err(error) => return Err(session.failure(error)),
    }
    let logged_in = login::has_tokens(&url).await?;
    let text = match logged_in {
        true => format!("logged in at {url}"),
        false => format!("{url} asks for no login"),
    };
    show(
        &Outcome {
            url: &url,
            logged_in,
            revoked: None,
        },
        &text,
        global,
    )
}

/// The state after a login or a logout, for scripts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    url: &'a str,
    logged_in: bool,
    /// Whether the authorization server has revoked the tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked: Option<bool>,
}

fn show(outcome: &Outcome<'_>, text: &str, global: &Global) -> Result<(), Failure> {
    let output = Output::new(global.json);
    match output.json {
        true => output.document(outcome),
        false => output.line(text),
    }
}

/// Revokes the tokens of a server, and removes them with the settings of the login.
///
/// # Errors
///
/// If they could not be revoked: they are removed even so.
pub(crate) async fn log_out(command: Logout, global: &Global) -> Result<(), Failure> {
    let url = url(server::find(&command.target, command.config.as_deref())?)?;
    let oauth = login::oauth(&url).await?;
    let revoked = oauth.logout().await;
    LoginSettings::remove(&url).await?;
    let revoked = revoked.map_err(|error| Failure::new(Kind::Unreachable, error.to_string()))?;
    let is_revoked = revoked == Revocation::Done;
    let text = match is_revoked {
        true => format!("logged out of {url}"),
        false => format!(
            "logged out of {url}; its authorization server revokes no tokens, which are valid until they expire"
        ),
    };
    let outcome = Outcome {
        url: &url,
        logged_in: false,
        revoked: Some(is_revoked),
    };
    show(&outcome, &text, global)
}

fn url(target: Target) -> Result<String, Failure> {
    match target {
        Target::Http(remote) | Target::Sse(remote) => Ok(remote.url),
        _ => Err(Failure::usage("a login needs the `http` URL of a server")),
    }
}
