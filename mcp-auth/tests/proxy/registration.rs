//! Dynamic registration.

use http::Request;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::site::{REDIRECT, Site, assert_error};

#[tokio::test]
async fn a_client_is_registered_as_a_public_one() {
    let site = Site::open().await;
    let (status, client) = site
        .register(&json!({
            "client_name": "Claude",
            "redirect_uris": [REDIRECT, "https://app.example.com/cb"],
            "grant_types": ["client_credentials"],
            "response_types": ["token"],
            "token_endpoint_auth_method": "client_secret_post",
            "application_type": "native",
            "logo_uri": "https://app.example.com/logo.png",
        }))
        .await;
    assert_eq!(status, 201);
    assert_eq!(client["token_endpoint_auth_method"], "none");
    assert_eq!(client["client_secret"], Value::Null);
    assert_eq!(
        client["grant_types"],
        json!(["authorization_code", "refresh_token"])
    );
    assert_eq!(client["response_types"], json!(["code"]));
    assert_eq!(client["client_name"], "Claude");
    assert_eq!(
        client["redirect_uris"],
        json!([REDIRECT, "https://app.example.com/cb"])
    );
    assert!(client["client_id_issued_at"].is_u64());
}

#[tokio::test]
async fn metadata_that_can_not_be_served_is_refused() {
    let site = Site::open().await;
    for uri in [
        "http://app.example.com/cb",
        "javascript:alert(1)",
        "https://app.example.com/#a",
        "https://user@app.example.com/",
        "vscode://cb",
        "app",
    ] {
        let found = site
            .register(&json!({"redirect_uris": [REDIRECT, uri]}))
            .await;
        assert_error(found, "invalid_redirect_uri");
    }
    let many: Vec<_> = (0..17)
        .map(|port| format!("http://127.0.0.1:{port}/"))
        .collect();
    let long = format!("https://app.example.com/{}", "a".repeat(900));
    for uris in [json!([]), json!(many), json!([long, long, long])] {
        let found = site.register(&json!({"redirect_uris": uris})).await;
        assert_error(found, "invalid_redirect_uri");
    }
    for metadata in [json!([]), json!({"redirect_uris": "a"})] {
        assert_error(site.register(&metadata).await, "invalid_client_metadata");
    }
    let form = Request::post(site.at("/register")).header("content-type", "text/plain");
    let body = json!({"redirect_uris": [REDIRECT]}).to_string();
    let (status, answer) = site.send(form.body(body).unwrap()).await;
    assert_error((status.as_u16(), answer), "invalid_request");
}

#[tokio::test]
async fn schemes_without_a_dot_are_allowed_by_name() {
    let site = Site::with(|proxy| proxy.redirect_scheme("cursor")).await;
    let uri = "cursor://anysphere.cursor-mcp/cb";
    let client = site.client(uri).await;
    let page = Browser::new()
        .get(&site.authorize(&client, &[("redirect_uri", uri)]))
        .await;
    assert_eq!(page.status(), 200);
    assert!(page.text().contains("<strong>cursor:</strong>"));
}

#[tokio::test]
async fn a_flood_of_registrations_ends_nobodys() {
    let site = Site::open().await;
    let first = site.client(REDIRECT).await;
    for _ in 0..300 {
        site.client(REDIRECT).await;
    }
    site.tokens(&first).await;
}
