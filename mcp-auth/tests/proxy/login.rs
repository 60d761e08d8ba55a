//! Complete logins.

use std::sync::Arc;

use http::Request;
use mcp_auth::OAuth;
use mcp_auth::client::store::MemoryStore;
use mcp_runtime::Client;
use mcp_runtime::transport::http_client::http_client;
use serde_json::json;
use support::{Decision, Endpoint};
use tokio::sync::Mutex;

use crate::browser::{Browser, parameter};
use crate::site::{REDIRECT, Site, assert_error, tokens};

#[tokio::test]
async fn a_stranger_registers_logs_in_and_calls() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let back = site
        .login(&mut browser, &site.authorize(&client, &[]))
        .await;
    assert_eq!(back.status(), 303);
    assert!(back.location().starts_with(&format!("{REDIRECT}?code=")));
    assert_eq!(
        back.parameter("state").as_deref(),
        Some("state of the client")
    );
    assert_eq!(back.parameter("iss").as_deref(), Some(&*site.origin));
    let code = back.parameter("code").unwrap();
    let (status, answer) = site.redeem(&client, &code, &[]).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["scope"], "files:read");
    // The provider issues a refresh token, so its lifetime of 300 s does not limit the proxy's
    // token.
    assert_eq!(answer["expires_in"], 600);
    let (access, _) = tokens((status, answer));
    let issuer = site.provider.issuer();
    let (status, text) = site.call(&access, "whoami").await;
    let principal = json!([issuer, "sub", "alice"]).to_string();
    assert_eq!(
        (status, text),
        (200, format!("alice alice@example.com {principal}"))
    );
    // The cookie of the login was removed.
    assert!(browser.cookies.keys().all(|it| it == "__Host-mcp-consent"));
}

#[tokio::test]
async fn the_provider_gets_a_request_of_one_client() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    site.code(&client).await;
    let asked = site.provider.requests_to(Endpoint::Authorize).remove(0);
    assert_eq!(asked.parameter("client_id"), Some("proxy"));
    assert_eq!(
        asked.parameter("redirect_uri"),
        Some(&*site.at("/callback"))
    );
    assert_eq!(asked.parameter("scope"), Some("openid"));
    assert_eq!(asked.parameter("code_challenge_method"), Some("S256"));
    for name in ["state", "nonce", "code_challenge"] {
        assert_eq!(asked.parameter(name).unwrap().len(), 43, "{name}");
    }
    let redeemed = site.provider.requests_to(Endpoint::Token).remove(0);
    assert!(
        redeemed
            .header("authorization")
            .unwrap()
            .starts_with("Basic ")
    );
}

#[tokio::test]
async fn metadata_names_the_proxy_and_what_it_offers() {
    let site = Site::open().await;
    let get = async |path: &str| {
        let request = Request::get(site.at(path)).body(String::new()).unwrap();
        site.send(request).await.1
    };
    let resource = get("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!(resource["resource"], *site.url);
    assert_eq!(resource["authorization_servers"], json!([site.origin]));
    let server = get("/.well-known/oauth-authorization-server").await;
    assert_eq!(server["issuer"], *site.origin);
    for (name, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/token"),
        ("registration_endpoint", "/register"),
        ("revocation_endpoint", "/revoke"),
    ] {
        assert_eq!(server[name], site.at(path));
    }
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(
        server["token_endpoint_auth_methods_supported"],
        json!(["none"])
    );
    assert_eq!(
        server["authorization_response_iss_parameter_supported"],
        true
    );
    assert_eq!(server["client_id_metadata_document_supported"], true);
    assert_eq!(
        server["scopes_supported"],
        json!(["files:read", "files:write"])
    );
}

/// A person who allows everything, always in the same browser.
fn person(site: &Site) -> OAuth {
    let browser = Arc::new(Mutex::new(Browser::new()));
    let consent = site.at("/consent");
    OAuth::new("proxy").opener(move |url| {
        let browser = Arc::clone(&browser);
        let consent = consent.clone();
        async move {
            let mut browser = browser.lock().await;
            let page = browser.get(&url).await;
            let form = [("login", page.sealed()), ("decision", "allow")];
            let to_provider = browser.post(&consent, &form).await;
            let callback = Browser::new().get(to_provider.location()).await;
            let back = browser.get(callback.location()).await;
            support::browser::get(back.location()).await;
            Ok(())
        }
    })
}

#[tokio::test]
async fn our_own_client_logs_in_asks_for_more_and_refreshes() {
    let site = Site::open().await;
    let store = MemoryStore::new();
    for (logins, tool, answer) in [
        (1, "whoami", "alice"),
        (2, "write", "written"),
        (2, "whoami", "alice"),
    ] {
        let oauth = person(&site).store(store.clone());
        let client = Client::builder("proxy", "1.0");
        let client = client
            .connect(http_client(&*site.url).auth(oauth))
            .await
            .unwrap();
        let result = client.call_tool(tool, json!({})).await.unwrap();
        assert!(
            result.texts().next().unwrap().starts_with(answer),
            "{result:?}"
        );
        assert_eq!(site.provider.count(Endpoint::Authorize), logins);
        client.close().await;
    }
    assert_eq!(site.provider.count(Endpoint::Register), 0);
}

#[tokio::test]
async fn scopes_are_those_that_were_asked_for_and_exist() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    for (asked, granted) in [
        ("", "files:read"),
        ("files:read files:write", "files:read files:write"),
        ("files:read admin openid", "files:read"),
        ("files:write", "files:write"),
    ] {
        let url = site.authorize(&client, &[("scope", asked)]);
        let back = site.login(&mut Browser::new(), &url).await;
        let code = back.parameter("code").unwrap();
        let (status, answer) = site.redeem(&client, &code, &[]).await;
        assert_eq!(
            (status, &answer["scope"]),
            (200, &json!(granted)),
            "{asked}"
        );
        let (access, _) = tokens((status, answer));
        let needs = site.call(&access, "whoami").await.0;
        assert_eq!(
            needs,
            if granted.contains("files:read") {
                200
            } else {
                403
            },
            "{asked}"
        );
    }
    let url = site.authorize(&client, &[("scope", "admin")]);
    let back = Browser::new().get(&url).await;
    assert_eq!(back.parameter("error").as_deref(), Some("invalid_scope"));
    let (access, _) = site.tokens(&client).await;
    assert_eq!(site.call(&access, "write").await.0, 403);
}

