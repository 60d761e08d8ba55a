//! The consent page.

use http::Request;
use serde_json::json;

use crate::browser::Browser;
use crate::site::{REDIRECT, Site};

#[tokio::test]
async fn the_page_names_client_destination_resource_and_provider() {
    let site = Site::open().await;
    let page = Browser::new()
        .get(&site.authorize(&site.client(REDIRECT).await, &[]))
        .await;
    let text = page.text();
    for part in [
        "Allow Test?",
        "<strong>127.0.0.1</strong>",
        "Any program",
        &site.url,
        "<li>files:read</li>",
        site.provider.issuer(),
        "<li>openid</li>",
        "nobody has checked",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let site_uri = "https://app.example.com:8443/cb";
    let client = site.client(site_uri).await;
    let page = Browser::new()
        .get(&site.authorize(&client, &[("redirect_uri", site_uri)]))
        .await;
    assert!(
        page.text()
            .contains("<strong>app.example.com:8443</strong>")
    );
    let app_uri = "com.example.app:/cb";
    let client = site.client(app_uri).await;
    let page = Browser::new()
        .get(&site.authorize(&client, &[("redirect_uri", app_uri)]))
        .await;
    assert!(page.text().contains("<strong>com.example.app:</strong>"));
}

#[tokio::test]
async fn html_in_the_name_of_a_client_is_text() {
    let site = Site::open().await;
    let name = "<script>alert('1')</script>\"&\u{202e}";
    let metadata = json!({"client_name": name, "redirect_uris": [REDIRECT]});
    let (_, client) = site.register(&metadata).await;
    let client = client["client_id"].as_str().unwrap();
    let page = Browser::new().get(&site.authorize(client, &[])).await;
    let text = page.text();
    assert!(
        !text.contains("<script") && !text.contains('\u{202e}'),
        "{text}"
    );
    assert!(
        text.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;"),
        "{text}"
    );
    let url = site.authorize(client, &[("response_type", "<b>"), ("redirect_uri", "<i>")]);
    assert!(!Browser::new().get(&url).await.text().contains("<i>"));
}

#[tokio::test]
async fn no_page_can_be_framed_kept_or_have_scripts() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let form = [("login", page.sealed()), ("decision", "allow")];
    let pages = [
        browser.post(&site.at("/consent"), &form).await,
        page,
        browser.get(&site.at("/authorize")).await,
        browser.get(&site.at("/callback")).await,
    ];
    for page in pages {
        let policy = "default-src 'none'; frame-ancestors 'none'";
        assert_eq!(page.header("content-security-policy"), Some(policy));
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        for part in ["<script", "<style", "<link", "<img", " src=", "http-equiv"] {
            assert!(!page.text().contains(part), "{part}");
        }
    }
}

#[tokio::test]
async fn no_cookie_of_a_login_is_set_before_consent() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let names: Vec<_> = browser.cookies.keys().collect();
    assert_eq!(names, ["__Host-mcp-consent"]);
    site.consent(&mut browser, &page).await;
    assert_eq!(browser.cookies.len(), 2);
}

#[tokio::test]
async fn a_decision_comes_from_the_own_page_in_the_browser_that_was_asked() {
    let site = Site::open().await;
    let client = site.client(REDIRECT).await;
    let mut browser = Browser::new();
    let page = browser.get(&site.authorize(&client, &[])).await;
    let form = [("login", page.sealed()), ("decision", "allow")];
    let consent = site.at("/consent");
    assert_eq!(browser.post(&consent, &form).await.status(), 303);
    // An attacker's form is sent by someone else's browser.
    let mut other = Browser::new();
    other.get(&site.authorize(&client, &[])).await;
    assert_eq!(other.post(&consent, &form).await.status(), 403);
    assert_eq!(Browser::new().post(&consent, &form).await.status(), 403);
    for sealed in ["", "made up", &page.sealed()[1..]] {
        let form = [("login", sealed), ("decision", "allow")];
        assert_eq!(browser.post(&consent, &form).await.status(), 400);
    }
    // A decision in a GET request is not accepted.
    let get = Request::get(format!("{consent}?decision=allow")).body(String::new());
    assert_eq!(site.send(get.unwrap()).await.0, 405);
}
