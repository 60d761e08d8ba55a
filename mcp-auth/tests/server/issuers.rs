//! Settings for issuers that deviate from the defaults.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_auth::authentication::{AssertionKey, ClientCredential};
use mcp_auth::jwt::{JwkSet, SigningKey, Tenants};
use mcp_auth::server::{IssuerVerifier, ResourceServerError, TokenVerifier, VerifyError};
use mcp_auth::{Claims, Issuer, ResourceServer};
use mcp_runtime::transport::http::AccessPolicy as _;
use serde_json::{Value, json};
use support::{AuthorizationServer, Client, Endpoint, Metadata};

use crate::asking::{
    RESOURCE, ask, bear, in_seconds, refuses, together, token, token_with, unavailable,
};

fn guarding(issuer: Issuer) -> ResourceServer {
    ResourceServer::new(RESOURCE).issuer(issuer)
}

#[tokio::test]
async fn keys_are_fetched_where_they_are_said_to_be() {
    let issuer = AuthorizationServer::with(|it| it.metadata = Metadata::None).await;
    let token = token(&issuer);
    unavailable(&guarding(Issuer::new(issuer.issuer())), &token).await;
    let keys = issuer.url(Endpoint::Jwks);
    let policy = guarding(Issuer::new(issuer.issuer()).keys_url(&keys));
    bear(&policy, &token).await.unwrap();
    // The issuer's name differs from the host that the server reaches.
    let named = Issuer::new("https://login.example.com").keys_url(&keys);
    let of_name = token_with(&issuer, &json!({"iss": "https://login.example.com"}));
    bear(&guarding(named.clone()), &of_name).await.unwrap();
    refuses(&guarding(named), &token, "by the name of the server").await;
    let wrong = guarding(Issuer::new(issuer.issuer()).keys_url("keys.json"));
    assert_eq!(
        wrong.check(),
        Err(ResourceServerError::Url("keys.json".to_owned()))
    );
}

#[tokio::test]
async fn given_keys_need_no_network() {
    let issuer = AuthorizationServer::start().await;
    let keys = JwkSet::parse(issuer.jwks().to_string().as_bytes()).unwrap();
    let policy = guarding(Issuer::new(issuer.issuer()).keys(keys));
    bear(&policy, &token(&issuer)).await.unwrap();
    issuer.rotate_keys();
    // With other sources such a key might be new, but configured keys never change.
    refuses(&policy, &token(&issuer), "by another key").await;
    assert_eq!(issuer.requests().len(), 0);
}

#[tokio::test]
async fn claims_can_be_required() {
    let issuer = AuthorizationServer::start().await;
    let policy = guarding(
        Issuer::new(issuer.issuer())
            .require_claim("token_use", "access")
            .require(|claims| claims.get("level").and_then(Value::as_u64) > Some(1)),
    );
    let with = |claims: Value| token_with(&issuer, &claims);
    bear(&policy, &with(json!({"token_use": "access", "level": 2})))
        .await
        .unwrap();
    for claims in [
        json!({"level": 2}),
        json!({"token_use": "other", "level": 2}),
        json!({"token_use": ["access"], "level": 2}),
        json!({"token_use": "access"}),
        json!({"token_use": "access", "level": 1}),
    ] {
        refuses(&policy, &with(claims.clone()), &claims.to_string()).await;
    }
}

#[tokio::test]
async fn another_claim_can_have_the_audience() {
    let issuer = AuthorizationServer::start().await;
    let by_client = Issuer::new(issuer.issuer())
        .audience_claim("client_id")
        .audience("app");
    let policy = guarding(by_client);
    let with = |claims: Value| token_with(&issuer, &claims);
    let claims = bear(&policy, &with(json!({"aud": null, "client_id": "app"})))
        .await
        .unwrap();
    assert_eq!(claims.audience(), ["app"]);
    for claims in [
        json!({"aud": "app"}),
        json!({"aud": "app", "client_id": "other"}),
        json!({"client_id": null}),
    ] {
        refuses(&policy, &with(claims.clone()), &claims.to_string()).await;
    }
}

#[tokio::test]
async fn scopes_are_asked_for_with_their_prefix_and_compared_without() {
    let issuer = AuthorizationServer::start().await;
    let prefixed = Issuer::new(issuer.issuer()).scope_prefix("api://app/");
    let policy = guarding(prefixed)
        .scopes(["read", "offline_access"])
        .optional_scopes(["write", "https://other.example/scope"]);
    let denied = ask(&policy, &[]).await.unwrap_err();
    let asked = denied.challenge("Bearer");
    assert_eq!(asked.scope(), Some("api://app/read offline_access"));
    let document = policy
        .document("/.well-known/oauth-protected-resource/mcp")
        .unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    let supported = json!([
        "api://app/read",
        "offline_access",
        "api://app/write",
        "https://other.example/scope",
    ]);
    assert_eq!(document["scopes_supported"], supported);
    for (scope, is_admitted) in [
        ("read offline_access", true),
        ("api://app/read offline_access", true),
        ("api://other/read offline_access", false),
        ("write offline_access", false),
    ] {
        let token = token_with(&issuer, &json!({"scope": scope}));
        let admitted = bear(&policy, &token).await;
        assert_eq!(admitted.is_ok(), is_admitted, "{scope}");
    }
    let wrong = guarding(Issuer::new(issuer.issuer()).scope_prefix("a b/"));
    assert!(matches!(wrong.check(), Err(ResourceServerError::Scope(_))));
}

