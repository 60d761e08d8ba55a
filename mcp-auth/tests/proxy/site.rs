//! A server behind a proxy, its provider, and a client that logs in step by step.

use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use http::{Request, StatusCode};
use mcp_auth::Claims;
use mcp_auth::jwt::SigningKey;
use mcp_auth::proxy::{OAuthProxy, Provider, ProxyKeys};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, Principal, http_service};
use mcp_runtime::transport::http_client::AuthHttp;
use serde_json::{Value, json};
use support::{AuthorizationServer, Settings};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::browser::{Browser, Page, encoded};

/// The redirect URI of the test's client.
pub const REDIRECT: &str = "http://127.0.0.1:3000/callback";
/// A PKCE verifier and its challenge (RFC 7636, appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {
    #[tool]
    fn whoami(&self, claims: &Claims, principal: &Principal) -> String {
        let mail = claims.get("email").and_then(Value::as_str);
        let subject = claims.subject().unwrap_or_default();
        format!("{subject} {} {}", mail.unwrap_or("-"), principal.name())
    }

    #[tool(scopes("files:write"))]
    fn write(&self) -> &'static str {
        "written"
    }
}

/// A running server with the proxy as its access policy.
pub struct Site {
    /// The identifier of the resource.
    pub url: String,
    pub origin: String,
    pub provider: AuthorizationServer,
    pub http: AuthHttp,
    /// The runtime of the server. Shutting it down has the effect of ending the server's process.
    process: Option<Runtime>,
}

/// The same keys on each call.
pub fn keys() -> ProxyKeys {
    ProxyKeys::new(signing_key(), [7; 32])
}

pub fn signing_key() -> SigningKey {
    static KEY: LazyLock<Vec<u8>> =
        LazyLock::new(|| SigningKey::generate().unwrap().to_pkcs8().to_vec());
    SigningKey::from_pkcs8(&KEY).unwrap()
}

pub async fn provider(change: impl FnOnce(&mut Settings)) -> AuthorizationServer {
    AuthorizationServer::with(|settings| {
        settings.clients = vec![support::Client {
            redirect_uris: vec!["*".to_owned()],
            ..support::Client::secret("proxy", "secret")
        }];
        settings.registration = false;
        settings.id_token_claims = json!({"email": "alice@example.com"});
        change(settings);
    })
    .await
}

/// The proxy's client at its provider.
pub fn at(provider: &AuthorizationServer) -> Provider {
    Provider::new(provider.issuer(), "proxy").secret("secret")
}

impl Site {
    pub async fn open() -> Self {
        Self::with(|proxy| proxy).await
    }

    pub async fn with(change: impl FnOnce(OAuthProxy) -> OAuthProxy) -> Self {
        let provider = provider(|_| ()).await;
        let client = at(&provider);
        Self::of(provider, client, change).await
    }

