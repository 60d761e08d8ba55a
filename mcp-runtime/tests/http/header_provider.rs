//! Headers that a function provides for each request of a client.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http::{HeaderMap, HeaderValue};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, ConnectError, Era};

use crate::authentication::{builder, call, serve};
use crate::scripted::Scripted;
use crate::support::clock::in_time;

#[tokio::test]
async fn a_provider_gives_headers_for_each_request() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let server = Scripted::new(move |exchange| {
        let headers = ["x-user", "authorization"].map(|name| exchange.header(name).to_owned());
        log.lock().unwrap().push((exchange.name(), headers));
        serve(exchange)
    });
    let server = server.await;
    let count = AtomicUsize::new(0);
    let url = http_client(server.url())
        .bearer_auth("fixed")
        .header("x-user", "nobody")
        .header_provider(move |request| {
            let number = count.fetch_add(1, Ordering::SeqCst);
            async move {
                assert_eq!(request.method, "POST");
                let method = request.rpc_method.unwrap();
                let value = HeaderValue::try_from(format!("{method} {number}"))?;
                Ok(HeaderMap::from_iter([("x-user".parse()?, value)]))
            }
        });
    let client = in_time(builder(Era::Stateless).connect(url)).await.unwrap();
    for _ in 0..2 {
        call(&client, "any").await.unwrap();
    }
    let fixed = || "Bearer fixed".to_owned();
    let expected = ["server/discover", "tools/call", "tools/call"];
    let expected = (0..)
        .zip(expected)
        .map(|(number, name)| (name.to_owned(), [format!("{name} {number}"), fixed()]));
    assert_eq!(*seen.lock().unwrap(), expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_provider_that_fails_says_so() {
    let server = Scripted::new(serve).await;
    let url = http_client(server.url())
        .header_provider(async |_| Err("the store of tokens is locked".into()));
    let error = in_time(Client::builder("test", "1").connect(url)).await;
    let Err(ConnectError::Authentication(error)) = error else {
        panic!("connected");
    };
    let text = error.to_string();
    assert_eq!(
        text,
        "the header provider failed: the store of tokens is locked"
    );
    assert_eq!(server.seen(), Vec::<String>::new());
}
