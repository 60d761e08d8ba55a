//! Discovery of the authorization server from the URL of an MCP server.

use mcp_auth::OAuth;
use mcp_auth::challenge::Challenge;
use mcp_auth::client::store::MemoryStore;
use serde_json::json;
use support::{AuthorizationServer, Client, Endpoint, Fault, Iss, Metadata};

use crate::site::{METADATA, Site, app, call};

const ROOT: &str = "/.well-known/oauth-protected-resource";

fn move_metadata(site: &Site, path: &str) {
    let mut state = site.state();
    let document = state.documents.remove(METADATA).unwrap();
    state.documents.insert(path.to_owned(), document);
}

const PAGE: &str = "<!doctype html><title>Welcome</title>";

#[tokio::test]
async fn an_announced_url_is_asked_first() {
    let site = Site::start().await;
    move_metadata(&site, "/custom.json");
    let url = format!("{}/custom.json", site.origin);
    site.state().challenge = Challenge::bearer().with_resource_metadata(url);
    site.connect(&app()).await.unwrap();
    assert_eq!(site.state().asked, ["/custom.json"]);
}

#[tokio::test]
async fn the_path_is_asked_before_the_root() {
    let site = Site::start().await;
    site.connect(&app()).await.unwrap();
    assert_eq!(site.state().asked, [METADATA]);
    let site = Site::start().await;
    move_metadata(&site, ROOT);
    site.connect(&app()).await.unwrap();
    assert_eq!(site.state().asked, [METADATA, ROOT]);
}

#[tokio::test]
async fn issuers_are_found_by_either_kind_of_metadata() {
    for (metadata, path) in [
        (Metadata::Rfc8414, ""),
        (Metadata::Rfc8414, "/tenant1"),
        (Metadata::OpenId, "/tenant1"),
        (Metadata::OpenIdBehind, "/tenant1"),
    ] {
        let issuer = AuthorizationServer::with(|settings| {
            settings.metadata = metadata;
            settings.path = path.to_owned();
        });
        let site = Site::with(issuer.await).await;
        let client = site.connect(&app()).await;
        let client = client.unwrap_or_else(|error| panic!("{metadata:?} {path}: {error}"));
        assert_eq!(call(&client, "read").await.unwrap(), "read");
    }
}

