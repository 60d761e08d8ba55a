//! Published attacks on proxies of this kind and on authorization servers.

use serde_json::json;
use support::{Endpoint, Fault, Iss};

use crate::browser::{Browser, Page};
use crate::site::{REDIRECT, Site, assert_error, at, tokens};

/// Checks that a page neither redirects nor contains a link.
fn assert_stays(page: &Page, status: u16) {
    assert_eq!(page.status(), status, "{page:?}");
    assert_eq!(page.header("location"), None);
    assert!(!page.text().contains("<a "), "{}", page.text());
}

/// The confused deputy (MCP, "Security Best Practices"). The provider does not ask for consent
/// again, because it sees the proxy as a single client, so the proxy must ask.
#[tokio::test]
async fn a_second_client_does_not_skip_consent() {
    let site = Site::open().await;
    let mut browser = Browser::new();
    let first = site.client(REDIRECT).await;
    site.login(&mut browser, &site.authorize(&first, &[])).await;
    let evil = "https://evil.example/cb";
    let second = site.client(evil).await;
    let page = browser
        .get(&site.authorize(&second, &[("redirect_uri", evil)]))
        .await;
    assert_stays(&page, 200);
    assert!(page.text().contains("evil.example"));
    // The first client does not skip it either: a malicious server could have sent the browser here
    // (GHSA-6x8h-498w-gv8c).
    let page = browser.get(&site.authorize(&first, &[])).await;
    assert_stays(&page, 200);
    assert_eq!(site.provider.count(Endpoint::Authorize), 1);
}

/// A login that the attacker allowed and the victim finishes at the provider (GHSA-rww4-4w9c-7733),
/// and the reverse: login CSRF.
#[tokio::test]
async fn a_login_ends_in_the_browser_in_which_it_began() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut attacker = Browser::new();
    let page = attacker.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut attacker, &page).await;
    assert_stays(&Browser::new().get(&callback).await, 403);
    let mut victim = Browser::new();
    let page = victim.get(&site.authorize(&client, &[])).await;
    let own = site.consent(&mut victim, &page).await;
    assert_stays(&victim.get(&callback).await, 403);
    assert_eq!(site.provider.count(Endpoint::Token), 0);
    // Combine the state of one login with the cookie of another one.
    let name = |browser: &Browser| {
        let mut names = browser.cookies.keys().filter(|it| it.contains("login"));
        names.next().unwrap().clone()
    };
    let value = victim.cookies[&name(&victim)].clone();
    let mut mixed = Browser::new();
    mixed.cookies.insert(name(&attacker), value);
    assert_stays(&mixed.get(&callback).await, 403);
    assert!(victim.get(&own).await.parameter("code").is_some());
    // The login is over.
    assert_stays(&victim.get(&own).await, 403);
}

/// Session fixation: an attacker has set their own cookie in the victim's browser. Browsers reserve
/// the prefix `__Host-` for this host, so the attacker's cookie has a different name that some
/// servers read as the same.
#[tokio::test]
async fn a_cookie_that_another_site_has_set_counts_for_nothing() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut attacker = Browser::new();
    let page = attacker.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut attacker, &page).await;
    for before in ["\u{a0}", "\u{2000}", "\u{feff}", "x", "$", "\"", "="] {
        let mut victim = Browser::new();
        for (name, value) in &attacker.cookies {
            let name = format!("{before}{name}");
            victim.cookies.insert(name, value.clone());
        }
        let lower = attacker
            .cookies
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.clone()));
        victim.cookies.extend(lower);
        let form = [("login", page.sealed()), ("decision", "allow")];
        assert_stays(&victim.post(&site.at("/consent"), &form).await, 403);
        assert_stays(&victim.get(&callback).await, 403);
    }
    assert_eq!(site.provider.count(Endpoint::Token), 0);
    // A known cookie from before is useless without the cookie of the login.
    let mut victim = Browser::new();
    let known = "__Host-mcp-consent";
    let value = attacker.cookies[known].clone();
    victim.cookies.insert(known.to_owned(), value.clone());
    let page = victim.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut victim, &page).await;
    let mut attacker = Browser::new();
    attacker.cookies.insert(known.to_owned(), value);
    assert_stays(&attacker.get(&callback).await, 403);
    assert!(victim.get(&callback).await.parameter("code").is_some());
}

