//! Tests of the rules for access tokens.

use mcp_auth::jwt::{AccessTokenRules, Algorithm, Claims, JwkSet, TokenError};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

use crate::issuer::PrivateKey;

const ISSUER: &str = "https://login.example.com";
const RESOURCE: &str = "https://mcp.example.com/mcp";
const NOW: u64 = 1_800_000_000;

/// An issuer with one key.
struct Issuer {
    key: PrivateKey,
    keys: JwkSet,
}

impl Issuer {
    fn new() -> Self {
        let key = PrivateKey::of(Algorithm::Es256);
        let keys = JwkSet::from_iter([key.jwk(json!({"kid": "1", "alg": "ES256"}))]);
        Self { key, keys }
    }

    /// Verifies a token with these members replaced; `"-"` removes a member.
    fn verify(&self, rules: &AccessTokenRules, header: Value, claims: Value) -> Found {
        let mut all = json!({"alg": "ES256", "kid": "1", "typ": "at+jwt"});
        change(&mut all, header);
        let header = all;
        let mut all = json!({"iss": ISSUER, "aud": RESOURCE, "sub": "ada", "exp": NOW + 300});
        change(&mut all, claims);
        let token = self.key.token(&header, &all);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
        rules.verify(&token, &self.keys, now)
    }

    fn claims(&self, claims: Value) -> Found {
        self.verify(&rules(), json!({}), claims)
    }

    fn header(&self, rules: &AccessTokenRules, header: Value) -> Found {
        self.verify(rules, header, json!({}))
    }
}

type Found = Result<Claims, TokenError>;

fn rules() -> AccessTokenRules {
    AccessTokenRules::new(ISSUER, RESOURCE)
}

fn change(members: &mut Value, others: Value) {
    let members = members.as_object_mut().unwrap();
    for (name, value) in others.as_object().unwrap() {
        members.insert(name.clone(), value.clone());
    }
    members.retain(|_, value| value != "-");
}

#[test]
fn an_access_token_is_accepted() {
    let claims = Issuer::new().claims(json!({"scope": "files:read", "aud": ["other", RESOURCE]}));
    let claims = claims.unwrap();
    assert_eq!((claims.issuer(), claims.subject()), (ISSUER, Some("ada")));
    assert_eq!(claims.scopes().collect::<Vec<_>>(), ["files:read"]);
}

#[test]
fn issuer_and_audience_are_compared_character_by_character() {
    let issuer = Issuer::new();
    for other in [
        "https://login.example.com/",
        "https://LOGIN.example.com",
        "",
        "x",
    ] {
        assert_eq!(
            issuer.claims(json!({"iss": other})).unwrap_err(),
            TokenError::Issuer
        );
    }
    for other in [
        json!("https://mcp.example.com"),
        json!([]),
        json!(["x"]),
        json!(RESOURCE.to_uppercase()),
    ] {
        assert_eq!(
            issuer.claims(json!({"aud": other})).unwrap_err(),
            TokenError::Audience
        );
    }
    let rules = rules().audience("https://mcp.example.com");
    let other = json!({"aud": "https://mcp.example.com"});
    assert!(issuer.verify(&rules, json!({}), other).is_ok());
}

#[test]
fn times_have_a_minute_of_leeway() {
    let issuer = Issuer::new();
    let at = |name: &str, time: u64| issuer.claims(json!({name: time})).err();
    assert_eq!(at("exp", NOW - 59), None);
    assert_eq!(at("exp", NOW - 60), Some(TokenError::Expired));
    assert_eq!(at("exp", 0), Some(TokenError::Expired));
    assert_eq!(at("nbf", NOW + 60), None);
    assert_eq!(at("nbf", NOW + 61), Some(TokenError::NotYetValid));
    let strict = rules().leeway(Duration::ZERO);
    let found = issuer.verify(&strict, json!({}), json!({"exp": NOW}));
    assert_eq!(found.unwrap_err(), TokenError::Expired);
}

#[test]
fn a_time_of_a_wrong_type_is_missing_or_invalid() {
    for exp in [json!("1900000000"), json!(null), json!(true), json!({})] {
        let found = Issuer::new().claims(json!({"exp": exp}));
        assert_eq!(found.unwrap_err(), TokenError::InvalidClaim("exp"));
    }
    let found = Issuer::new().claims(json!({"exp": "-"}));
    assert_eq!(found.unwrap_err(), TokenError::MissingClaim("exp"));
}

#[test]
fn types_of_other_tokens_are_refused() {
    let issuer = Issuer::new();
    for name in ["at+jwt", "AT+JWT", "application/at+jwt"] {
        assert!(
            issuer.header(&rules(), json!({"typ": name})).is_ok(),
            "{name}"
        );
    }
    let generic = rules().accept_generic_type();
    for name in ["JWT", "jwt", "application/jwt", "-"] {
        let header = json!({"typ": name});
        let found = issuer.header(&rules(), header.clone());
        assert_eq!(found.unwrap_err(), TokenError::Type, "{name}");
        assert!(issuer.header(&generic, header).is_ok(), "{name}");
    }
    for name in ["dpop+jwt", "logout+jwt", "", "application/", "text/at+jwt"] {
        let found = issuer.header(&generic, json!({"typ": name}));
        assert_eq!(found.unwrap_err(), TokenError::Type, "{name}");
    }
}

#[test]
fn claims_of_other_tokens_are_refused_in_generic_ones() {
    let issuer = Issuer::new();
    let generic = rules().accept_generic_type();
    let verify = |kind: &str, claims: &serde_json::Value| {
        issuer.verify(&generic, json!({"typ": kind}), claims.clone())
    };
    for claims in [
        json!({"nonce": "n"}),
        json!({"at_hash": "h"}),
        json!({"c_hash": "h"}),
        json!({"token_use": "id"}),
        json!({"token_use": "refresh"}),
        json!({"typ": "ID"}),
        json!({"typ": "Refresh"}),
        json!({"typ": "Offline"}),
        json!({"typ": "Logout"}),
    ] {
        for kind in ["JWT", "-"] {
            let found = verify(kind, &claims);
            assert_eq!(found.unwrap_err(), TokenError::Type, "{kind} {claims}");
        }
        // The header names the type, so these claims don't matter.
        assert!(verify("at+jwt", &claims).is_ok(), "{claims}");
    }
    for claims in [
        json!({"token_use": "access"}),
        json!({"typ": "Bearer"}),
        json!({"typ": 1}),
    ] {
        assert!(verify("JWT", &claims).is_ok(), "{claims}");
    }
}

#[test]
fn algorithms_are_those_of_the_list() {
    let issuer = Issuer::new();
    let only = |algorithm| rules().algorithms([algorithm]);
    assert!(issuer.header(&only(Algorithm::Es256), json!({})).is_ok());
    let found = issuer.header(&only(Algorithm::Rs256), json!({}));
    assert_eq!(found.unwrap_err(), TokenError::Algorithm);
    let none = rules().algorithms([]);
    assert_eq!(
        issuer.header(&none, json!({})).unwrap_err(),
        TokenError::Algorithm
    );
}

#[test]
fn extensions_are_not_skipped() {
    let found = Issuer::new().header(&rules(), json!({"crit": ["exp"], "exp": NOW}));
    assert_eq!(found.unwrap_err(), TokenError::Critical);
}

#[test]
fn an_error_names_no_part_of_the_token() {
    let issuer = Issuer::new();
    for claims in [
        json!({"iss": "secret"}),
        json!({"aud": "secret"}),
        json!({"exp": "secret"}),
    ] {
        let error = issuer.claims(claims).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}
