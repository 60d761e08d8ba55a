//! The memory for the bodies of requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt as _;
use http::{Request, Response};
use http_body::{Body, Frame};
use mcp_runtime::transport::http::{
    HttpOptions, HttpService, Principal, ResponseBody, ResponseFuture,
};
use serde_json::json;
use tokio::net::TcpStream;
use tower_service::Service as _;

use crate::site::{Answer, Site};
use crate::support::clock::in_time;
use crate::support::mounted::mounted;
use crate::support::{self, initialize, stateless};

/// The bytes of each body that are not counted.
const FREE: usize = 16 * 1024;
const BODY: usize = 200_000;

/// Pieces of a body, which stays open unless it is `whole`.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    whole: bool,
}

impl Body for Pieces {
    type Data = VecDeque<u8>;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<VecDeque<u8>>, Infallible>>> {
        match self.pieces.pop_front() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece.into())))),
            None if self.whole => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// Creates a service that accepts 200,000 bytes for one body, and twice as many for all bodies.
async fn serving() -> HttpService {
    let options = HttpOptions::default()
        .max_body_bytes(BODY)
        .max_buffered_body_bytes(2 * BODY);
    mounted(support::server(), options).await
}

fn post(service: &mut HttpService, who: &str, pieces: &[&[u8]], whole: bool) -> ResponseFuture {
    let pieces = pieces.iter().map(|piece| piece.to_vec()).collect();
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/list")
        .body(Pieces { pieces, whole })
        .unwrap();
    request.extensions_mut().insert(Principal::new(who));
    service.call(request)
}

/// Begins a request whose body stays incomplete.
fn begin(service: &mut HttpService, who: &str, body: &[u8]) -> ResponseFuture {
    let mut answer = post(service, who, &[body], false);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut cx).is_pending());
    answer
}

async fn ask(service: &mut HttpService, who: &str, pieces: &[&[u8]]) -> Response<ResponseBody> {
    in_time(post(service, who, pieces, true)).await.unwrap()
}

/// Returns a request of `length` bytes.
fn list(length: usize) -> Vec<u8> {
    let mut body = stateless(1, "tools/list", json!({})).to_string();
    body.push_str(&" ".repeat(length - body.len()));
    body.into_bytes()
}

#[tokio::test]
async fn one_caller_may_use_an_eighth_of_the_budget_or_one_body() {
    let mut service = serving().await;
    let half = vec![b' '; FREE + BODY / 2];
    let held = begin(&mut service, "ann", &half);
    // This caller has used half of her share, but other callers can use the whole budget.
    let whole = list(BODY);
    let (start, rest) = whole.split_at(FREE);
    let refused = ask(&mut service, "ann", &[start, rest]).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(refused.headers()["connection"], "close");
    let others = ask(&mut service, "bob", &[start, rest]).await;
    assert_eq!(others.status(), 200);
    let small = ask(&mut service, "ann", &[&list(FREE)]).await;
    assert_eq!(small.status(), 200, "small bodies are free");
    drop(held);
    let again = ask(&mut service, "ann", &[start, rest]).await;
    assert_eq!(again.status(), 200);
}

#[tokio::test]
async fn all_callers_together_have_one_budget() {
    let mut service = serving().await;
    let large = vec![b' '; BODY];
    let counted = BODY - FREE;
    let fit = 2 * BODY / counted;
    let held: Vec<_> = (0..fit)
        .map(|who| begin(&mut service, &who.to_string(), &large))
        .collect();
    let whole = list(BODY);
    let refused = ask(&mut service, "ann", &[&whole]).await;
    assert_eq!(refused.status(), 503);
    drop(held);
    let taken = ask(&mut service, "ann", &[&whole]).await;
    assert_eq!(taken.status(), 200);
}

#[tokio::test]
async fn only_bytes_that_have_come_count() {
    let mut service = serving().await;
    let held: Vec<_> = (0..100)
        .map(|who| begin(&mut service, &who.to_string(), b"{"))
        .collect();
    let taken = ask(&mut service, "ann", &[&list(BODY)]).await;
    assert_eq!(taken.status(), 200);
    drop(held);
}

