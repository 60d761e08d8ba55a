//! The part of the flow that runs in the browser: the client's request, the consent page, the
//! provider's login and the response.

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use mcp_runtime::transport::http::{AccessDenied, PeerAddr};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::client::{Client, Destination};
use super::endpoints::{CONSENT, Endpoints};
use super::http_message::{
    OAuthError, OAuthResult, Parameters, cookie, redirect, refused, response, set_cookie,
};
use super::upstream::{Begun, Granted};
use crate::client::authorization::with_query;
use crate::limits::proxy::{CODE_LIFETIME, MAX_ASKED, PAGE_LIFETIME, PROVIDER_TIMEOUT};
use crate::metadata::url::ServerUrl;
use crate::util::{hash_text, random_text, unix_now};

const BUSY: &str = "The server can't look up the application right now. Try again in a moment.";

/// The cookie of a browser that was shown the consent page.
const BROWSER: &str = "__Host-mcp-consent";

/// An authorization request of a client.
///
/// The request is sealed and sent along with each step, so the proxy stores nothing. The consent
/// form carries it with the hash of the browser's cookie, so no other site can forge the form for
/// this browser. During the login at the provider, a cookie carries it, so no other browser can
/// finish the login. Finally the code carries it with the identifier of the login.
#[derive(Serialize, Deserialize)]
pub(super) struct Asked {
    /// The hash of the client's identifier.
    pub(super) client: String,
    pub(super) redirect_uri: String,
    state: Option<String>,
    /// `code_challenge` of PKCE with `S256`.
    pub(super) challenge: String,
    scopes: Vec<String>,
}

/// The name of the cookie for the login with this `state`. A browser may have several logins.
fn cookie_of(state: &str) -> String {
    format!("__Host-mcp-login-{}", &hash_text(state)[..16])
}

/// The time `seconds` from now, in seconds since 1970.
fn after(seconds: u64) -> u64 {
    unix_now() + seconds
}

impl Endpoints {
    /// Shows the consent page for an authorization request (RFC 6749 §4.1.1).
    pub(super) async fn authorize(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let bad = |text: &str| refused(StatusCode::BAD_REQUEST, text);
        let Some(parameters) = Parameters::of_query(request) else {
            return bad("A parameter of the request is repeated.");
        };
        let get = |name: &str| parameters.get(name).unwrap_or_default().to_owned();
        let id = get("client_id");
        let caller = request.extensions().get();
        let caller = caller.map(|PeerAddr(address)| address.ip());
        // The identifier is either the URL of a metadata document or a sealed registration.
        let found = if id.starts_with("https://") {
            self.documents.get(&id, caller).await
        } else {
            Ok(self.sealer.open("registration", &id))
        };
        let client: Client = match found {
            Ok(Some(client)) => client,
            Ok(None) => return bad("The application is not known here. It must register again."),
            Err(time) => {
                let busy = AccessDenied::unavailable(time).message(BUSY);
                return busy.into_response().map(Bytes::from);
            }
        };
        let mut asked = Asked {
            client: hash_text(&id),
            redirect_uri: get("redirect_uri"),
            state: parameters.get("state").map(str::to_owned),
            challenge: get("code_challenge"),
            scopes: Vec::new(),
        };
        let destination = Destination::of(&asked.redirect_uri, &self.settings.schemes);
        let may_redirect = client.may_redirect_to(&asked.redirect_uri);
        let Some(destination) = destination.filter(|_| may_redirect) else {
            return bad("The redirect address does not belong to the application.");
        };
        let checked = self.check(&parameters, &mut asked);
        let asking = checked.and_then(|()| self.ask(request, &client, &destination, &asked));
        asking.unwrap_or_else(|error| {
            // Anybody can register a client, so nobody is redirected to its site before consent
            // (RFC 9700 §4.11.2).
            if destination.is_loopback {
                self.send_back(&asked, Err(error))
            } else {
                bad(error.text)
            }
        })
    }

