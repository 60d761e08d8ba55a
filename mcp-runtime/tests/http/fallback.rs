//! Our client with servers that support nothing newer than HTTP+SSE.

use std::sync::Arc;

use mcp_runtime::transport::http::Http;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, Revision};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::scripted::Scripted;
use crate::site::Site;
use crate::support::clock::in_time;

#[tokio::test]
async fn the_oldest_transport_is_found_last_and_remembered() {
    let site = Site::serve(Http::with_sse).await;
    let server = http_client(format!("http://{}/sse", site.addr));
    for _ in 0..2 {
        let client = Client::builder("test", "1").connect(server.clone());
        let client = client.await.unwrap();
        assert!(client.revision() < Revision::LATEST);
        assert_eq!(client.list_tools().await.unwrap()[0].name, "echo");
        for tool in ["echo", "soon", "tell"] {
            let result = client.call_tool(tool, json!({})).await.unwrap();
            assert!(!result.content.is_empty(), "{tool}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn an_endpoint_with_a_url_in_its_query_is_a_relative_one() {
    let (answers, waiting) = tokio::sync::mpsc::unbounded_channel::<String>();
    let waiting = Arc::new(tokio::sync::Mutex::new(waiting));
    let server = Scripted::new(move |exchange| {
        let answers = answers.clone();
        let waiting = Arc::clone(&waiting);
        async move {
            if exchange.verb == "GET" {
                let endpoint = "event: endpoint\ndata: /messages?next=http://x\n\n";
                let mut stream = exchange.stream(endpoint).await;
                while let Some(answer) = waiting.lock().await.recv().await {
                    stream.event(&format!("data: {answer}\n\n")).await;
                }
            } else if exchange.target != "/messages?next=http://x" {
                exchange.reply(405, "", "").await;
            } else {
                let result = match &*exchange.name() {
                    "initialize" => json!({"protocolVersion": "2024-11-05", "capabilities": {},
                        "serverInfo": {"name": "old", "version": "1"}}),
                    _ => json!({}),
                };
                let answer =
                    json!({"jsonrpc": "2.0", "id": exchange.message["id"], "result": result});
                if !exchange.message["id"].is_null() {
                    answers.send(answer.to_string()).unwrap();
                }
                exchange.accept().await;
            }
        }
    });
    let client = Client::builder("test", "1").connect(http_client(server.await.url()));
    let client = in_time(client).await.unwrap();
    in_time(client.ping()).await.unwrap();
}

#[tokio::test]
async fn messages_are_not_posted_to_another_origin() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let answer = if head.starts_with(b"GET") {
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
                 event: endpoint\ndata: http://evil.invalid/messages\n\n"
            } else {
                "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let client = Client::builder("test", "1").connect(http_client(format!("http://{addr}/sse")));
    assert!(client.await.is_err());
}

#[tokio::test]
async fn a_compressed_stream_is_an_error_that_says_so() {
    let server = Scripted::new(async |exchange| {
        let headers = "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n";
        match &*exchange.verb {
            "GET" => {
                exchange
                    .reply(200, headers, "event: endpoint\ndata: /m\n\n")
                    .await;
            }
            _ => exchange.reply(405, "", "").await,
        }
    });
    let client = Client::builder("test", "1").connect(http_client(server.await.url()));
    let error = in_time(client).await.unwrap_err().to_string();
    assert!(error.contains("`Content-Encoding: gzip`"), "{error}");
}