#[tokio::test]
async fn a_person_may_refuse_here_and_there() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    for decision in ["deny", ""] {
        let form = [("login", page.sealed()), ("decision", decision)];
        let back = browser.post(&site.at("/consent"), &form).await;
        assert!(back.location().starts_with(REDIRECT));
        assert_eq!(back.parameter("error").as_deref(), Some("access_denied"));
        assert_eq!(back.parameter("iss").as_deref(), Some(&*site.origin));
    }
    assert_eq!(site.provider.count(Endpoint::Authorize), 0);
    for (error, expected) in [("access_denied", "access_denied"), ("boom", "server_error")] {
        let refuse = Decision::Refuse(error.to_owned(), "<b>".to_owned());
        site.provider.change(|settings| settings.decision = refuse);
        let back = site
            .login(&mut browser, &site.authorize(&client, &[]))
            .await;
        assert_eq!(back.parameter("error").as_deref(), Some(expected));
        assert_eq!(
            back.parameter("state").as_deref(),
            Some("state of the client")
        );
        assert!(!back.location().contains("%3Cb"));
    }
}

#[tokio::test]
async fn a_redirect_uri_keeps_its_query_and_loopback_has_any_port() {
    let site = Site::open().await;
    let client = site.client("http://127.0.0.1/cb?a=b").await;
    let uri = "http://127.0.0.1:4321/cb?a=b";
    let url = site.authorize(&client, &[("redirect_uri", uri)]);
    let back = site.login(&mut Browser::new(), &url).await;
    assert!(
        back.location()
            .starts_with("http://127.0.0.1:4321/cb?a=b&code=")
    );
    let code = back.parameter("code").unwrap();
    let (status, answer) = site.redeem(&client, &code, &[("redirect_uri", uri)]).await;
    assert_eq!(status, 200, "{answer}");
}

#[tokio::test]
async fn a_browser_may_have_two_logins_under_way() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let pages = [
        browser
            .get(&site.authorize(&client, &[("state", "1")]))
            .await,
        browser
            .get(&site.authorize(&client, &[("state", "2")]))
            .await,
    ];
    let mut callbacks = Vec::new();
    for page in &pages {
        callbacks.push(site.consent(&mut browser, page).await);
    }
    for (state, callback) in [("1", &callbacks[0]), ("2", &callbacks[1])] {
        let back = browser.get(callback).await;
        assert_eq!(back.parameter("state").as_deref(), Some(state));
        assert!(back.parameter("code").is_some());
    }
}

#[tokio::test]
async fn endpoints_take_one_method_and_their_own_content_only() {
    let site = Site::open().await;
    for (path, method, allowed) in [
        ("/authorize", "POST", "GET"),
        ("/callback", "POST", "GET"),
        ("/token", "GET", "POST"),
        ("/consent", "GET", "POST"),
        ("/register", "GET", "POST"),
        ("/revoke", "DELETE", "POST"),
    ] {
        let request = Request::builder().method(method).uri(site.at(path));
        let answer = site
            .http
            .send(request.body(String::new()).unwrap())
            .await
            .unwrap();
        assert_eq!(answer.status(), 405, "{path}");
        assert_eq!(answer.headers()["allow"], allowed);
    }
    for path in ["/token", "/revoke"] {
        let json = Request::post(site.at(path)).header("content-type", "application/json");
        let (status, answer) = site.send(json.body("{}".to_owned()).unwrap()).await;
        assert_error((status.as_u16(), answer), "invalid_request");
        let twice = [("token", "a"), ("token", "a"), ("client_id", "b")];
        assert_error(site.post(path, &twice).await, "invalid_request");
        let long = "a".repeat(64 * 1024);
        assert_eq!(site.post(path, &[("token", &long)]).await.0, 413);
    }
    let (status, answer) = site.post("/token", &[("client_id", "a")]).await;
    assert_error((status, answer), "unsupported_grant_type");
    assert_eq!(
        parameter(&site.authorize("a", &[]), "client_id").as_deref(),
        Some("a")
    );
}

#[tokio::test]
async fn an_issuer_may_have_a_path() {
    let site = Site::with(|proxy| {
        let origin = proxy.redirect_uri().replace("/callback", "");
        proxy.issuer(format!("{origin}/login"))
    })
    .await;
    let url = site.at("/.well-known/oauth-authorization-server/login");
    let (status, server) = site
        .send(Request::get(url).body(String::new()).unwrap())
        .await;
    assert_eq!(status, 200);
    assert_eq!(server["issuer"], site.at("/login"));
    assert_eq!(server["token_endpoint"], site.at("/login/token"));
    let request = Request::post(site.at("/login/register"))
        .header("content-type", "application/json")
        .body(json!({"redirect_uris": [REDIRECT]}).to_string());
    assert_eq!(site.send(request.unwrap()).await.0, 201);
    let request = Request::get(site.at("/authorize")).body(String::new());
    assert_eq!(site.send(request.unwrap()).await.0, 404);
}
