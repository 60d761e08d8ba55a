//! The way to a URL: names, TCP, TLS, HTTP and the login.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, LOCATION, SERVER};
use http::response::Parts;
use http::uri::Authority;
use http::{Request, StatusCode, Uri};
use humantime::format_rfc3339_seconds;
use hyper_util::client::proxy::matcher::Matcher;
use mcp_auth::client::RegistrationWay;
use mcp_config::{Remote, Target};
use mcp_runtime::transport::http_client::AuthHttp;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::report::Report;
use crate::arguments::Reach;
use crate::certificates::Roots;
use crate::failure::Failure;
use crate::login::{Person, oauth};
use crate::remedies::date;
use crate::session::has_credentials;

/// A message that changes nothing. Servers answer it, or refuse it like any other.
const PING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;

/// Examines each step to the server of a URL. Returns the step that fails, or else the next one.
///
/// # Errors
///
/// Fails if a step can't be written.
pub(super) async fn examine(
    report: &mut Report<'_>,
    reach: &Reach,
    target: &Target,
    roots: &Roots,
    limit: Duration,
) -> Result<&'static str, Failure> {
    // The client says why a URL can't be read.
    let uri = |it: &Remote| it.url.parse::<Uri>().ok().filter(|it| it.host().is_some());
    let Some((remote, uri)) = target.remote().and_then(|it| Some((it, uri(it)?))) else {
        return Ok("protocol");
    };
    let is_http = !matches!(target, Target::WebSocket(_));
    // The client of WebSockets uses no proxies.
    let proxy = Matcher::from_env().intercept(&uri).filter(|_| is_http);
    let near = proxy.as_ref().map_or(&uri, |it| it.uri());
    let of_proxy = proxy.as_ref().and_then(|it| it.uri().authority());
    report.facts(of_proxy.map(|it| format!("of the proxy {}", host(it))));
    let port = if is_encrypted(near) { 443 } else { 80 };
    let port = near.port_u16().unwrap_or(port);
    let Ok(Ok(found)) = timeout(limit, lookup_host((name(near), port))).await else {
        return Ok("DNS");
    };
    let addresses: Vec<_> = found.collect();
    report.facts(addresses.iter().map(|it| it.ip().to_string()));
    report.step("DNS", Ok(()))?;
    let Ok(Ok(stream)) = timeout(limit, TcpStream::connect(&*addresses)).await else {
        return Ok("TCP");
    };
    let address = stream.peer_addr()?;
    report.fact(address.to_string());
    report.step("TCP", Ok(()))?;
    // Any other stream is closed, because a server may serve one connection at a time.
    let stream = Some(stream).filter(|_| is_encrypted(&uri) && proxy.is_none());
    if let Some(stream) = stream {
        let Ok(Some(())) = timeout(limit, tls(report, &uri, stream, roots)).await else {
            return Ok("TLS");
        };
        report.step("TLS", Ok(()))?;
    }
    if !is_http {
        return Ok("protocol");
    }
    // The client refuses private addresses unless its server has such an address.
    let url = match proxy {
        Some(_) => remote.url.clone(),
        None => format!("http://{address}/"),
    };
    let headers = remote.headers.clone();
    let client = roots.http(&Remote { url, headers }).auth_http()?;
    let Ok(Some(answer)) = timeout(limit, post(report, &client, remote, &uri)).await else {
        return Ok("HTTP");
    };
    report.step("HTTP", Ok(()))?;
    match login(report, reach, remote, &answer, client).await {
        None => Ok("protocol"),
        Some(true) => report.step("login", Ok("protocol")),
        Some(false) => Ok("login"),
    }
}

async fn tls(report: &mut Report<'_>, uri: &Uri, stream: TcpStream, roots: &Roots) -> Option<()> {
    let server = ServerName::try_from(name(uri).to_owned()).ok()?;
    let (config, observer) = roots.observed()?;
    let connector = TlsConnector::from(Arc::new(config));
    let connected = connector.connect(server, stream).await.ok();
    let certificate = Certificate::from_der(observer.seen.get()?).ok()?;
    let certificate = certificate.tbs_certificate();
    report.fact(format!("issued by {}", certificate.issuer()));
    let end = certificate.validity().not_after.to_system_time();
    let is_valid = SystemTime::now() < end;
    let words = if is_valid { "valid until" } else { "ended on" };
    report.fact(format!("{words} {}", date(end)));
    let version = connected?.get_ref().1.protocol_version()?.as_str()?;
    report.fact(version.replace("TLSv", "TLS ").replace('_', "."));
    Some(())
}

async fn post(
    report: &mut Report<'_>,
    client: &AuthHttp,
    remote: &Remote,
    uri: &Uri,
) -> Option<Parts> {
    // User information is left out.
    let path = uri.path_and_query().map_or("/", |it| it.as_str());
    let url = format!("{}://{}{path}", uri.scheme_str()?, host(uri.authority()?));
    let mut request = Request::post(url)
        .header(ACCEPT, "application/json, text/event-stream")
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in &remote.headers {
        request = request.header(name, value);
    }
    let request = request.body(PING.to_owned()).ok()?;
    let (answer, _) = client.send(request).await.ok()?.into_parts();
    report.fact(format!("{:?} {}", answer.version, answer.status));
    let header = |name: HeaderName| answer.headers.get(name)?.to_str().ok();
    report.facts(header(SERVER).map(|it| format!("server {it}")));
    let target = header(LOCATION).and_then(|it| it.split('?').next());
    report.facts(target.map(|it| format!("redirects to {it}")));
    Some(answer)
}

/// Describes the login if a server has answered with 401, unless other credentials are used. Returns
/// whether there is a token that can be used or refreshed.
async fn login(
    report: &mut Report<'_>,
    reach: &Reach,
    remote: &Remote,
    answer: &Parts,
    http: AuthHttp,
) -> Option<bool> {
    let authority = remote.url.split('/').nth(2);
    let has_own = has_credentials(remote) || authority.is_some_and(|it| it.contains('@'));
    if answer.status != StatusCode::UNAUTHORIZED || has_own || reach.auth.is_some() {
        return None;
    }
    let status = async {
        let oauth = oauth(&remote.url, Person::Absent).await;
        let oauth = oauth.map_err(|error| error.message)?;
        let status = oauth.status(&remote.url, &answer.headers, http).await;
        status.map_err(|error| error.to_string())
    };
    let Ok(status) = status.await.map_err(|error| report.fact(error)) else {
        return Some(false);
    };
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
        return Some(false);
    };
    let end = token.expires_at;
    report.facts(end.map(|it| format!("token until {}", format_rfc3339_seconds(it))));
    if token.has_refresh_token {
        report.fact("can be refreshed");
    }
    Some(token.has_refresh_token || end.is_none_or(|it| it > SystemTime::now()))
}

/// The host with its port, without user information.
fn host(authority: &Authority) -> &str {
    let text = authority.as_str();
    text.rsplit_once('@').map_or(text, |it| it.1)
}

/// The name or address of the host, without the brackets of IPv6.
fn name(uri: &Uri) -> &str {
    let host = uri.host().unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']')
}

/// Whether TLS is used. The scheme of a parsed URL is in lower case.
fn is_encrypted(uri: &Uri) -> bool {
    matches!(uri.scheme_str(), Some("https" | "wss"))
}
