//! Access tokens as providers issue them, and what each preset accepts and rejects.
//!
//! The claims are taken from the providers' published examples, with other values.

use mcp_auth::jwt::{JwkSet, SigningKey};
use mcp_auth::{Issuer, ResourceServer};
use serde_json::{Map, Value, json};

use crate::asking::{RESOURCE, bear, in_seconds, refuses};

const TENANT: &str = "11111111-2222-3333-4444-555555555555";
const OTHER: &str = "99999999-2222-3333-4444-555555555555";
const APP: &str = "66666666-7777-8888-9999-000000000000";

/// A provider with one key, and a token that the provider issues for this server.
struct Shape {
    key: SigningKey,
    header: Value,
    claims: Value,
}

impl Shape {
    fn new(header: Value, claims: Value) -> Self {
        let key = SigningKey::generate().unwrap();
        let mut times = json!({
            "iat": in_seconds(-10), "nbf": in_seconds(-10), "exp": in_seconds(600),
        });
        merge(&mut times, &claims);
        Self {
            key,
            header,
            claims: times,
        }
    }

    fn keys(&self) -> JwkSet {
        let mut jwk = self.key.public_jwk();
        jwk["kid"] = json!("1");
        JwkSet::parse(json!({"keys": [jwk]}).to_string().as_bytes()).unwrap()
    }

    /// The token with these claims replaced; null removes a claim.
    fn token(&self, changes: Value) -> String {
        self.token_with(json!({}), changes)
    }

    fn token_with(&self, header: Value, changes: Value) -> String {
        let mut all = self.header.clone();
        let mut claims = self.claims.clone();
        all["kid"] = json!("1");
        merge(&mut all, &header);
        merge(&mut claims, &changes);
        self.key.sign(object(all), &object(claims)).unwrap()
    }

    /// Checks that the preset accepts the token and rejects it with each of these changes. Without
    /// the preset, the token is rejected.
    async fn check(&self, preset: Issuer, scope: &str, refused: Vec<(&str, Value)>) {
        let issuer = self.claims["iss"].as_str().unwrap();
        let plain = ResourceServer::new(RESOURCE).issuer(Issuer::new(issuer).keys(self.keys()));
        refuses(&plain, &self.token(json!({})), "without the preset").await;
        let policy = ResourceServer::new(RESOURCE).issuer(preset.keys(self.keys()));
        assert_eq!(policy.check(), Ok(()));
        let claims = bear(&policy, &self.token(json!({}))).await.unwrap();
        assert!(claims.scopes().any(|it| it == scope), "{claims:?}");
        let others = vec![
            ("expired", json!({"exp": in_seconds(-70)})),
            ("not yet valid", json!({"nbf": in_seconds(70)})),
            (
                "of another issuer",
                json!({"iss": "https://login.example.com"}),
            ),
            ("an ID token", json!({"nonce": "n-0S6_WzA2Mj"})),
        ];
        for (what, changes) in refused.into_iter().chain(others) {
            refuses(&policy, &self.token(changes), what).await;
        }
        let other = SigningKey::generate().unwrap();
        let forged = other.sign(object(json!({"kid": "1"})), &object(self.claims.clone()));
        refuses(&policy, &forged.unwrap(), "forged").await;
        refuses(&policy, "0.AXkA.refresh-token", "a refresh token").await;
    }
}