/// Other applications in the same domain may set cookies that contain any bytes.
#[tokio::test]
async fn cookies_of_other_applications_hinder_no_login() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    for name in ["a", "z"] {
        browser.cookies.insert(name.to_owned(), "\u{e9}".to_owned());
    }
    let back = site
        .login(&mut browser, &site.authorize(&client, &[]))
        .await;
    assert!(back.parameter("code").is_some());
}

#[tokio::test]
async fn a_callback_without_state_is_nobodys() {
    let site = Site::open().await;
    for query in [
        "",
        "?code=a",
        "?code=a&state=",
        "?code=a&state=b",
        "?code=a&state=b&state=c",
    ] {
        assert_stays(
            &Browser::new()
                .get(&site.at(&format!("/callback{query}")))
                .await,
            403,
        );
    }
}

#[tokio::test]
async fn redirects_by_prefix_or_to_strangers_show_a_page() {
    let site = Site::open().await;
    let registered = "https://app.example.com/cb";
    let client = site.client(registered).await;
    for uri in [
        "https://app.example.com/cb/../evil",
        "https://app.example.com/cb?next=https://evil.example",
        "https://app.example.com/cbx",
        "https://app.example.com.evil.example/cb",
        "https://app.example.com@evil.example/cb",
        "https://evil.example/cb",
        "javascript:alert(1)",
        "",
    ] {
        // An error does not redirect there either, whatever else is wrong.
        for other in [("response_type", "code"), ("response_type", "token")] {
            let url = site.authorize(&client, &[("redirect_uri", uri), other]);
            assert_stays(&Browser::new().get(&url).await, 400);
        }
    }
    for client in ["", "unknown", "http://evil.example/c", &client[1..]] {
        assert_stays(&Browser::new().get(&site.authorize(client, &[])).await, 400);
    }
    let url = site.authorize(&client, &[("redirect_uri", registered)]);
    let twice = format!("{url}&redirect_uri=https%3A%2F%2Fevil.example");
    assert_stays(&Browser::new().get(&twice).await, 400);
}

/// RFC 9700 §4.11.2: otherwise anybody who registers a client could redirect people to its site
/// with an error.
#[tokio::test]
async fn before_consent_an_error_does_not_send_people_to_sites() {
    let site = Site::open().await;
    let uri = "https://evil.example/cb";
    let client = site.client(uri).await;
    let wrong = ("response_type", "token");
    let page = Browser::new()
        .get(&site.authorize(&client, &[("redirect_uri", uri), wrong]))
        .await;
    assert_stays(&page, 400);
    let client = site.client(REDIRECT).await;
    let back = Browser::new().get(&site.authorize(&client, &[wrong])).await;
    assert!(back.location().starts_with(REDIRECT));
    assert_eq!(
        back.parameter("error").as_deref(),
        Some("unsupported_response_type")
    );
    assert_eq!(back.parameter("iss").as_deref(), Some(&*site.origin));
}

#[tokio::test]
async fn pkce_can_not_be_left_out() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    for other in [
        &[("code_challenge", ""), ("code_challenge_method", "")][..],
        &[("code_challenge", "")],
        &[("code_challenge_method", "")],
        &[("code_challenge_method", "plain")],
        &[("code_challenge", "short")],
    ] {
        let back = Browser::new().get(&site.authorize(&client, other)).await;
        assert_eq!(
            back.parameter("error").as_deref(),
            Some("invalid_request"),
            "{other:?}"
        );
    }
    let code = site.code(&client).await;
    let challenge = crate::site::CHALLENGE;
    for verifier in ["", "wrong", challenge] {
        let other = [("code_verifier", verifier)];
        assert_error(site.redeem(&client, &code, &other).await, "invalid_grant");
    }
    assert_eq!(site.redeem(&client, &code, &[]).await.0, 200);
}

#[tokio::test]
async fn a_code_is_for_its_client_and_its_redirect_uri() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let other = site.client(REDIRECT).await;
    let code = site.code(&client).await;
    assert_error(site.redeem(&other, &code, &[]).await, "invalid_grant");
    let uri = [("redirect_uri", "http://127.0.0.1:3001/callback")];
    assert_error(site.redeem(&client, &code, &uri).await, "invalid_grant");
    let resource = [("resource", "https://other.example/mcp")];
    assert_error(
        site.redeem(&client, &code, &resource).await,
        "invalid_target",
    );
    for code in ["", "made up", &code[1..]] {
        assert_error(site.redeem(&client, code, &[]).await, "invalid_grant");
    }
    assert_eq!(site.redeem(&client, &code, &[]).await.0, 200);
}

