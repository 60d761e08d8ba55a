//! Endpoints of an access policy.

use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue, LOCATION, SET_COOKIE};
use http::request::Parts;
use http::{Method, Request, Response};
use mcp_runtime::Server;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, HttpOptions};
use tower_service::Service as _;

use crate::site::{Answer, Site};
use crate::support::mounted::mounted;

/// Rejects every caller, and answers requests for `/login` with a copy of the request.
struct Login;

impl AccessPolicy for Login {
    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        Err(AccessDenied::forbidden())
    }

    fn has_endpoint(&self, path: &str) -> bool {
        assert_ne!(path, "/broken");
        ["/login", "/slow", "/panic"].contains(&path)
    }

    async fn respond(&self, request: Request<Bytes>) -> Response<Bytes> {
        match request.uri().path() {
            "/slow" => pending().await,
            "/panic" => panic!("a secret"),
            _ => {}
        }
        let body = [request.method().as_str().as_bytes(), b" ", request.body()].concat();
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = http::StatusCode::SEE_OTHER;
        let headers = response.headers_mut();
        headers.insert(
            LOCATION,
            HeaderValue::from_static("https://login.example.com/"),
        );
        headers.append(SET_COOKIE, HeaderValue::from_static("a=1"));
        headers.append(SET_COOKIE, HeaderValue::from_static("b=2"));
        response
    }
}

async fn send(
    site: &Site,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let request = site.request(method).uri(path);
    let mut request = request.body(body.to_owned()).unwrap();
    for (name, value) in headers {
        let name = HeaderName::try_from(*name).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    site.send(request).await
}

#[tokio::test]
async fn a_policy_answers_at_its_endpoints() {
    let site = Site::serve(|http| http.auth(Login)).await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let answer = send(&site, "POST", "/login?a=b", &form, "c=d").await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (303, "POST c=d"));
    assert_eq!(
        answer.header("location"),
        Some("https://login.example.com/")
    );
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(&*send(&site, "GET", "/login", &[], "").await.body, "GET ");
    assert_eq!(send(&site, "GET", "/other", &[], "").await.status, 404);
    assert_eq!(send(&site, "GET", "/broken", &[], "").await.status, 500);
    let answer = send(&site, "GET", "/panic", &[], "").await;
    assert_eq!(answer.status, 500);
    assert!(!answer.body.contains("secret"));
}

#[tokio::test]
async fn the_host_is_checked_and_the_origin_is_for_the_policy() {
    let site = Site::serve(|http| http.auth(Login)).await;
    let evil = [("host", "evil.example.com")];
    assert_eq!(send(&site, "GET", "/login", &evil, "").await.status, 403);
    for origin in ["null", "https://mcp.example.com"] {
        let answer = send(&site, "POST", "/login", &[("origin", origin)], "").await;
        assert_eq!(answer.status, 303, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn pages_of_allowed_origins_may_use_endpoints() {
    let options = HttpOptions::default().allowed_origins(["https://app.example.com"]);
    let site = Site::with(options.auth(Login)).await;
    let page = ("origin", "https://app.example.com");
    let headers = [page, ("access-control-request-headers", "content-type")];
    let preflight = send(&site, "OPTIONS", "/login", &headers, "").await;
    assert_eq!(preflight.status, 204);
    let answer = send(&site, "POST", "/login", &[page], "").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some(page.1));
    let other = [("origin", "https://other.example.com")];
    let answer = send(&site, "OPTIONS", "/login", &other, "").await;
    assert_eq!(&*answer.body, "OPTIONS ");
}

#[tokio::test]
async fn bodies_have_64_kib() {
    let site = Site::serve(|http| http.auth(Login)).await;
    let body = "x".repeat(64 * 1024);
    assert_eq!(send(&site, "POST", "/login", &[], &body).await.status, 303);
    let body = format!("{body}x");
    assert_eq!(send(&site, "POST", "/login", &[], &body).await.status, 413);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_has_the_time_of_the_policy_and_counts_as_a_call() {
    let options = HttpOptions::default().auth(Login).max_calls(1);
    let options = options.auth_timeout(Duration::from_secs(3));
    let mut service = mounted(Server::builder().build(), options).await;
    let request = |path: &str| {
        let request = Request::builder().method(Method::GET).uri(path);
        request
            .header("host", "localhost")
            .body(String::new())
            .unwrap()
    };
    let slow = tokio::spawn(service.call(request("/slow")));
    tokio::task::yield_now().await;
    assert_eq!(service.call(request("/login")).await.unwrap().status(), 429);
    assert_eq!(slow.await.unwrap().unwrap().status(), 503);
    assert_eq!(service.call(request("/login")).await.unwrap().status(), 303);
}