    pub async fn of(
        provider: AuthorizationServer,
        client: Provider,
        change: impl FnOnce(OAuthProxy) -> OAuthProxy,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, provider, client, change)
    }

    pub fn on(
        listener: TcpListener,
        provider: AuthorizationServer,
        client: Provider,
        change: impl FnOnce(OAuthProxy) -> OAuthProxy,
    ) -> Self {
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        Self::serving(listener, url, provider, client, keys(), change)
    }

    /// Starts the same site again.
    pub fn again(
        &self,
        listener: TcpListener,
        keys: ProxyKeys,
        change: impl FnOnce(OAuthProxy) -> OAuthProxy,
    ) -> Self {
        let client = at(&self.provider);
        let url = self.url.clone();
        let provider = self.provider.clone();
        Self::serving(listener, url, provider, client, keys, change)
    }

    /// A replica of this site on another port, for this resource.
    pub async fn replica(&self, url: &str, change: impl FnOnce(OAuthProxy) -> OAuthProxy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = self.provider.clone();
        let client = at(&self.provider);
        Self::serving(listener, url.to_owned(), provider, client, keys(), change)
    }

    fn serving(
        listener: TcpListener,
        url: String,
        provider: AuthorizationServer,
        client: Provider,
        keys: ProxyKeys,
        change: impl FnOnce(OAuthProxy) -> OAuthProxy,
    ) -> Self {
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let proxy = OAuthProxy::new(&url, client, keys);
        let proxy = change(
            proxy
                .scopes(["files:read"])
                .optional_scopes(["files:write"]),
        );
        assert_eq!(proxy.check(), Ok(()));
        let redirect_uri = proxy.redirect_uri();
        provider.change(|settings| {
            for client in &mut settings.clients {
                if client.id == "proxy" {
                    client.redirect_uris = vec![redirect_uri.clone()];
                }
            }
        });
        let paths = proxy.paths();
        let service = http_service(Files.into_server(), HttpOptions::default().auth(proxy));
        let mut router = Router::new().route_service("/mcp", service.clone());
        for path in paths {
            router = router.route_service(&path, service.clone());
        }
        let process = Runtime::new().unwrap();
        let listener = listener.into_std().unwrap();
        process.spawn(async move {
            let _guard = service.start().await.unwrap();
            let listener = TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            url,
            origin,
            provider,
            http: AuthHttp::trusted([]).unwrap(),
            process: Some(process),
        }
    }

    /// Stops the server immediately, whatever it is doing, and returns a listener on its port.
    pub async fn kill(&mut self) -> TcpListener {
        let process = self.process.take().unwrap();
        let killed =
            tokio::task::spawn_blocking(|| process.shutdown_timeout(Duration::from_secs(60)));
        killed.await.unwrap();
        let address = self.origin.trim_start_matches("http://");
        TcpListener::bind(address).await.unwrap()
    }

    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub async fn send(&self, request: Request<String>) -> (StatusCode, Value) {
        let answer = self.http.send(request).await.unwrap();
        let body = serde_json::from_slice(answer.body());
        (answer.status(), body.unwrap_or_default())
    }

    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let request = Request::post(self.at(path))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(form));
        let (status, json) = self.send(request.unwrap()).await;
        (status.as_u16(), json)
    }

    pub async fn register(&self, metadata: &Value) -> (u16, Value) {
        let request = Request::post(self.at("/register"))
            .header("content-type", "application/json")
            .body(metadata.to_string());
        let (status, json) = self.send(request.unwrap()).await;
        (status.as_u16(), json)
    }

    /// Registers a client with this redirect URI, and returns its identifier.
    pub async fn client(&self, redirect_uri: &str) -> String {
        let metadata = json!({"client_name": "Test", "redirect_uris": [redirect_uri]});
        let (status, client) = self.register(&metadata).await;
        assert_eq!(status, 201, "{client}");
        client["client_id"].as_str().unwrap().to_owned()
    }

    /// The URL of a valid authorization request, with these parameters replaced. Empty parameters
    /// are left out.
    pub fn authorize(&self, client: &str, other: &[(&str, &str)]) -> String {
        let right = [
            ("response_type", "code"),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("state", "state of the client"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("resource", &self.url),
            ("scope", "files:read"),
        ];
        let replaced = |name: &str| other.iter().any(|(it, _)| *it == name);
        let all = right.into_iter().filter(|(name, _)| !replaced(name));
        let all = all.chain(other.iter().copied());
        let all: Vec<_> = all.filter(|(_, value)| !value.is_empty()).collect();
        format!("{}?{}", self.at("/authorize"), encoded(&all))
    }

    /// Gives consent and logs in at the provider. Returns the URL of the callback.
    pub async fn consent(&self, browser: &mut Browser, page: &Page) -> String {
        assert_eq!(page.status(), 200, "{page:?}");
        let form = [("login", page.sealed()), ("decision", "allow")];
        let to_provider = browser.post(&self.at("/consent"), &form).await;
        assert_eq!(to_provider.status(), 303, "{to_provider:?}");
        let callback = Browser::new().get(to_provider.location()).await;
        callback.location().to_owned()
    }

    /// Logs in, and returns the redirect to the client.
    pub async fn login(&self, browser: &mut Browser, url: &str) -> Page {
        let page = browser.get(url).await;
        let callback = self.consent(browser, &page).await;
        browser.get(&callback).await
    }

    /// Logs in, and returns the code.
    pub async fn code(&self, client: &str) -> String {
        let back = self
            .login(&mut Browser::new(), &self.authorize(client, &[]))
            .await;
        back.parameter("code").unwrap_or_else(|| panic!("{back:?}"))
    }

    /// Redeems a code, with these parameters replaced.
    pub async fn redeem(&self, client: &str, code: &str, other: &[(&str, &str)]) -> (u16, Value) {
        let right = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
            ("resource", &self.url),
        ];
        let replaced = |name: &str| other.iter().any(|(it, _)| *it == name);
        let all = right.into_iter().filter(|(name, _)| !replaced(name));
        let all: Vec<_> = all.chain(other.iter().copied()).collect();
        self.post("/token", &all).await
    }

    /// Logs in, and returns the access token and the refresh token.
    pub async fn tokens(&self, client: &str) -> (String, String) {
        let code = self.code(client).await;
        tokens(self.redeem(client, &code, &[]).await)
    }

    pub async fn refresh(&self, client: &str, token: &str) -> (u16, Value) {
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token),
            ("client_id", client),
        ];
        self.post("/token", &form).await
    }

    /// Calls a tool with an access token. Returns the status and the text of the result.
    pub async fn call(&self, token: &str, tool: &str) -> (u16, String) {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }},
        });
        let request = Request::post(self.at("/mcp"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", tool)
            .header("authorization", format!("Bearer {token}"))
            .body(body.to_string());
        let (status, json) = self.send(request.unwrap()).await;
        let text = json["result"]["content"][0]["text"].as_str();
        let text = text.map_or_else(|| json.to_string(), str::to_owned);
        (status.as_u16(), text)
    }
}

/// The access token and the refresh token in a response.
pub fn tokens((status, answer): (u16, Value)) -> (String, String) {
    assert_eq!(status, 200, "{answer}");
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}

/// Checks that a request was rejected with this error.
pub fn assert_error((status, answer): (u16, Value), error: &str) {
    assert_eq!(
        (status, answer["error"].as_str()),
        (400, Some(error)),
        "{answer}"
    );
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.shutdown_background();
        }
    }
}