fn merge(all: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(all.as_object_mut().unwrap().remove(name)),
            value => all[name] = value.clone(),
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Claims as in learn.microsoft.com, "Access token claims reference", as of November 2026.
fn entra() -> Shape {
    let claims = json!({
        "iss": format!("https://login.microsoftonline.com/{TENANT}/v2.0"),
        "aud": APP,
        "azp": "client-app",
        "azpacr": "0",
        "name": "Alice",
        "oid": "00000000-0000-0000-66f3-3332eca7ea81",
        "preferred_username": "alice@example.com",
        "scp": "files.read files.write",
        "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
        "tid": TENANT,
        "uti": "a",
        "ver": "2.0",
    });
    Shape::new(json!({"typ": "JWT"}), claims)
}

#[tokio::test]
async fn entra_tokens_of_one_tenant() {
    let other_tenant = format!("https://login.microsoftonline.com/{OTHER}/v2.0");
    let v1 = format!("https://sts.windows.net/{TENANT}/");
    let refused = vec![
        (
            "of another tenant",
            json!({"iss": other_tenant, "tid": OTHER}),
        ),
        (
            "with the identifier of another tenant",
            json!({"tid": OTHER}),
        ),
        (
            "for another app of the tenant",
            json!({"aud": "00000003-0000-0000-c000-000000000000"}),
        ),
        (
            "for the URI of the app",
            json!({"aud": format!("api://{APP}")}),
        ),
        // ID tokens for the app registration have no `azp`.
        (
            "an ID token without nonce",
            json!({"azp": null, "scp": null}),
        ),
        ("of version 1.0", json!({"iss": v1, "ver": "1.0"})),
        ("of version 1.0 by the claim", json!({"ver": "1.0"})),
    ];
    entra()
        .check(Issuer::entra(TENANT, APP), "files.read", refused)
        .await;
}

#[tokio::test]
async fn entra_tokens_of_several_tenants() {
    let of = |tenant: &str| {
        let issuer = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        json!({"iss": issuer, "tid": tenant})
    };
    let outsider = "88888888-2222-3333-4444-555555555555";
    let refused = vec![
        ("of a tenant that is not in the list", of(outsider)),
        (
            "with the identifier of another tenant",
            json!({"tid": OTHER}),
        ),
        ("without the identifier of the tenant", json!({"tid": null})),
        ("of no tenant", of("")),
        ("of the shared name", of("organizations")),
        ("of a path", of(&format!("{TENANT}/x"))),
        (
            "for another app",
            json!({"aud": "00000003-0000-0000-c000-000000000000"}),
        ),
        (
            "an ID token without nonce",
            json!({"azp": null, "scp": null}),
        ),
    ];
    let shape = entra();
    let preset = || Issuer::entra_tenants([TENANT, OTHER], APP);
    shape.check(preset(), "files.read", refused).await;
    let policy = ResourceServer::new(RESOURCE).issuer(preset().keys(shape.keys()));
    for tenant in [TENANT, OTHER] {
        let claims = bear(&policy, &shape.token(of(tenant))).await.unwrap();
        assert!(claims.issuer().contains(tenant));
    }
}

#[tokio::test]
async fn keys_of_one_tenant_verify_no_tokens_of_others() {
    let shape = entra();
    let named = |issuer: &str| {
        let mut jwk = shape.key.public_jwk();
        jwk["kid"] = json!("1");
        jwk["issuer"] = json!(issuer);
        let keys = JwkSet::parse(json!({"keys": [jwk]}).to_string().as_bytes()).unwrap();
        ResourceServer::new(RESOURCE).issuer(Issuer::entra_tenants([TENANT, OTHER], APP).keys(keys))
    };
    let token = shape.token(json!({}));
    for issuer in [
        "https://login.microsoftonline.com/{tenantid}/v2.0".to_owned(),
        format!("https://login.microsoftonline.com/{TENANT}/v2.0"),
    ] {
        bear(&named(&issuer), &token).await.unwrap();
    }
    let other = named(&format!("https://login.microsoftonline.com/{OTHER}/v2.0"));
    refuses(&other, &token, "by the key of another tenant").await;
}

/// Claims as in keycloak.org, "Server Administration Guide" 26, as of November 2026.
#[tokio::test]
async fn keycloak_tokens() {
    let claims = json!({
        "iss": "https://login.example.com/realms/acme",
        "aud": [RESOURCE, "account"],
        "azp": "mcp-client",
        "typ": "Bearer",
        "sub": "f3e1c0c0-0000-4000-8000-000000000001",
        "sid": "a",
        "acr": "1",
        "scope": "files:read profile",
        "preferred_username": "alice",
    });
    let shape = Shape::new(json!({"typ": "JWT"}), claims);
    let preset = Issuer::keycloak("https://login.example.com/realms/acme");
    let refused = vec![
        ("an ID token by its type", json!({"typ": "ID"})),
        ("a refresh token by its type", json!({"typ": "Refresh"})),
        ("an offline token", json!({"typ": "Offline"})),
        ("a logout token", json!({"typ": "Logout"})),
        ("without a type", json!({"typ": null})),
        ("without audience mapper", json!({"aud": "account"})),
        (
            "of another realm",
            json!({"iss": "https://login.example.com/realms/other"}),
        ),
    ];
    shape.check(preset, "files:read", refused).await;
}

/// Claims as in auth0.com/docs, "Access Token Profiles", as of November 2026.
#[tokio::test]
async fn auth0_tokens() {
    let claims = json!({
        "iss": "https://acme.eu.auth0.com/",
        "sub": "auth0|507f1f77bcf86cd799439020",
        "aud": ["https://api.example.com", "https://acme.eu.auth0.com/userinfo"],
        "azp": "my_client_id",
        "scope": "openid files:read",
    });
    let shape = Shape::new(json!({"typ": "JWT"}), claims);
    let preset = Issuer::auth0("acme.eu.auth0.com", "https://api.example.com");
    let refused = vec![
        (
            "for another API",
            json!({"aud": ["https://other.example.com"]}),
        ),
        (
            "an ID token without nonce",
            json!({"aud": "my_client_id", "scope": null}),
        ),
        ("an ID token for the API", json!({"scope": null})),
        (
            "of another tenant",
            json!({"iss": "https://other.eu.auth0.com/"}),
        ),
        (
            "without the slash",
            json!({"iss": "https://acme.eu.auth0.com"}),
        ),
    ];
    shape.check(preset, "files:read", refused).await;
}

/// Claims as in developer.okta.com, "Build JWT with claims", as of November 2026.
#[tokio::test]
async fn okta_tokens() {
    let claims = json!({
        "iss": "https://acme.okta.com/oauth2/default",
        "ver": 1,
        "jti": "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
        "aud": "api://default",
        "cid": "nmdP1fcyvdVO11AL7ECm",
        "uid": "00ujmkLgagxeRrAg20g3",
        "scp": ["openid", "files:read"],
        "sub": "alice@example.com",
    });
    let shape = Shape::new(json!({}), claims);
    let preset = Issuer::okta("https://acme.okta.com/oauth2/default", "api://default");
    let refused = vec![
        ("for another audience", json!({"aud": "api://other"})),
        (
            "an ID token without nonce",
            json!({"aud": "nmdP1fcyvdVO11AL7ECm", "cid": null}),
        ),
        (
            "an ID token for the audience",
            json!({"cid": null, "scp": null}),
        ),
        (
            "of another server",
            json!({"iss": "https://acme.okta.com/oauth2/other"}),
        ),
        ("of the org server", json!({"iss": "https://acme.okta.com"})),
    ];
    shape.check(preset, "files:read", refused).await;
}

/// Claims as in docs.aws.amazon.com, "Understanding the access token", as of November 2026.
#[tokio::test]
async fn cognito_tokens() {
    let pool = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc";
    let claims = json!({
        "iss": pool,
        "sub": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
        "cognito:groups": ["readers"],
        "version": 2,
        "client_id": "1example23456789",
        "event_id": "a",
        "token_use": "access",
        "scope": "openid files/read",
        "username": "alice",
        "jti": "b",
    });
    let shape = Shape::new(json!({}), claims);
    let preset = || Issuer::cognito(pool, "1example23456789").scope_prefix("files/");
    let id_token = json!({
        "aud": "1example23456789", "token_use": "id", "client_id": null, "scope": null,
    });
    let refused = vec![
        ("an ID token without nonce", id_token),
        ("an ID token by its claim", json!({"token_use": "id"})),
        (
            "a refresh token by its claim",
            json!({"token_use": "refresh"}),
        ),
        ("without its use", json!({"token_use": null})),
        ("of another client", json!({"client_id": "other"})),
        (
            "of no client",
            json!({"client_id": null, "aud": "1example23456789"}),
        ),
        ("of another pool", json!({"iss": format!("{pool}d")})),
    ];
    shape.check(preset(), "files/read", refused).await;
    // Scopes are compared without their prefix.
    let policy = ResourceServer::new(RESOURCE)
        .issuer(preset().keys(shape.keys()))
        .scopes(["read"]);
    bear(&policy, &shape.token(json!({}))).await.unwrap();
    let denied = bear(&policy, &shape.token(json!({"scope": "other/read"})))
        .await
        .unwrap_err();
    assert_eq!(denied.challenge("Bearer").scope(), Some("files/read"));
}

/// Claims as in workos.com/docs, "MCP", as of November 2026.
#[tokio::test]
async fn workos_tokens() {
    let claims = json!({
        "iss": "https://acme.authkit.app",
        "aud": RESOURCE,
        "sub": "user_01HBEQKA6K4QJAS93VPE39W1JT",
        "sid": "app_consent_01HBEQKA6K4QJAS93VPE39W1JT",
        "scope": "openid profile email",
    });
    let shape = Shape::new(json!({}), claims);
    let refused = vec![
        (
            "for a client",
            json!({"aud": "client_01HBEQKA6K4QJAS93VPE39W1JT"}),
        ),
        (
            "for another server",
            json!({"aud": "https://mcp.example.com/other"}),
        ),
        (
            "of another domain",
            json!({"iss": "https://other.authkit.app"}),
        ),
    ];
    shape
        .check(Issuer::workos("acme.authkit.app"), "profile", refused)
        .await;
}

/// Claims as in docs.descope.com, "MCP Servers", as of November 2026.
#[tokio::test]
async fn descope_tokens() {
    let issuer = "https://api.descope.com/v1/apps/agentic/P2abc/M2abc";
    let claims = json!({
        "iss": issuer,
        "aud": ["P2abc"],
        "azp": "a-client",
        "sub": "U2abc",
        "scope": ["files:read", "openid"],
    });
    let shape = Shape::new(json!({"typ": "JWT"}), claims);
    let refused = vec![
        ("for another project", json!({"aud": ["P2other"]})),
        (
            "of another server of the project",
            json!({"iss": format!("{issuer}d")}),
        ),
    ];
    let preset = || Issuer::descope(issuer, "P2abc");
    shape.check(preset(), "files:read", refused).await;
    let policy = ResourceServer::new(RESOURCE).issuer(preset().keys(shape.keys()));
    bear(&policy, &shape.token(json!({"aud": RESOURCE})))
        .await
        .unwrap();
}

#[tokio::test]
async fn the_slash_of_an_empty_path_makes_no_difference_in_the_audience() {
    let claims = json!({"iss": "https://login.example.com", "sub": "alice"});
    let shape = Shape::new(json!({"typ": "at+jwt"}), claims);
    for (resource, audience, is_accepted) in [
        ("https://mcp.example.com", "https://mcp.example.com/", true),
        ("https://mcp.example.com/", "https://mcp.example.com", true),
        (
            "https://mcp.example.com/mcp",
            "https://mcp.example.com/mcp/",
            false,
        ),
        (
            "https://mcp.example.com/mcp",
            "https://mcp.example.com",
            false,
        ),
        ("https://mcp.example.com", "https://MCP.example.com", false),
        (
            "https://mcp.example.com",
            "https://mcp.example.com//",
            false,
        ),
    ] {
        let issuer = Issuer::new("https://login.example.com").keys(shape.keys());
        let policy = ResourceServer::new(resource).issuer(issuer);
        let token = shape.token(json!({"aud": audience}));
        assert_eq!(
            bear(&policy, &token).await.is_ok(),
            is_accepted,
            "{audience}"
        );
    }
}