#[tokio::test]
async fn metadata_about_another_resource_opens_no_page() {
    let site = Site::start().await;
    site.set_metadata(&json!({"resource": "https://evil.example.com/mcp"}));
    let error = site.refused(&app()).await;
    assert!(error.contains("https://evil.example.com/mcp"), "{error}");
    assert!(site.issuer.requests().is_empty());
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_used() {
    let site = Site::start().await;
    let claimed = Some("https://attacker.example.com".to_owned());
    site.issuer
        .change(|settings| settings.claimed_issuer = claimed);
    let error = site.refused(&app()).await;
    assert!(error.contains("https://attacker.example.com"), "{error}");
    assert_eq!(
        site.issuer.requests().len(),
        site.issuer.count(Endpoint::Metadata)
    );
}

#[tokio::test]
async fn an_issuer_may_be_named_with_and_without_a_slash() {
    for is_slash_named in [true, false] {
        let issuer = AuthorizationServer::with(|settings| {
            settings.clients = vec![Client::public("me")];
        });
        let site = Site::with(issuer.await).await;
        let bare = site.issuer.issuer().to_owned();
        let slash = format!("{bare}/");
        let (named, claimed) = if is_slash_named {
            (&slash, &bare)
        } else {
            (&bare, &slash)
        };
        site.set_metadata(&json!({"authorization_servers": [named]}));
        let iss = Iss::Is(claimed.clone());
        site.issuer.change(|settings| {
            (settings.claimed_issuer, settings.iss) = (Some(claimed.clone()), iss);
        });
        let store = MemoryStore::new();
        let registered = || app().store(store.clone());
        let by_hand = |issuer: &String| app().client("me").issuer(issuer);
        for oauth in [registered(), by_hand(named), by_hand(claimed)] {
            let client = site.connect(&oauth).await.unwrap();
            assert_eq!(call(&client, "read").await.unwrap(), "read");
        }
        // Tokens are stored for either spelling.
        let logins = site.issuer.count(Endpoint::Authorize);
        site.connect(&registered()).await.unwrap();
        assert_eq!(site.issuer.count(Endpoint::Authorize), logins);
        // The issuer is spelled as in the document from now on.
        let other = Iss::Is(named.clone());
        site.issuer.change(|settings| settings.iss = other);
        let error = site.refused(&app()).await;
        assert!(error.contains("`iss`"), "{error}");
    }
}

#[tokio::test]
async fn an_issuer_with_a_path_is_named_as_it_is() {
    let issuer = AuthorizationServer::with(|settings| settings.path = "/tenant1".to_owned());
    let site = Site::with(issuer.await).await;
    let named = format!("{}/", site.issuer.issuer());
    site.set_metadata(&json!({"authorization_servers": [named]}));
    let error = site.refused(&app()).await;
    assert!(error.contains("it is not used"), "{error}");
}

#[tokio::test]
async fn a_page_for_people_is_not_metadata() {
    // HTML pages at all URLs of the resource and of the issuer.
    let site = Site::own_issuer(|settings| settings.metadata = Metadata::None).await;
    site.issuer.fail(Endpoint::Other, Fault::Garbage);
    let client = site.connect(&app()).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_ne!(site.issuer.count(Endpoint::Other), 0);

    // An HTML page at a URL that is tried before the right one.
    let site = Site::start().await;
    move_metadata(&site, ROOT);
    site.document(METADATA, 200, "", PAGE);
    site.connect(&app()).await.unwrap();
    assert_eq!(site.state().asked, [METADATA, ROOT]);
}

#[tokio::test]
async fn a_server_with_a_token_of_its_own_says_so() {
    for (status, body) in [
        (404, ""),
        (405, "{}"),
        (401, r#"{"error": "unauthorized"}"#),
        (400, r#"{"jsonrpc": "2.0", "error": {"code": -32600}}"#),
        (200, PAGE),
        (302, ""),
    ] {
        let site = Site::start().await;
        site.state().documents.clear();
        site.document("/register", status, "/elsewhere", body);
        if status == 200 {
            for name in ["oauth-authorization-server", "openid-configuration"] {
                site.document(&format!("/.well-known/{name}"), 200, "", PAGE);
            }
            site.document(METADATA, 200, "", PAGE);
            site.document(ROOT, 200, "", PAGE);
        }
        let error = site.refused(&app()).await;
        let expected = "ask its operator for a token, which is set by `HttpUrl::bearer_auth`";
        assert!(error.contains(expected), "{status} {body}: {error}");
        assert!(error.contains("/register"), "{error}");
    }
    // An authorization server's own error is reported unchanged.
    for (status, body, expected) in [
        (
            400,
            r#"{"error": "invalid_redirect_uri"}"#,
            "invalid_redirect_uri",
        ),
        (429, "", "HTTP 429"),
        (500, "", "HTTP 500"),
    ] {
        let site = Site::start().await;
        site.state().documents.clear();
        site.document("/register", status, "", body);
        let error = site.refused(&app()).await;
        assert!(error.contains(expected), "{status} {body}: {error}");
    }
    // If the MCP server names an authorization server, every error is reported unchanged.
    let site = Site::start().await;
    site.issuer.fail(Endpoint::Register, Fault::Status(404));
    let error = site.refused(&app()).await;
    assert!(error.contains("HTTP 404"), "{error}");
}

#[tokio::test]
async fn a_named_issuer_is_never_guessed() {
    let issuer = AuthorizationServer::with(|settings| settings.metadata = Metadata::None).await;
    let site = Site::with(issuer).await;
    let error = site.refused(&app()).await;
    assert!(
        error.contains("reading the authorization server's metadata"),
        "{error}"
    );
    assert!(error.contains(site.issuer.issuer()), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Register), 0);
}

#[tokio::test]
async fn faults_of_metadata_are_errors_that_name_the_url() {
    let site = Site::start().await;
    let elsewhere = "http://127.0.0.1:9/".to_owned();
    for (fault, expected) in [
        (Fault::Status(500), "HTTP 500"),
        (Fault::Garbage, "there is no metadata"),
        (Fault::Json("[]".to_owned()), "can't be read"),
        (Fault::Large(2 << 20), "longer than"),
        (Fault::Redirect(elsewhere), "127.0.0.1:9"),
        (
            Fault::Redirect("http://169.254.169.254/latest".to_owned()),
            "169.254.169.254",
        ),
        (
            Fault::Redirect("file:///etc/passwd".to_owned()),
            "must be `https`",
        ),
        (
            Fault::Redirect("http://example.com/".to_owned()),
            "must be `https`",
        ),
        (
            Fault::Redirect("/.well-known/oauth-authorization-server".to_owned()),
            "redirects",
        ),
    ] {
        site.issuer.fail(Endpoint::Metadata, fault.clone());
        let error = site.refused(&app()).await;
        assert!(error.contains(expected), "{fault:?}: {error}");
        assert!(
            error.contains("reading the authorization server's metadata at "),
            "{error}"
        );
    }
    assert_eq!(site.issuer.count(Endpoint::Register), 0);
}

#[tokio::test]
async fn faults_of_resource_metadata_are_errors_that_name_the_url() {
    let site = Site::start().await;
    for (status, location, body, expected) in [
        (500, "", "", "HTTP 500"),
        (200, "", "[]", "can't be read"),
        (302, "http://169.254.169.254/", "", "169.254.169.254"),
        (302, "ftp://example.com/", "", "must be `https`"),
        (302, METADATA, "", "redirects"),
    ] {
        site.document(METADATA, status, location, body);
        let error = site.refused(&app()).await;
        assert!(
            error.contains(expected),
            "{status} {location} {body}: {error}"
        );
    }
    for announced in [
        "http://example.com/a",
        "file:///a",
        "a",
        "http://169.254.169.254/a",
    ] {
        let challenge = Challenge::bearer().with_resource_metadata(announced);
        site.state().challenge = challenge;
        let error = site.refused(&app()).await;
        assert!(
            error.contains("reading the MCP server's metadata"),
            "{announced}: {error}"
        );
    }
    assert!(site.issuer.requests().is_empty());
}

#[tokio::test]
async fn a_redirect_of_metadata_is_followed() {
    let site = Site::start().await;
    move_metadata(&site, "/moved");
    site.document(METADATA, 307, "/on", "");
    site.document("/on", 302, "moved", "");
    site.connect(&app()).await.unwrap();
}

#[tokio::test]
async fn the_first_issuer_that_works_is_used() {
    let down = AuthorizationServer::start().await;
    down.stop().await;
    let closed = AuthorizationServer::with(|settings| settings.registration = false).await;
    let site = Site::start().await;
    let issuers = [down.issuer(), closed.issuer(), site.issuer.issuer()];
    site.set_metadata(&json!({"authorization_servers": issuers}));
    site.connect(&app()).await.unwrap();
    assert_eq!(closed.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn metadata_without_an_issuer_is_an_error_unless_the_user_knows_it() {
    let site = Site::start().await;
    site.set_metadata(&json!({"authorization_servers": []}));
    let error = site.refused(&app()).await;
    assert!(error.contains("names no authorization server"), "{error}");
    site.connect(&app().issuer(site.issuer.issuer()))
        .await
        .unwrap();
    site.state().documents.clear();
    site.connect(&app().issuer(site.issuer.issuer()))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_pre_registered_client_is_used_at_its_issuer_alone() {
    let issuer = AuthorizationServer::with(|settings| {
        settings.clients = vec![Client::secret("me", "s 1%")];
    });
    let site = Site::with(issuer.await).await;
    let known = |oauth: OAuth| oauth.client("me").client_secret("s 1%");
    let oauth = known(app()).issuer(site.issuer.issuer());
    let client = site.connect(&oauth).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(site.issuer.count(Endpoint::Register), 0);
    let token = &site.issuer.requests_to(Endpoint::Token)[0];
    assert!(token.header("authorization").unwrap().starts_with("Basic "));
    // There is no issuer, or a different one.
    let before = site.issuer.count(Endpoint::Authorize);
    let error = site.refused(&known(app())).await;
    assert!(error.contains("set its issuer"), "{error}");
    let error = site
        .refused(&known(app()).issuer("https://other.example"))
        .await;
    assert!(error.contains("https://other.example"), "{error}");
    assert!(error.contains(site.issuer.issuer()), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), before);
}

#[tokio::test]
async fn a_server_without_metadata_is_its_own_issuer() {
    for metadata in [Metadata::Rfc8414, Metadata::None] {
        let site = Site::own_issuer(|settings| settings.metadata = metadata).await;
        let client = site.connect(&app()).await;
        let client = client.unwrap_or_else(|error| panic!("{metadata:?}: {error}"));
        assert_eq!(call(&client, "read").await.unwrap(), "read");
        let login = &site.issuer.requests_to(Endpoint::Authorize)[0];
        assert_eq!(login.parameter("code_challenge_method"), Some("S256"));
        assert_eq!(login.parameter("resource"), Some(site.url().as_str()));
    }
}

#[tokio::test]
async fn a_server_that_changes_its_issuer_is_registered_at_anew() {
    let site = Site::start().await;
    // Makes the client's identifiers at the two issuers differ.
    site.connect(&app()).await.unwrap();
    let client = site.connect(&app()).await.unwrap();
    call(&client, "read").await.unwrap();
    let second = AuthorizationServer::start().await;
    site.set_metadata(&json!({"authorization_servers": [second.issuer()]}));
    site.state().accepts = second.issuer().to_owned();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    assert_eq!(second.count(Endpoint::Register), 1);
    for request in second.requests() {
        assert_ne!(request.parameter("client_id"), Some("client-2"));
        assert_eq!(request.parameter("refresh_token"), None);
    }
}