    /// Checks the remaining parameters after the redirect URI was accepted, and sets the scopes.
    fn check(&self, parameters: &Parameters, asked: &mut Asked) -> OAuthResult<()> {
        let text = "`response_type` must be `code`";
        let is_code = parameters.get("response_type") == Some("code");
        OAuthError::new("unsupported_response_type", text).unless(is_code)?;
        let text = "PKCE is required: `code_challenge` with `code_challenge_method=S256`";
        let is_s256 = parameters.get("code_challenge_method") == Some("S256");
        let is_s256 = is_s256 && asked.challenge.len() == hash_text("").len();
        OAuthError::new("invalid_request", text).unless(is_s256)?;
        self.check_resource(parameters)?;
        asked.scopes = self.granted(parameters.get("scope"), &self.supported)?;
        let is_short = serde_json::to_vec(asked)?.len() <= MAX_ASKED;
        OAuthError::new("invalid_request", "the request is too long").unless(is_short)
    }

    pub(super) fn check_resource(&self, parameters: &Parameters) -> OAuthResult<()> {
        let identifier = |url: &str| ServerUrl::parse(url).ok().map(|it| it.identifier());
        let own = identifier(&self.settings.resource);
        let asked = parameters.get("resource").map(identifier);
        let error = OAuthError::new("invalid_target", "`resource` names a different server");
        error.unless(asked.is_none_or(|asked| asked == own))
    }

    /// The requested scopes that are available in `of`. If none are requested, the scopes that all
    /// requests need.
    pub(super) fn granted(&self, asked: Option<&str>, of: &[String]) -> OAuthResult<Vec<String>> {
        let is_asked = |scope: &&String| match asked {
            Some(asked) => asked.split_ascii_whitespace().any(|it| it == *scope),
            None => self.settings.scopes.contains(scope),
        };
        let granted: Vec<_> = of.iter().filter(is_asked).cloned().collect();
        let is_some = asked.is_none() || of.is_empty() || !granted.is_empty();
        OAuthError::new("invalid_scope", "none of the requested scopes exists").unless(is_some)?;
        Ok(granted)
    }

    /// Shows the consent page. The page is shown for every login, because otherwise another site
    /// could send a browser through the flow unnoticed.
    fn ask(
        &self,
        request: &Request<Bytes>,
        client: &Client,
        destination: &Destination,
        asked: &Asked,
    ) -> OAuthResult<Response<Bytes>> {
        let known = cookie(request, BROWSER).filter(|it| it.len() == hash_text("").len());
        let cookie = known.map_or_else(random_text, |it| Ok(it.to_owned()))?;
        let question = (asked, hash_text(&cookie));
        let ends_at = after(PAGE_LIFETIME);
        let sealed = self.sealer.seal("consent", ends_at, &question)?;
        let page = consent_page(self, client, destination, &asked.scopes, &sealed);
        let mut response = response(StatusCode::OK, "text/html; charset=utf-8", page);
        set_cookie(&mut response, BROWSER, &cookie, PAGE_LIFETIME);
        Ok(response)
    }

    /// Redirects the browser to the client with a code or an error, and with `iss` (RFC 9207 §2).
    fn send_back(&self, asked: &Asked, outcome: OAuthResult<String>) -> Response<Bytes> {
        let mut parameters = match &outcome {
            Ok(code) => vec![("code", &**code)],
            Err(error) => vec![("error", error.code), ("error_description", error.text)],
        };
        parameters.extend(asked.state.iter().map(|state| ("state", &**state)));
        parameters.push(("iss", &self.settings.issuer));
        redirect(&with_query(&asked.redirect_uri, parameters))
    }

    /// Handles the person's decision, and starts the login at the provider.
    pub(super) async fn consent(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let form = Parameters::of_form(request).ok();
        let field = |name: &str| form.as_ref()?.get(name);
        let question = field("login").and_then(|it| self.sealer.open("consent", it));
        let Some((asked, browser)): Option<(Asked, String)> = question else {
            let text = "The page was not from this server, or it has expired. Start again.";
            return refused(StatusCode::BAD_REQUEST, text);
        };
        if cookie(request, BROWSER).map(hash_text) != Some(browser) {
            let text = "This browser was not asked for consent, or it does not keep the cookies of \
                        this server. Some browsers refuse secure cookies of http://localhost.";
            return refused(StatusCode::FORBIDDEN, text);
        }
        if field("decision") != Some("allow") {
            let denied = OAuthError::new("access_denied", "the person has refused");
            return self.send_back(&asked, Err(denied));
        }
        let begun = self.begin(&asked).await;
        begun.unwrap_or_else(|error| self.send_back(&asked, Err(error)))
    }

