//! The header `Host` of requests to a server with its own listener (RFC 9112, section 3.2).

use http::Request;
use mcp_runtime::transport::http::HttpOptions;
use tokio::net::TcpStream;

use crate::site::Site;
use crate::support::clock::in_time;

/// Sends a request verbatim, and returns the status of the answer.
async fn status(site: &Site, line: &str, headers: &[&str]) -> u16 {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let answer = site
        .raw(&format!("{line}\r\n{headers}connection: close\r\n\r\n"))
        .await;
    let status = answer.split(' ').nth(1);
    status
        .unwrap_or_else(|| panic!("no answer: {answer:?}"))
        .parse()
        .unwrap()
}

const LOCAL: &str = "host: localhost";
const OTHER: &str = "host: evil.example.com";
const PAGE: &str = "origin: http://evil.example.com";

#[tokio::test]
async fn http_1_1_needs_exactly_one_host() {
    for options in [HttpOptions::default(), HttpOptions::default().any_host()] {
        let site = Site::with(options).await;
        for path in ["/mcp", "/other", "/health"] {
            let line = format!("PUT {path} HTTP/1.1");
            assert_eq!(status(&site, &line, &[]).await, 400, "{path}");
            assert_eq!(status(&site, &line, &[LOCAL, LOCAL]).await, 400, "{path}");
        }
        let put = "PUT /mcp HTTP/1.1";
        assert_eq!(status(&site, put, &[LOCAL]).await, 405);
        site.lives_on().await;
    }
}

#[tokio::test]
async fn http_1_0_without_host_is_refused_unless_any_host_is_served() {
    let put = "PUT /mcp HTTP/1.0";
    let site = Site::open().await;
    assert_eq!(status(&site, put, &[]).await, 403);
    assert_eq!(status(&site, put, &[LOCAL, LOCAL]).await, 400);
    assert_eq!(status(&site, put, &[LOCAL]).await, 405);
    let site = Site::with(HttpOptions::default().any_host()).await;
    assert_eq!(status(&site, put, &[]).await, 405);
}

#[tokio::test]
async fn unknown_paths_check_who_asks() {
    let site = Site::open().await;
    let get = "GET /other HTTP/1.1";
    assert_eq!(status(&site, get, &[LOCAL]).await, 404);
    assert_eq!(status(&site, get, &[OTHER]).await, 403);
    assert_eq!(status(&site, get, &[LOCAL, PAGE]).await, 403);
}

#[tokio::test]
async fn probes_check_neither_host_nor_origin() {
    let site = Site::open().await;
    // A probe may use the address of a pod, or speak HTTP/1.0.
    for path in ["/health", "/ready"] {
        let get = format!("GET {path} HTTP/1.1");
        assert_eq!(status(&site, &get, &["host: 10.1.2.3:8080"]).await, 200);
        assert_eq!(status(&site, &get, &[OTHER, PAGE]).await, 200);
        let get = format!("GET {path} HTTP/1.0");
        assert_eq!(status(&site, &get, &[]).await, 200);
    }
}

#[tokio::test]
async fn http_2_names_one_host() {
    let site = Site::with(HttpOptions::default().any_host()).await;
    let stream = TcpStream::connect(site.addr).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    for (authority, hosts, status) in [
        ("localhost", &[][..], 405),
        ("localhost", &["localhost"], 405),
        ("localhost:80", &["LocalHost"], 405),
        ("localhost", &["evil.example.com"], 400),
        ("localhost", &["localhost:81"], 400),
        ("localhost", &[""], 400),
        ("localhost", &["localhost", "localhost"], 400),
    ] {
        let mut request = Request::put(format!("http://{authority}/mcp"));
        for host in hosts {
            request = request.header("host", *host);
        }
        sender = sender.ready().await.unwrap();
        let answer = sender.send_request(request.body(()).unwrap(), true);
        let answer = in_time(answer.unwrap().0).await.unwrap();
        assert_eq!(answer.status(), status, "{authority} {hosts:?}");
    }
}
