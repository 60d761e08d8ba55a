//! The login of a server that requires one: its metadata, and the stored token.

use std::time::SystemTime;

use http::StatusCode;
use http::response::Parts;
use humantime::format_rfc3339_seconds;
use mcp_auth::client::RegistrationWay;
use mcp_config::Remote;
use mcp_runtime::transport::http_client::AuthHttp;

use super::report::Report;
use crate::arguments::Connection;
use crate::failure::{Failure, Kind};
use crate::login::{Person, oauth};
use crate::session::{PASS_A_TOKEN, has_credentials};

/// Examines the login of a server that has answered a plain request with 401.
///
/// # Errors
///
/// Fails if there is no token that can be used or refreshed.
pub(super) async fn examine(
    report: &mut Report<'_>,
    connection: &Connection,
    remote: &Remote,
    (answer, http): (Parts, AuthHttp),
) -> Result<(), Failure> {
    // If these credentials are refused, the next step says so.
    let has_own = has_credentials(remote)
        || connection.reach.auth.is_some()
        || remote
            .url
            .split('/')
            .nth(2)
            .is_some_and(|it| it.contains('@'));
    if answer.status != StatusCode::UNAUTHORIZED || has_own {
        return Ok(());
    }
    let examined = status(report, remote, &answer, http).await;
    let examined = examined.map_err(|message| {
        let advice = format!("log in with: mcp login {}\n{PASS_A_TOKEN}", remote.url);
        let failure = Failure::new(Kind::AuthorizationRequired, message);
        failure.at(&remote.url).advise(advice)
    });
    report.step("login", examined)
}

async fn status(
    report: &mut Report<'_>,
    remote: &Remote,
    answer: &Parts,
    http: AuthHttp,
) -> Result<(), String> {
    let oauth = oauth(&remote.url, Person::Absent).await;
    let oauth = oauth.map_err(|error| error.message)?;
    let status = oauth.status(&remote.url, &answer.headers, http).await;
    let status = status.map_err(|error| error.to_string())?;
    report.fact(match status.is_assumed {
        true => "no metadata".to_owned(),
        false => format!("authorization server {}", status.issuer),
    });
    report.fact(match status.registration {
        Some(RegistrationWay::PreRegistered) => "client registered manually",
        Some(RegistrationWay::MetadataDocument) => "client with a metadata document",
        Some(RegistrationWay::Dynamic) => "clients register themselves",
        _ => "clients can't register themselves",
    });
    let Some(token) = status.token else {
        report.fact("no token is stored");
        return Err("the server requires a login".to_owned());
    };
    let end = token.expires_at;
    report.facts(end.map(|it| format!("token until {}", format_rfc3339_seconds(it))));
    if token.has_refresh_token {
        report.fact("can be refreshed");
    } else if end.is_some_and(|it| it < SystemTime::now()) {
        return Err("the stored token has ended".to_owned());
    }
    Ok(())
}
