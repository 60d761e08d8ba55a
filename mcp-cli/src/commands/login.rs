//! `mcp login` and `mcp logout`.

use std::env;

use mcp_auth::client::Revocation;
use mcp_config::Target;

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
    let output = Output::new(global.json);
    match login::has_tokens(&url).await? {
        true => output.line(&format!("logged in at {url}")),
        false => output.line(&format!("{url} asks for no login")),
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
    let output = Output::new(global.json);
    match revoked {
        Ok(Revocation::NotOffered) => output.line(&format!(
            "logged out of {url}; its authorization server revokes no tokens, which are valid until they expire"
        )),
        Ok(_) => output.line(&format!("logged out of {url}")),
        Err(error) => Err(Failure::new(Kind::Unreachable, error.to_string())),
    }
}

fn url(target: Target) -> Result<String, Failure> {
    match target {
        Target::Http(remote) | Target::Sse(remote) => Ok(remote.url),
        _ => Err(Failure::usage("a login needs the `http` URL of a server")),
    }
}
