//! An authenticator's own HTTP requests.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, Request};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo, http_client,
};
use mcp_runtime::{Client, Era};

use crate::scripted::Scripted;
use crate::support::clock::{Clock, in_time};

/// Keeps the [`AuthHttp`] that the authenticator gets.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<AuthHttp>>>);

impl Authenticator for Kept {
    fn credentials(&self, _: RequestInfo, http: AuthHttp) -> BoxFuture<AuthResult<HeaderMap>> {
        *self.0.lock().unwrap() = Some(http);
        Box::pin(async { Ok(HeaderMap::new()) })
    }

    fn challenged(
        &self,
        _: RequestInfo,
        _: Challenge,
        _: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        Box::pin(async { Ok(AfterChallenge::GiveUp) })
    }
}

/// Returns a server, and the HTTP client of an authenticator for it.
async fn open() -> (Scripted, AuthHttp) {
    let server = Scripted::new(|exchange| async move {
        match &*exchange.target {
            "/mcp" => drop(exchange.shake_hands().await),
            "/moved" => exchange.reply(302, "location: /there\r\n", "").await,
            "/long" => exchange.reply(200, "", &"x".repeat(1024 * 1024 + 1)).await,
            "/whole" => exchange.reply(200, "", &"x".repeat(1024 * 1024)).await,
            "/marked" => exchange.reply(200, "", "\u{feff}{}").await,
            "/compressed" => exchange.reply(200, "content-encoding: gzip\r\n", "x").await,
            "/encoding" => {
                let accepted = exchange.header("accept-encoding").to_owned();
                exchange
                    .reply(404, "content-encoding: gzip\r\n", &accepted)
                    .await;
            }
            "/silent" => exchange.hang().await,
            _ => {
                let secret = exchange.header("x-secret").to_owned();
                let body = format!("{}{secret}", exchange.verb);
                exchange.reply(418, "", &body).await;
            }
        }
    });
    let server = server.await;
    let kept = Kept::default();
    let url = http_client(server.url())
        .header("x-secret", "secret")
        .allow_private_host("224.0.0.1")
        .auth(kept.clone());
    let client = Client::builder("test", "1")
        .era(Era::Handshake)
        .connect(url);
    in_time(client).await.unwrap();
    let http = kept.0.lock().unwrap().clone().unwrap();
    (server, http)
}

fn get(url: &str) -> Request<String> {
    Request::get(url).body(String::new()).unwrap()
}

#[tokio::test]
async fn answers_are_returned_whatever_they_are() {
    let (server, http) = open().await;
    let url = |path: &str| format!("http://{}/{path}", server.addr);
    let request = Request::post(url("token")).body("a=b".to_owned()).unwrap();
    let answer = in_time(http.send(request)).await.unwrap();
    assert_eq!(answer.status(), 418);
    assert_eq!(&**answer.body(), b"POST");
    let answer = in_time(http.send(get(&url("moved")))).await.unwrap();
    assert_eq!(answer.status(), 302);
    assert_eq!(answer.headers()["location"], "/there");
    let answer = in_time(http.send(get(&url("whole")))).await.unwrap();
    assert_eq!(answer.body().len(), 1024 * 1024);
    let by_name = format!("http://localhost:{}/", server.addr.port());
    let answer = in_time(http.send(get(&by_name))).await.unwrap();
    assert_eq!(answer.status(), 418);
}

#[tokio::test]
async fn answers_are_limited() {
    let (server, http) = open().await;
    let long = format!("http://{}/long", server.addr);
    let error = in_time(http.send(get(&long))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let clock = Clock::stopped();
    let silent = get(&format!("http://{}/silent", server.addr));
    let sent = clock.run_until(Duration::from_secs(1), http.send(silent));
    let error = sent.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("30s"), "{error}");
}

#[tokio::test]
async fn addresses_that_the_server_has_no_part_in_are_refused() {
    let (_server, http) = open().await;
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/secret",
        "https://[fd00::1]/secret",
        "https://[::ffff:192.168.0.1]/secret",
    ] {
        let error = in_time(http.send(get(url))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{url}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    for url in ["ftp://127.0.0.1/", "/token"] {
        let error = in_time(http.send(get(url))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{url}: {error}");
    }
}

#[tokio::test]
async fn a_host_is_reached_at_any_address_when_it_is_named() {
    let (_server, http) = open().await;
    // A multicast address belongs to no host, so the system itself refuses the connection.
    let error = in_time(http.send(get("http://224.0.0.1/"))).await;
    assert_ne!(error.unwrap_err().kind(), ErrorKind::PermissionDenied);
    let error = in_time(http.send(get("http://224.0.0.2/"))).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn trusted_urls_may_have_any_address() {
    let (server, _) = open().await;
    let http = AuthHttp::trusted([]).unwrap();
    let moved = get(&format!("http://{}/moved", server.addr));
    let answer = in_time(http.send(moved)).await.unwrap();
    assert_eq!(answer.status(), 302);
    let by_name = format!("http://localhost:{}/", server.addr.port());
    let answer = in_time(http.send(get(&by_name))).await.unwrap();
    // The answer would also contain the header `x-secret` if it had been sent.
    assert_eq!(&**answer.body(), b"GET");
    let long = get(&format!("http://{}/long", server.addr));
    let error = in_time(http.send(long)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    // A multicast address belongs to no host, so the system itself refuses the connection.
    let error = in_time(http.send(get("http://224.0.0.1/"))).await;
    assert_ne!(error.unwrap_err().kind(), ErrorKind::PermissionDenied);
}

#[tokio::test]
async fn urls_of_strangers_lead_to_public_addresses_and_named_hosts() {
    let (server, _) = open().await;
    let http = AuthHttp::public([], ["localhost".to_owned()]).unwrap();
    let by_name = format!("http://localhost:{}/", server.addr.port());
    let answer = in_time(http.send(get(&by_name))).await.unwrap();
    assert_eq!(&**answer.body(), b"GET");
    let by_address = get(&format!("http://{}/", server.addr));
    let error = in_time(http.send(by_address.clone())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    let http = AuthHttp::public([], []).unwrap();
    for request in [get(&by_name), by_address] {
        let error = in_time(http.send(request)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
}

#[tokio::test]
async fn a_root_certificate_must_be_one() {
    let none = || [b"none".to_vec()];
    for error in [AuthHttp::trusted(none()), AuthHttp::public(none(), [])] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

#[tokio::test]
async fn answers_are_not_compressed_and_begin_without_a_byte_order_mark() {
    let (server, http) = open().await;
    let url = |path: &str| format!("http://{}/{path}", server.addr);
    let error = in_time(http.send(get(&url("compressed"))))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let text = error.to_string();
    assert!(text.contains("`Content-Encoding: gzip`"), "{text}");
    // Only the status of this response matters.
    let answer = in_time(http.send(get(&url("encoding")))).await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &**answer.body()),
        (404, &b"identity"[..])
    );
    let answer = in_time(http.send(get(&url("marked")))).await.unwrap();
    assert_eq!(&**answer.body(), b"{}");
}
