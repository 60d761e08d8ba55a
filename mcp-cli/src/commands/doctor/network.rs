//! The way to a URL: names, TCP, TLS and HTTP.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, LOCATION, SERVER};
use http::response::Parts;
use http::{Request, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use mcp_config::{Remote, Target};
use mcp_runtime::transport::http_client::AuthHttp;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::report::Report;
use crate::certificates::Roots;
use crate::failure::{Failure, Kind};

/// A message that changes nothing. Servers answer it, or refuse it like any other.
const PING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;

/// Parts of the messages of rustls, and what to do.
const TLS_ADVICE: [(&str, &str); 5] = [
    (
        "expired",
        "renew the certificate on the server, or correct the clock of this machine",
    ),
    (
        "not valid for name",
        "use a URL with that name, or a certificate with the name of the URL",
    ),
    (
        "UnknownIssuer",
        "its authority is not trusted here: if you trust it, pass its certificate with: --ca FILE",
    ),
    (
        "CaUsedAsEndEntity",
        "it is self-signed: use it to sign another one, and pass the first with: --ca FILE",
    ),
    (
        "corrupt message",
        "the server does not speak TLS there: use another port, or `http://` or `ws://`",
    ),
];

/// Examines each step to the server of a URL. Returns the answer to a plain request, and the client
/// for other requests, unless the server is at a WebSocket.
pub(super) async fn examine(
    report: &mut Report<'_>,
    target: &Target,
    remote: &Remote,
    roots: &Roots,
    limit: Duration,
) -> Result<Option<(Parts, AuthHttp)>, Failure> {
    let uri = remote.url.parse::<Uri>().ok();
    // The client says why the URL can't be read.
    let Some(uri) = uri.filter(|it| it.host().is_some()) else {
        return Ok(None);
    };
    // The client of WebSockets uses no proxies.
    let is_http = !matches!(target, Target::WebSocket(_));
    let proxy = is_http
        .then(|| Matcher::from_env().intercept(&uri))
        .flatten();
    let near = proxy.as_ref().map_or(&uri, Intercept::uri);
    report.facts(
        proxy
            .as_ref()
            .map(|it| format!("of the proxy {}", host(it.uri()))),
    );
    let advice = |_: &_| "check the name, and whether this machine is online";
    let found = within(limit, near, advice, resolve(near)).await;
    report.facts(found.iter().flatten().map(|it| it.ip().to_string()));
    let addresses = report.step("DNS", found)?;
    let advice = |_: &_| "check the port, the firewalls, and whether the server is running";
    let stream = within(limit, near, advice, TcpStream::connect(&*addresses)).await;
    let address = stream.as_ref().ok().and_then(|it| it.peer_addr().ok());
    report.facts(address.map(|it| it.to_string()));
    let stream = report.step("TCP", stream)?;
    if is_encrypted(&uri) && proxy.is_none() {
        let verified = within(limit, &uri, tls_advice, tls(report, &uri, stream, roots)).await;
        report.step("TLS", verified)?;
    } else {
        // A server may serve one connection at a time.
        drop(stream);
    }
    if !is_http {
        return Ok(None);
    }
    // The client refuses private addresses unless its server has such an address.
    let address = address.filter(|_| proxy.is_none());
    let url = address.map_or_else(|| remote.url.clone(), |it| format!("http://{it}/"));
    let headers = remote.headers.clone();
    let client = roots.http(&Remote { url, headers }).auth_http();
    let client = client.map_err(|error| Failure::usage(error.to_string()))?;
    let advice = |_: &_| "ask those who run the server";
    let answered = within(limit, &uri, advice, post(report, &client, remote, &uri)).await;
    Ok(Some((report.step("HTTP", answered)?, client)))
}

async fn within<T>(
    limit: Duration,
    uri: &Uri,
    advice: impl FnOnce(&io::Error) -> &'static str,
    step: impl Future<Output = io::Result<T>>,
) -> Result<T, Failure> {
    let late = || io::Error::new(ErrorKind::TimedOut, format!("no answer within {limit:?}"));
    let done = timeout(limit, step).await.unwrap_or_else(|_| Err(late()));
    done.map_err(|error| {
        let message = match error.to_string() {
            // The client names the host.
            text if text.starts_with(&host(uri)) => text,
            text => format!("{} can't be reached: {text}", host(uri)),
        };
        Failure::new(Kind::Unreachable, message).advise(advice(&error))
    })
}

async fn resolve(uri: &Uri) -> io::Result<Vec<SocketAddr>> {
    let port = if is_encrypted(uri) { 443 } else { 80 };
    let found = lookup_host((name(uri), uri.port_u16().unwrap_or(port))).await?;
    Ok(found.collect())
}

async fn tls(
    report: &mut Report<'_>,
    uri: &Uri,
    stream: TcpStream,
    roots: &Roots,
) -> io::Result<()> {
    let server = ServerName::try_from(name(uri).to_owned()).map_err(io::Error::other)?;
    let (config, seen) = roots.observed().map_err(io::Error::other)?;
    let connected = TlsConnector::from(config).connect(server, stream).await;
    let connection = connected.as_ref().ok().map(|it| it.get_ref().1);
    let version = connection.and_then(|it| it.protocol_version()?.as_str());
    report.facts(version.map(|it| it.replace("TLSv", "TLS ").replace('_', ".")));
    if let Some(certificate) = seen.get().and_then(|it| Certificate::from_der(it).ok()) {
        let certificate = certificate.tbs_certificate();
        report.fact(format!("issued by {}", certificate.issuer()));
        let end = certificate.validity().not_after.to_system_time();
        let date = humantime::format_rfc3339_seconds(end).to_string();
        let date = date.split('T').next().unwrap_or_default();
        report.fact(match end.duration_since(SystemTime::now()) {
            Ok(left) => format!("valid until {date} ({} days left)", left.as_secs() / 86_400),
            Err(_) => format!("ended on {date}"),
        });
    }
    connected.map(drop)
}

fn tls_advice(error: &io::Error) -> &'static str {
    let text = error.to_string();
    let known = TLS_ADVICE.iter().find(|it| text.contains(it.0));
    known.map_or("ask those who run the server", |it| it.1)
}

