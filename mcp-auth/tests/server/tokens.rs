//! Tokens that are JWTs.

use http::Request;
use mcp_auth::jwt::{Algorithm, SigningKey};
use mcp_auth::{Issuer, ResourceServer};
use mcp_runtime::transport::http::{AccessExpires, AccessPolicy, Principal};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};
use support::{Algorithm as KeyAlgorithm, AuthorizationServer, decode, hmac_token, unsigned_token};

use crate::asking::{
    Denied, METADATA, RESOURCE, ask, bear, guard, in_seconds, refuses, token, token_with,
};

fn claims(issuer: &AuthorizationServer) -> Value {
    json!({"iss": issuer.issuer(), "sub": "alice", "aud": RESOURCE, "exp": in_seconds(300)})
}

#[tokio::test]
async fn a_token_of_the_issuer_is_accepted() {
    for algorithm in [KeyAlgorithm::Es256, KeyAlgorithm::Rs256] {
        let issuer = AuthorizationServer::with(|it| it.algorithm = algorithm).await;
        let policy = guard(&issuer);
        let exp = in_seconds(300);
        let token = token_with(&issuer, &json!({"scope": "files:read", "exp": exp}));
        let value = format!("Bearer {token}");
        // The first request verifies the token, and the second one finds it in the cache.
        for _ in 0..2 {
            let headers = [("authorization", &*value), ("x-other", "kept")];
            let parts = ask(&policy, &headers).await.unwrap();
            assert_eq!(parts.headers.len(), 1);
            let principal: &Principal = parts.extensions.get().unwrap();
            let name = format!(r#"["{}","sub","alice"]"#, issuer.issuer());
            assert_eq!(principal.name(), name);
            let AccessExpires(end) = parts.extensions.get().unwrap();
            let end = end.duration_since(SystemTime::UNIX_EPOCH).unwrap();
            assert_eq!(end, Duration::from_secs(u64::try_from(exp).unwrap()));
            let claims = bear(&policy, &token).await.unwrap();
            assert_eq!(claims.subject(), Some("alice"));
            assert_eq!(claims.scopes().collect::<Vec<_>>(), ["files:read"]);
        }
    }
}

#[tokio::test]
async fn a_request_without_a_token_is_challenged() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer).scopes(["files:read", "files:list"]);
    for headers in [&[][..], &[("authorization", "Basic YTpi")]] {
        let denied = ask(&policy, headers).await.unwrap_err();
        assert_eq!(denied.bearer(), (401, None));
        let bearer = denied.challenge("Bearer");
        assert_eq!(bearer.resource_metadata(), Some(METADATA));
        assert_eq!(bearer.scope(), Some("files:read files:list"));
        let dpop = denied.challenge("DPoP");
        assert!(dpop.parameter("algs").unwrap().contains("ES256"));
        assert_eq!(dpop.resource_metadata(), Some(METADATA));
        assert_eq!(dpop.error(), None);
    }
    assert!(issuer.requests().is_empty());
}

#[tokio::test]
async fn a_token_without_a_subject_is_its_clients() {
    let issuer = AuthorizationServer::start().await;
    let token = token_with(&issuer, &json!({"sub": null, "client_id": "robot"}));
    let value = format!("Bearer {token}");
    let parts = ask(&guard(&issuer), &[("authorization", &value)]).await;
    let parts = parts.unwrap();
    let principal: &Principal = parts.extensions.get().unwrap();
    assert_eq!(
        principal.name(),
        format!(r#"["{}","client_id","robot"]"#, issuer.issuer())
    );
}

#[tokio::test]
async fn tokens_with_other_claims_are_refused() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    for claims in [
        json!({"aud": "https://other.example.com/mcp"}),
        json!({"aud": "https://mcp.example.com"}),
        json!({"aud": "https://mcp.example.com/mcp/"}),
        json!({"aud": null}),
        json!({"aud": []}),
        json!({"exp": in_seconds(-70)}),
        json!({"exp": null}),
        json!({"exp": "9999999999"}),
        json!({"nbf": in_seconds(70)}),
        json!({"iss": "https://login.example.com"}),
        json!({"iss": null}),
        json!({"sub": null, "client_id": null}),
        json!({"cnf": "x"}),
        json!({"cnf": {}}),
        json!({"cnf": {"x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"}}),
        json!({"cnf": {"jwk": {"kty": "EC", "crv": "P-256", "x": "a", "y": "b"}}}),
        json!({"cnf": {"kid": "key-1"}}),
        json!({"cnf": {"jkt": "a", "x5t#S256": "b"}}),
    ] {
        let token = token_with(&issuer, &claims);
        refuses(&policy, &token, &claims.to_string()).await;
    }
    bear(&policy, &token(&issuer)).await.unwrap();
}