#[tokio::test]
async fn tenants_share_metadata_and_keys() {
    let issuer = AuthorizationServer::with(|it| it.path = "/all".to_owned()).await;
    let origin = issuer.issuer().strip_suffix("/all").unwrap().to_owned();
    let template = format!("{origin}/{{tenant}}");
    issuer.change(|it| it.claimed_issuer = Some(template.clone()));
    let of = |tenant: &str| token_with(&issuer, &json!({"iss": format!("{origin}/{tenant}")}));
    let listed = guarding(Issuer::template(&template, "all", ["acme", "globex"]));
    let checked = Tenants::matching(|tenant| tenant.starts_with("eu-"));
    let checked = guarding(Issuer::template(&template, "all", checked));
    for (policy, tenant) in [(&listed, "acme"), (&listed, "globex"), (&checked, "eu-a")] {
        let claims = bear(policy, &of(tenant)).await.unwrap();
        assert_eq!(claims.issuer(), format!("{origin}/{tenant}"));
    }
    for (policy, tenant) in [
        (&listed, "eu-a"),
        (&listed, "all"),
        (&listed, "Acme"),
        (&listed, "acme/x"),
        (&listed, "{tenant}"),
        (&listed, ""),
        (&checked, "acme"),
        (&checked, "eu-a/../acme"),
    ] {
        refuses(policy, &of(tenant), tenant).await;
    }
    let document = listed
        .document("/.well-known/oauth-protected-resource/mcp")
        .unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(
        document["authorization_servers"],
        json!([format!("{origin}/all")])
    );
    // Metadata of a different issuer is not used.
    issuer.change(|it| it.claimed_issuer = Some(format!("{origin}/acme")));
    let fresh = guarding(Issuer::template(&template, "all", ["acme"]));
    unavailable(&fresh, &of("acme")).await;
    let wrong = guarding(Issuer::template(
        "https://login.example.com/v2.0",
        "all",
        ["acme"],
    ));
    assert!(matches!(
        wrong.check(),
        Err(ResourceServerError::Template(_))
    ));
}

/// An issuer that knows one client by its secret and another by its key.
async fn introspected(key: &SigningKey) -> AuthorizationServer {
    let jwk = key.public_jwk();
    AuthorizationServer::with(|it| {
        it.clients = vec![
            Client::secret("server", "secret"),
            Client::key("signer", jwk),
        ];
    })
    .await
}

#[tokio::test]
async fn a_server_authenticates_as_the_issuer_wants_it() {
    let key = SigningKey::generate().unwrap();
    let issuer = introspected(&key).await;
    let opaque = issuer.mint_opaque(&json!({"aud": RESOURCE}));
    let of = |id: &str, credential: ClientCredential| {
        guarding(Issuer::new(issuer.issuer()).introspection(id, credential))
    };
    let signer = || AssertionKey::new(SigningKey::from_pkcs8(key.to_pkcs8()).unwrap());
    for (offered, id, credential, is_accepted) in [
        (vec!["client_secret_basic"], "server", "secret".into(), true),
        (vec!["client_secret_post"], "server", "secret".into(), true),
        (vec!["private_key_jwt"], "signer", signer().into(), true),
        // The secret is not sent.
        (vec!["private_key_jwt"], "server", "secret".into(), false),
        (vec!["none"], "server", ClientCredential::None, false),
    ] {
        let method = offered[0];
        issuer.change(|it| it.auth_methods = offered);
        let policy = of(id, credential);
        if is_accepted {
            bear(&policy, &opaque).await.unwrap();
        } else {
            unavailable(&policy, &opaque).await;
        }
        let asked = issuer.requests_to(Endpoint::Introspect);
        let last = asked.last().unwrap();
        let has = |name: &str| last.parameter(name).is_some();
        match method {
            "client_secret_basic" => assert!(last.header("authorization").is_some()),
            "client_secret_post" => assert!(has("client_secret")),
            "private_key_jwt" => assert!(has("client_assertion") && !has("client_secret")),
            _ => assert_eq!(last.parameter("client_id"), Some("server")),
        }
        assert_eq!(last.parameter("token"), Some(&*opaque));
    }
    assert_eq!(issuer.count(Endpoint::Introspect), 4);
}