async fn post(
    report: &mut Report<'_>,
    client: &AuthHttp,
    remote: &Remote,
    uri: &Uri,
) -> io::Result<Parts> {
    let scheme = uri.scheme_str().unwrap_or_default();
    let path = uri.path_and_query().map_or("/", |it| it.as_str());
    // User information is left out.
    let mut request = Request::post(format!("{scheme}://{}{path}", host(uri)))
        .header(ACCEPT, "application/json, text/event-stream")
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in &remote.headers {
        request = request.header(name, value);
    }
    let request = request.body(PING.to_owned()).map_err(io::Error::other)?;
    let (answer, _) = client.send(request).await?.into_parts();
    report.fact(format!("{:?} {}", answer.version, answer.status));
    let header = |name: HeaderName| answer.headers.get(name)?.to_str().ok();
    report.facts(header(SERVER).map(|it| format!("server {it}")));
    let target = header(LOCATION).and_then(|it| it.split('?').next());
    report.facts(target.map(|it| format!("redirects to {it}")));
    Ok(answer)
}

/// The host of a URL, with its port if it has one.
fn host(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    uri.port()
        .map_or_else(|| host.to_owned(), |it| format!("{host}:{it}"))
}

/// The name or address of the host, without the brackets of IPv6.
fn name(uri: &Uri) -> &str {
    let host = uri.host().unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']')
}

fn is_encrypted(uri: &Uri) -> bool {
    let scheme = uri.scheme_str().unwrap_or_default().to_lowercase();
    scheme == "https" || scheme == "wss"
}