#[tokio::test]
async fn an_id_token_is_not_an_access_token() {
    let issuer = AuthorizationServer::start().await;
    // The token is rejected even if the client has the same name as the resource.
    refuses(&guard(&issuer), &issuer.id_token(RESOURCE), "ID token").await;
    let lenient = Issuer::new(issuer.issuer()).accept_generic_type();
    let lenient = ResourceServer::new(RESOURCE).issuer(lenient);
    let header = json!({"typ": "JWT"});
    for (name, value) in [
        ("at_hash", "MTIzNDU2Nzg5MDEyMzQ1Ng"),
        ("c_hash", "MTIzNDU2Nzg5MDEyMzQ1Ng"),
        ("nonce", "n-0S6_WzA2Mj"),
        ("token_use", "id"),
        ("typ", "ID"),
        ("typ", "Refresh"),
    ] {
        let claims = json!({"aud": RESOURCE, name: value});
        refuses(&lenient, &issuer.mint_with(&header, &claims), name).await;
    }
}

#[tokio::test]
async fn other_types_are_accepted_by_choice_only() {
    let issuer = AuthorizationServer::start().await;
    let lenient = Issuer::new(issuer.issuer()).accept_generic_type();
    let lenient = ResourceServer::new(RESOURCE).issuer(lenient);
    let strict = guard(&issuer);
    for (kind, is_generic) in [
        (json!("JWT"), true),
        (Value::Null, true),
        (json!("dpop+jwt"), false),
        (json!("logout+jwt"), false),
    ] {
        let token = issuer.mint_with(&json!({"typ": kind}), &json!({"aud": RESOURCE}));
        refuses(&strict, &token, &kind.to_string()).await;
        if is_generic {
            drop(bear(&lenient, &token).await.unwrap());
        } else {
            refuses(&lenient, &token, &kind.to_string()).await;
        }
    }
    for kind in ["at+jwt", "application/at+jwt", "AT+JWT"] {
        let token = issuer.mint_with(&json!({"typ": kind}), &json!({"aud": RESOURCE}));
        bear(&strict, &token).await.unwrap();
    }
}

#[tokio::test]
async fn a_signature_by_the_public_key_proves_nothing() {
    let issuer = AuthorizationServer::with(|it| it.algorithm = KeyAlgorithm::Rs256).await;
    let policy = guard(&issuer);
    bear(&policy, &token(&issuer)).await.unwrap();
    let key = issuer.jwks()["keys"][0].clone();
    let claims = claims(&issuer);
    let kid = &key["kid"];
    for alg in ["none", "None", "HS256", "HS512"] {
        let header = json!({"typ": "at+jwt", "alg": alg, "kid": kid});
        refuses(&policy, &unsigned_token(&header, &claims), alg).await;
        for secret in [
            key.to_string().into_bytes(),
            decode(key["n"].as_str().unwrap()).unwrap(),
            key["n"].as_str().unwrap().as_bytes().to_vec(),
        ] {
            let token = hmac_token(&secret, &header, &claims);
            refuses(&policy, &token, alg).await;
        }
    }
    // The issuer's key with a different algorithm.
    let signed = issuer.mint_with(&json!({"alg": "RS384"}), &claims);
    refuses(&policy, &signed, "RS384").await;
}