#[tokio::test]
async fn jwts_are_introspected_where_that_is_wanted() {
    let issuer = introspected(&SigningKey::generate().unwrap()).await;
    let jwt = token(&issuer);
    let asking = || Issuer::new(issuer.issuer()).introspection("server", "secret");
    bear(&guarding(asking()), &jwt).await.unwrap();
    assert_eq!(issuer.count(Endpoint::Introspect), 0);
    // The token was minted without the issuer recording it as issued.
    let policy = guarding(asking().introspect_jwts());
    refuses(&policy, &jwt, "not known").await;
    assert_eq!(issuer.count(Endpoint::Introspect), 1);
    // This token is issued, and revoked later.
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", "server"),
        ("client_secret", "secret"),
        ("resource", RESOURCE),
    ];
    let page = support::browser::post(&issuer.url(Endpoint::Token), "", &form).await;
    let answer: Value = serde_json::from_str(&page.text).unwrap();
    let issued = answer["access_token"].as_str().unwrap();
    assert_eq!(issued.split('.').count(), 3);
    bear(&policy, issued).await.unwrap();
    issuer.revoke_all();
    let fresh = guarding(asking().introspect_jwts());
    refuses(&fresh, issued, "revoked").await;
    let nobody = guarding(Issuer::new(issuer.issuer()).introspect_jwts());
    let missing = ResourceServerError::NoIntrospectionClient(issuer.issuer().to_owned());
    assert_eq!(nobody.check(), Err(missing));
}

#[tokio::test]
async fn an_introspection_without_an_audience_is_accepted_by_name() {
    let issuer = introspected(&SigningKey::generate().unwrap()).await;
    let asking = || {
        issuer.change(|it| it.metadata = Metadata::None);
        Issuer::new(issuer.issuer())
            .introspection("server", "secret")
            .introspection_url(issuer.url(Endpoint::Introspect))
    };
    let with = |claims: Value| issuer.mint_opaque(&claims);
    let none = with(json!({"aud": null}));
    refuses(&guarding(asking()), &none, "no audience").await;
    let policy = guarding(asking().introspection_without_audience());
    let claims = bear(&policy, &none).await.unwrap();
    assert_eq!(claims.audience(), [RESOURCE]);
    refuses(
        &policy,
        &with(json!({"aud": "https://other.example.com"})),
        "another",
    )
    .await;
    for kind in ["Refresh", "Offline", "ID"] {
        let other = with(json!({"aud": RESOURCE, "typ": kind}));
        refuses(&policy, &other, kind).await;
    }
}

/// A verifier that knows one token and counts its calls.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl TokenVerifier for Counting {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let audience = match token {
            "valid" => RESOURCE,
            "other" => "https://other.example.com",
            "later" => return Err(VerifyError::Unavailable(Duration::from_secs(7))),
            _ => return Err(VerifyError::Invalid("not a known key".into())),
        };
        let claims = json!({
            "iss": "https://login.example.com", "sub": "alice", "aud": audience,
            "exp": in_seconds(60),
        });
        Ok(Claims::new(claims.as_object().unwrap().clone())?)
    }
}

#[tokio::test]
async fn code_of_ones_own_has_its_answers_kept_and_its_calls_shared() {
    let counting = Counting::default();
    let asked = || counting.0.load(Ordering::SeqCst);
    let issuer = Issuer::new("https://login.example.com").verifier(counting.clone());
    let policy = Arc::new(guarding(issuer));
    assert_eq!(together(&policy, "valid", 50).await, [200; 50]);
    assert_eq!(asked(), 1);
    for token in ["other", "unknown"] {
        assert_eq!(together(&policy, token, 50).await, [401; 50]);
    }
    assert_eq!(asked(), 3);
    let denied = bear(&policy, "unknown").await.unwrap_err();
    assert_eq!(
        denied.challenge("Bearer").error_description(),
        Some("not a known key")
    );
    let denied = bear(&policy, "later").await.unwrap_err();
    assert_eq!(
        (denied.status, &denied.headers["retry-after"]),
        (503, &"7".parse().unwrap())
    );
    assert_eq!(asked(), 4);
}

#[tokio::test]
async fn code_of_ones_own_can_use_the_keys_and_look_ups() {
    let issuer = introspected(&SigningKey::generate().unwrap()).await;
    let settings = Issuer::new(issuer.issuer()).introspection("server", "secret");
    let tokens = IssuerVerifier::new(settings, RESOURCE).unwrap();
    let opaque = issuer.mint_opaque(&json!({"aud": RESOURCE, "sub": "bob"}));
    for _ in 0..3 {
        let claims = tokens.verify(&token(&issuer)).await.unwrap();
        assert_eq!(claims.subject(), Some("alice"));
        assert_eq!(tokens.verify(&opaque).await.unwrap().subject(), Some("bob"));
    }
    assert_eq!(issuer.count(Endpoint::Jwks), 1);
    assert_eq!(issuer.count(Endpoint::Introspect), 1);
    for wrong in [
        token_with(&issuer, &json!({"aud": "https://other.example.com"})),
        token_with(&issuer, &json!({"iss": "https://login.example.com"})),
        "unknown".to_owned(),
    ] {
        let found = tokens.verify(&wrong).await;
        assert!(matches!(found, Err(VerifyError::Invalid(_))), "{found:?}");
    }
    issuer.stop().await;
    let fresh = IssuerVerifier::new(issuer.issuer(), RESOURCE).unwrap();
    let found = fresh.verify(&token(&issuer)).await;
    assert!(
        matches!(found, Err(VerifyError::Unavailable(_))),
        "{found:?}"
    );
    assert!(IssuerVerifier::new("http://login.example.com", RESOURCE).is_err());
}