    async fn begin(&self, asked: &Asked) -> OAuthResult<Response<Bytes>> {
        let (url, begun) = self.upstream.begin().await?;
        let login = (asked, &begun);
        let ends_at = after(PAGE_LIFETIME);
        let sealed = self.sealer.seal("login", ends_at, &login)?;
        let mut response = redirect(&url);
        let name = cookie_of(&begun.state);
        set_cookie(&mut response, &name, &sealed, PAGE_LIFETIME);
        Ok(response)
    }

    /// Handles the provider's response, if it belongs to a login that this browser started.
    pub(super) async fn callback(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let parameters = Parameters::of_query(request);
        let state = parameters.as_ref().and_then(|it| it.get("state"));
        let name = cookie_of(state.unwrap_or_default());
        let under_way = cookie(request, &name).and_then(|it| self.sealer.open("login", it));
        let under_way = under_way.filter(|(_, begun): &(Asked, Begun)| state == Some(&begun.state));
        let (Some(parameters), Some((asked, begun))) = (&parameters, under_way) else {
            let text = "This login was not started in this browser, has already ended, or took too \
                        long. Start again.";
            return refused(StatusCode::FORBIDDEN, text);
        };
        let code = self.code(parameters, &asked, &begun).await;
        let mut response = self.send_back(&asked, code);
        set_cookie(&mut response, &name, "", 0);
        response
    }

    async fn code(&self, query: &Parameters, asked: &Asked, begun: &Begun) -> OAuthResult<String> {
        let granted = timeout(PROVIDER_TIMEOUT, self.redeemed(query, begun)).await??;
        let login = self.logins.add(granted, asked.scopes.clone()).await?;
        Ok(self
            .sealer
            .seal("code", after(CODE_LIFETIME), &(login, asked))?)
    }

    async fn redeemed(&self, query: &Parameters, begun: &Begun) -> OAuthResult<Granted> {
        self.upstream.check_issuer(query.get("iss")).await?;
        let Some(code) = query.get("code") else {
            let error = query.get("error").unwrap_or_default();
            tracing::info!(?error, "the provider has refused a login");
            let is_denied = error == "access_denied";
            let code = if is_denied {
                "access_denied"
            } else {
                "server_error"
            };
            return Err(OAuthError::new(code, "the provider has refused the login"));
        };
        let redeemed = self.upstream.redeem(code, begun).await;
        redeemed.map_err(|error| match error.code {
            "invalid_grant" => OAuthError::new("server_error", error.text),
            _ => error,
        })
    }
}

fn consent_page(
    endpoints: &Endpoints,
    client: &Client,
    destination: &Destination,
    scopes: &[String],
    sealed: &str,
) -> String {
    let settings = &endpoints.settings;
    let provider = &endpoints.upstream.provider;
    let [name, place, resource, issuer] = [
        &client.name,
        &destination.name,
        &settings.resource,
        &provider.issuer,
    ]
    .map(|it| escape(it));
    let origin = match &client.host {
        Some(host) => format!("It is described by <strong>{}</strong>.", escape(host)),
        None => "It chose this name itself, and nobody has checked it.".to_owned(),
    };
    let warning = ": a program on your computer. Any program there can use this name. Continue \
                   only if you have just started the login there";
    let warning = if destination.is_loopback { warning } else { "" };
    let asked = list(&provider.scopes);
    let scopes = list(scopes);
    let action = escape(&format!("{}{CONSENT}", endpoints.path));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Allow {name}?</title>\n<h1>Allow {name}?</h1>\n<p><strong>{name}</strong> asks for \
         access to <strong>{resource}</strong> in your name. {origin}</p>\n{scopes}<p>You will be sent \
         to <strong>{place}</strong>{warning}.</p>\n<p>Before, you will log in at \
         <strong>{issuer}</strong>, which this server asks for:</p>\n{asked}<form method=\"post\" \
         action=\"{action}\">\n<input type=\"hidden\" name=\"login\" value=\"{sealed}\">\n<button \
         name=\"decision\" value=\"deny\">Cancel</button>\n<button name=\"decision\" \
         value=\"allow\">Allow</button>\n</form>\n</html>\n"
    )
}

fn list(scopes: &[String]) -> String {
    let items = scopes.iter().map(|it| format!("<li>{}</li>", escape(it)));
    format!("<ul>{}</ul>\n", items.collect::<String>())
}

fn escape(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
