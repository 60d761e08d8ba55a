//! Each time limit ends a request, whatever the issuer does.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use mcp_auth::ResourceServer;
use serde_json::json;
use support::{AuthorizationServer, Client, Endpoint, Fault};
use tokio::time::{Instant, timeout};

use crate::asking::{RESOURCE, bear, introspecting, token, unavailable};
use crate::clock::Clock;

/// The server's source files with a time limit, and the endpoints that they wait for.
const LIMITS: [(&str, &[Endpoint]); 2] = [
    ("lookups.rs", &[Endpoint::Metadata, Endpoint::Introspect]),
    ("keys.rs", &[Endpoint::Metadata, Endpoint::Jwks]),
];

/// The time limit of an access policy.
const POLICY: Duration = Duration::from_secs(10);

async fn issuer() -> AuthorizationServer {
    AuthorizationServer::with(|it| {
        it.clients = vec![Client::secret("resource server", "a:b/ü")];
    })
    .await
}

#[tokio::test]
async fn each_limit_ends_a_request_before_that_of_the_policy() {
    for (file, endpoints) in LIMITS {
        for (endpoint, fault) in endpoints
            .iter()
            .flat_map(|it| [(it, Fault::Hang), (it, Fault::Dribble)])
        {
            let issuer = issuer().await;
            let policy = introspecting(&issuer);
            let token = match file {
                "keys.rs" => token(&issuer),
                _ => issuer.mint_opaque(&json!({"aud": RESOURCE})),
            };
            let clock = Clock::stopped();
            let what = format!("{file}: {endpoint:?} {fault:?}");
            issuer.fail(*endpoint, fault);
            let took = refused_after(&clock, &policy, &token).await;
            let limit = Duration::from_secs(8);
            assert!(took >= limit && took < POLICY, "{what}: {took:?}");
            // Requests succeed again when the issuer works again.
            issuer.heal();
            clock.pass(Duration::from_secs(2)).await;
            bear(&policy, &token).await.unwrap();
            clock.go_on();
        }
    }
}

/// The time until a request gets a 503.
async fn refused_after(clock: &Clock, policy: &ResourceServer, token: &str) -> Duration {
    let begun = Instant::now();
    let limited = timeout(6 * POLICY, unavailable(policy, token));
    let answered = clock.run_until(Duration::from_millis(100), limited).await;
    answered.expect("no limit ends the request");
    begun.elapsed()
}

#[test]
fn there_are_no_other_limits() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeSet::new();
    for folder in ["server", "jwt"] {
        for file in std::fs::read_dir(sources.join(folder)).unwrap() {
            let path = file.unwrap().path();
            let source = std::fs::read_to_string(&path).unwrap();
            let waits = [
                "timeout(",
                "timeout_at(",
                "sleep(",
                "sleep_until(",
                "interval(",
            ];
            if waits.iter().any(|it| source.contains(it)) {
                let name = path.file_name().unwrap().to_str().unwrap();
                found.insert(name.to_owned());
            }
        }
    }
    let tried = LIMITS.map(|(file, _)| file.to_owned());
    assert_eq!(found, BTreeSet::from(tried), "each of them is tried above");
}