#[tokio::test]
async fn a_key_that_the_token_brings_along_proves_nothing() {
    let issuer = AuthorizationServer::start().await;
    let key = SigningKey::generate().unwrap();
    let kid = issuer.jwks()["keys"][0]["kid"].clone();
    let url = "https://evil.example.com/jwks";
    for header in [
        json!({"jwk": key.public_jwk()}),
        json!({"jwk": key.public_jwk(), "kid": kid}),
        json!({"kid": kid, "jku": url}),
        json!({"kid": url}),
        json!({"kid": "../../../dev/null"}),
        json!({"kid": "x' UNION SELECT 'key"}),
        json!({"kid": ""}),
        json!({}),
    ] {
        let mut members = header.as_object().unwrap().clone();
        members.insert("typ".to_owned(), json!("at+jwt"));
        let claims = claims(&issuer).as_object().unwrap().clone();
        let token = key.sign(members, &claims).unwrap();
        refuses(&guard(&issuer), &token, &header.to_string()).await;
    }
}

#[tokio::test]
async fn a_changed_token_is_refused() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = token(&issuer);
    let other = token_with(&issuer, &json!({"sub": "eve"}));
    bear(&policy, &token).await.unwrap();
    let parts: Vec<_> = token.split('.').collect();
    let of_other: Vec<_> = other.split('.').collect();
    for (changed, what) in [
        (
            format!("{}.{}.{}", parts[0], of_other[1], parts[2]),
            "claims",
        ),
        (format!("{}.{}.", parts[0], parts[1]), "no signature"),
        (format!("{}.{}", parts[0], parts[1]), "two parts"),
        (format!("{token}.a"), "four parts"),
        (format!("{token}="), "padding"),
        (token.to_uppercase(), "case"),
        ("opaque".to_owned(), "opaque"),
        ("..".to_owned(), "empty"),
        ("a".repeat(20_000), "long"),
    ] {
        refuses(&policy, &changed, what).await;
    }
}

#[tokio::test]
async fn malformed_requests_are_answered_with_400() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let token = token(&issuer);
    let value = format!("Bearer {token}");
    let twice = [("authorization", &*value), ("authorization", &*value)];
    let denied = ask(&policy, &twice).await.unwrap_err();
    assert_eq!(denied.bearer(), (400, Some("invalid_request".to_owned())));
    let in_query = format!("/mcp?access_token={token}");
    let mut parts = Request::get(in_query).body(()).unwrap().into_parts().0;
    let denied: Denied = policy.admit(&mut parts).await.unwrap_err().into();
    assert_eq!(denied.bearer(), (400, Some("invalid_request".to_owned())));
    assert!(!format!("{denied:?}").contains(&token));
}

#[tokio::test]
async fn the_issuers_clock_may_differ_by_a_minute() {
    let issuer = AuthorizationServer::start().await;
    let policy = guard(&issuer);
    let late = token_with(&issuer, &json!({"exp": in_seconds(-50)}));
    let value = format!("Bearer {late}");
    let parts = ask(&policy, &[("authorization", &value)]).await.unwrap();
    // Streams of such a request do not end immediately.
    let AccessExpires(end) = parts.extensions.get().unwrap();
    assert!(*end > SystemTime::now());
    let early = token_with(&issuer, &json!({"nbf": in_seconds(50)}));
    bear(&policy, &early).await.unwrap();
    let strict = Issuer::new(issuer.issuer()).leeway(Duration::ZERO);
    let strict = ResourceServer::new(RESOURCE).issuer(strict);
    refuses(&strict, &late, "late").await;
    refuses(&strict, &early, "early").await;
}

#[tokio::test]
async fn each_issuer_has_its_own_keys_and_rules() {
    let first = AuthorizationServer::start().await;
    let second = AuthorizationServer::with(|it| it.algorithm = KeyAlgorithm::Rs256).await;
    let other = AuthorizationServer::start().await;
    let policy = guard(&first).issuer(
        Issuer::new(second.issuer())
            .algorithms([Algorithm::Rs256])
            .audience("files"),
    );
    for issuer in [&first, &second] {
        let claims = bear(&policy, &token(issuer)).await.unwrap();
        assert_eq!(claims.issuer(), issuer.issuer());
    }
    refuses(&policy, &token(&other), "an unknown issuer").await;
    assert!(other.requests().is_empty());
    // The token is signed by one issuer but names the other.
    let forged = token_with(&first, &json!({"iss": second.issuer()}));
    refuses(&policy, &forged, "forged").await;
    let files = json!({"aud": "files"});
    bear(&policy, &token_with(&second, &files)).await.unwrap();
    refuses(&policy, &token_with(&first, &files), "the other's audience").await;
}