#[tokio::test]
async fn a_code_that_is_used_again_ends_its_login() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let code = site.code(&client).await;
    let (access, refresh) = tokens(site.redeem(&client, &code, &[]).await);
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    assert_error(site.redeem(&client, &code, &[]).await, "invalid_grant");
    assert_eq!(site.call(&access, "whoami").await.0, 401);
    assert_error(site.refresh(&client, &refresh).await, "invalid_grant");
}

#[tokio::test]
async fn a_code_that_is_redeemed_twice_at_once_serves_once() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let code = site.code(&client).await;
    let (one, other) = tokio::join!(
        site.redeem(&client, &code, &[]),
        site.redeem(&client, &code, &[])
    );
    let mut statuses = [one.0, other.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
}

/// RFC 9207: the code of a different provider is not redeemed at this provider.
#[tokio::test]
async fn the_response_of_another_provider_is_not_redeemed() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    for iss in [Iss::Is("https://evil.example".to_owned()), Iss::Missing] {
        site.provider.change(|settings| settings.iss = iss);
        let back = site
            .login(&mut Browser::new(), &site.authorize(&client, &[]))
            .await;
        assert_eq!(back.parameter("error").as_deref(), Some("server_error"));
    }
    assert_eq!(site.provider.count(Endpoint::Token), 0);
    site.provider.change(|settings| {
        settings.iss = Iss::Missing;
        settings.advertise_iss = false;
    });
    // The server remembers the advertised metadata for an hour, so use a new server.
    let site = Site::of(site.provider.clone(), at(&site.provider), |proxy| proxy).await;
    let client = site.client(REDIRECT).await;
    site.tokens(&client).await;
}

/// A process that has just started does not know the provider's metadata yet.
#[tokio::test]
async fn a_provider_that_is_down_is_not_taken_for_another_one() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut browser, &page).await;
    let fresh = site.replica(&site.url, |proxy| proxy).await;
    site.provider.fail(Endpoint::Metadata, Fault::Status(500));
    let callback = callback.replace(&site.origin, &fresh.origin);
    let back = browser.get(&callback).await;
    let error = back.parameter("error");
    assert_eq!(error.as_deref(), Some("temporarily_unavailable"));
    assert_eq!(site.provider.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn tokens_of_the_provider_are_none_of_this_server() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    site.tokens(&client).await;
    for token in [
        site.provider
            .mint(&json!({"aud": site.url, "scope": "files:read"})),
        site.provider
            .mint(&json!({"aud": site.url, "iss": site.origin, "scope": "files:read"})),
        site.provider.mint_opaque(&json!({"aud": site.url})),
        site.provider.id_token("proxy"),
    ] {
        assert_eq!(site.call(&token, "whoami").await.0, 401);
    }
}

#[tokio::test]
async fn a_token_is_for_one_resource() {
    let store = mcp_auth::client::store::MemoryStore::new();
    let site = Site::with(|it| it.store(store.clone())).await;
    let client = site.client(REDIRECT).await;
    let (access, refresh) = site.tokens(&client).await;
    assert_eq!(site.call(&access, "whoami").await.0, 200);
    // The issuer, the provider, the keys and the store are the same.
    let url = site.at("/other");
    let other = site.replica(&url, |it| it.store(store)).await;
    let (status, text) = other.call(&access, "whoami").await;
    assert_eq!(status, 401);
    assert!(text.contains("another audience"), "{text}");
    assert_error(other.refresh(&client, &refresh).await, "invalid_grant");
    // A registration is also only valid for one server.
    let page = Browser::new().get(&other.authorize(&client, &[])).await;
    assert_stays(&page, 400);
}

#[tokio::test]
async fn no_secret_of_the_provider_reaches_the_client_or_the_browser() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let callback = site.consent(&mut browser, &page).await;
    let back = browser.get(&callback).await;
    let code = back.parameter("code").unwrap();
    let theirs = crate::browser::parameter(&callback, "code").unwrap();
    assert!(!back.location().contains(&theirs));
    let (_, answer) = site.redeem(&client, &code, &[]).await;
    assert_eq!(answer.as_object().unwrap().len(), 5);
    let claims = support::decode(
        answer["access_token"]
            .as_str()
            .unwrap()
            .split('.')
            .nth(1)
            .unwrap(),
    );
    let claims = String::from_utf8(claims.unwrap()).unwrap();
    assert!(!claims.contains("alice@example.com"), "{claims}");
}
