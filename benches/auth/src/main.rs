//! Measures the check of an access token (`ES256`) against the bare verification of its signature.
//!
//! `cargo run --release -p bench-auth` prints the medians as JSON, in nanoseconds: `bare`, `first`
//! for a token that the server has not seen before, and `again` for a token that it has seen.

mod issuer;

use std::error::Error;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::Request;
use http::request::Parts;
use mcp_auth::ResourceServer;
use mcp_auth::jwt::SigningKey;
use mcp_runtime::transport::http::AccessPolicy;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Map, Value, json};

use issuer::Issuer;

const RESOURCE: &str = "https://mcp.example.com/mcp";

/// The three checks take turns, so each is measured this many times.
const ROUNDS: usize = 101;
const TOKENS: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = SigningKey::generate()?;
    let issuer = Issuer::start(&key.public_jwk()).await?;
    let policy = ResourceServer::new(RESOURCE).issuer(issuer.url.as_str());
    // The first request makes the policy fetch the keys.
    policy
        .admit(&mut request(&token(&key, &issuer.url, 0)?)?)
        .await?;
    let point = point(&key.public_jwk());
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);

    let mut bare = Vec::new();
    let mut first = Vec::new();
    let mut again = Vec::new();
    for round in 0..ROUNDS {
        let numbers = (1..=TOKENS).map(|number| round * TOKENS + number);
        let tokens = numbers.map(|number| token(&key, &issuer.url, number));
        let tokens = tokens.collect::<Result<Vec<_>, _>>()?;
        let signed: Vec<_> = tokens.iter().map(|token| parts(token)).collect();
        bare.push(time(&signed, |(signed, signature)| {
            public.verify(signed, signature).is_ok()
        }));
        for times in [&mut first, &mut again] {
            let requests = tokens.iter().map(|token| request(token));
            let mut requests = requests.collect::<Result<Vec<_>, _>>()?;
            times.push(time(&mut requests, |request| is_admitted(&policy, request)));
        }
    }
    let [bare, first, again] = [bare, first, again].map(median);
    println!("{}", json!({"bare": bare, "first": first, "again": again}));
    Ok(())
}

/// Runs a check on each item and returns nanoseconds per item. Every check must succeed.
fn time<T>(items: impl IntoIterator<Item = T>, mut run: impl FnMut(T) -> bool) -> f64 {
    let begun = Instant::now();
    let mut count = 0;
    for item in items {
        assert!(run(item), "a token is refused");
        count += 1;
    }
    begun.elapsed().as_nanos() as f64 / f64::from(count)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Polls the policy once. The keys are already cached, so the policy never has to wait.
fn is_admitted(policy: &ResourceServer, request: &mut Parts) -> bool {
    let admitted = pin!(policy.admit(request));
    let polled = admitted.poll(&mut Context::from_waker(Waker::noop()));
    matches!(polled, Poll::Ready(Ok(())))
}

/// Creates a token like one from a real authorization server.
fn token(key: &SigningKey, issuer: &str, number: usize) -> Result<String, Box<dyn Error>> {
    let claims = json!({
        "iss": issuer,
        "sub": "5ba552d67",
        "aud": RESOURCE,
        "exp": 4_000_000_000_u64,
        "iat": 1_700_000_000,
        "jti": format!("dbe39bf3a3ba4238a513f51d6e1691c4-{number}"),
        "client_id": "s6BhdRkqt3",
        "scope": "openid profile files:read files:write",
    });
    let header = Map::from_iter([
        ("typ".to_owned(), json!("at+jwt")),
        ("kid".to_owned(), json!("key")),
    ]);
    let claims = claims.as_object().cloned().unwrap_or_default();
    Ok(key.sign(header, &claims)?)
}

fn request(token: &str) -> http::Result<Parts> {
    let request = Request::post("/mcp")
        .header("host", "mcp.example.com")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("authorization", format!("Bearer {token}"))
        .body(())?;
    Ok(request.into_parts().0)
}

/// Splits a token into the signed part and the signature.
fn parts(token: &str) -> (&[u8], Vec<u8>) {
    let (signed, signature) = token.rsplit_once('.').unwrap_or_default();
    (signed.as_bytes(), decode(signature))
}

/// Returns the public key as an uncompressed point.
fn point(jwk: &Value) -> Vec<u8> {
    let coordinate = |name: &str| decode(jwk[name].as_str().unwrap_or_default());
    [vec![4], coordinate("x"), coordinate("y")].concat()
}

fn decode(text: &str) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(text).unwrap_or_default()
}