#[tokio::test]
async fn a_body_of_an_unknown_session_is_not_waited_for() {
    let site = Site::open().await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         mcp-session-id: {:032x}\r\ncontent-length: 4000000\r\n\r\n",
        7
    );
    let answer = in_time(site.raw(&head)).await;
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");

    let session = site.session("2025-11-25").await;
    let mut request = session.post(&initialize("2025-11-25"));
    *request.body_mut() = "rubbish".to_owned();
    assert_eq!(
        site.send(request).await.status,
        400,
        "what is known is read"
    );
}

#[tokio::test]
async fn a_body_that_is_too_large_by_its_length_is_not_waited_for() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let of_session = format!("mcp-session-id: {}\r\n", session.id);
    for headers in ["", &of_session] {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             {headers}content-length: 5000000\r\n\r\n"
        );
        let answer = in_time(site.raw(&head)).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    }
    site.lives_on().await;
}

#[tokio::test]
async fn a_connection_reads_little_ahead_of_what_is_wanted() {
    let site = Site::open().await;
    for (length, status) in [(20_000, 200), (40_000, 431)] {
        let filler = "x".repeat(length);
        let head = format!(
            "GET /health HTTP/1.1\r\nhost: localhost\r\nfiller: {filler}\r\nconnection: close\r\n\r\n"
        );
        let answer = in_time(site.raw(&head)).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
    }

    let stream = TcpStream::connect(site.addr).await.unwrap();
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut sender = sender.ready().await.unwrap();
    let health = || Request::get(format!("http://{}/health", site.addr)).body(());
    // After the first answer, the client knows the server's settings.
    let (answer, _) = sender.send_request(health().unwrap(), true).unwrap();
    in_time(answer).await.unwrap();
    let mut begin = || {
        let (_, mut body) = sender.send_request(health().unwrap(), false).unwrap();
        body.reserve_capacity(1_000_000);
        body
    };
    for _ in 0..2 {
        let mut body = begin();
        let capacity = in_time(poll_fn(|cx| body.poll_capacity(cx))).await;
        assert_eq!(capacity.unwrap().unwrap(), 48 * 1024);
    }
    let mut body = begin();
    assert!(
        poll_fn(|cx| body.poll_capacity(cx))
            .now_or_never()
            .is_none()
    );
}

/// Sends a message whose body has this prefix.
async fn prefixed(site: &Site, prefix: &str, request: Request<String>) -> Answer {
    let request = request.map(|body| format!("{prefix}{body}"));
    site.send(request).await
}

#[tokio::test]
async fn a_byte_order_mark_before_the_body_is_skipped() {
    let site = Site::open().await;
    let list = stateless(1, "tools/list", json!({}));
    let answer = prefixed(&site, "\u{feff}", site.stateless(&list)).await;
    assert!(answer.json()["result"]["tools"].is_array(), "{answer:?}");
    let twice = prefixed(&site, "\u{feff}\u{feff}", site.stateless(&list)).await;
    assert_eq!((twice.status.as_u16(), twice.error_code()), (400, -32700));

    let session = site.session("2025-06-18").await;
    for id in [1, 2] {
        let post = session.post(&support::call(id, "echo", json!({})));
        let answer = prefixed(&site, "\u{feff}", post).await;
        assert!(answer.json()["result"].is_object(), "{answer:?}");
    }
    // A long body arrives in several pieces.
    let long = "x".repeat(100_000);
    let post = session.post(&support::call(3, "echo", json!({"text": long})));
    let answer = prefixed(&site, "\u{feff}", post).await;
    assert!(answer.json()["result"].is_object(), "{:?}", answer.status);
}

#[cfg(feature = "sse")]
#[tokio::test]
async fn a_byte_order_mark_is_skipped_in_the_transport_of_old_clients() {
    let site = Site::serve(mcp_runtime::transport::http::Http::with_sse).await;
    let (mut stream, address) = crate::legacy::operating(&site).await;
    let post = site.request("POST").uri(&address);
    let post = post.header("content-type", "application/json");
    let call = support::call(1, "echo", json!({})).to_string();
    let answer = prefixed(&site, "\u{feff}", post.body(call).unwrap()).await;
    assert_eq!(answer.status, 202);
    assert_eq!(crate::legacy::answer(&mut stream).await["id"], 1);
}
