//! The policy of a page whose description is valid.

use mcp_runtime::serde_json::{Value, json};

use crate::stranger::{Stranger, policy};

#[tokio::test]
async fn a_page_that_declares_nothing_gets_the_strictest_policy() {
    let strictest = "default-src 'none'; script-src 'self' 'unsafe-inline'; \
                     style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; \
                     font-src 'none'; connect-src 'none'; frame-src 'none'; object-src 'none'; \
                     base-uri 'self'; form-action 'none'";
    assert_eq!(policy(Value::Null).await, strictest);
    assert_eq!(policy(json!({})).await, strictest);
    let empty = json!({"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []});
    assert_eq!(policy(empty).await, strictest);
    assert_eq!(
        Stranger::default().page().await.unwrap().policy(),
        strictest
    );
}

#[tokio::test]
async fn declared_domains_are_in_the_directives_of_their_list() {
    let policy = policy(json!({
        "connectDomains": ["https://c.example", "wss://c.example:8443", "https://c.example"],
        "resourceDomains": ["https://*.r.example"],
        "frameDomains": ["https://f.example"],
        "baseUriDomains": ["https://b.example"],
    }));
    assert_eq!(
        policy.await,
        "default-src 'none'; script-src 'self' 'unsafe-inline' https://*.r.example; \
         style-src 'self' 'unsafe-inline' https://*.r.example; \
         img-src 'self' data: https://*.r.example; media-src 'self' data: https://*.r.example; \
         font-src https://*.r.example; connect-src https://c.example wss://c.example:8443; \
         frame-src https://f.example; object-src 'none'; base-uri https://b.example; \
         form-action 'none'"
    );
}

#[tokio::test]
async fn known_permissions_become_features_of_the_frame() {
    let all = json!({"clipboardWrite": {}, "geolocation": {}, "microphone": {}, "camera": {}});
    for (permissions, expected) in [
        (all, "camera; microphone; geolocation; clipboard-write"),
        (
            json!({"camera": {}, "usb": {}, "clipboard-write": {}, "camera; usb": {}}),
            "camera",
        ),
        (
            json!({"camera": true, "microphone": null, "geolocation": "yes"}),
            "",
        ),
        (json!(["camera"]), ""),
        (json!("camera"), ""),
        (Value::Null, ""),
    ] {
        let stranger = Stranger::described(json!({"permissions": permissions}));
        let page = stranger.page().await.unwrap();
        assert_eq!(page.allow(), expected, "{permissions}");
    }
}
