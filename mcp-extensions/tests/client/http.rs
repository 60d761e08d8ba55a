//! Tests tasks over HTTP: headers, `Retry-After`, and lost connections.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_extensions::tasks::Tasks;
use mcp_runtime::Client;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::http_client;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::scripted::{ID, completed, working};

/// A server that answers the first poll with 503, drops the connection of the second, and answers
/// the third.
#[derive(Clone, Default)]
struct Faltering(Arc<Mutex<Vec<Request>>>);

/// The method of a request, and its header `Mcp-Name`.
type Request = (String, Option<String>);

impl Faltering {
    fn polls(&self) -> usize {
        let seen = self.0.lock().unwrap();
        seen.iter()
            .filter(|(method, _)| method == "tasks/get")
            .count()
    }

    async fn serve(self, listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(self.clone().connection(stream));
        }
    }

    async fn connection(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        while let Some((name, message)) = request(&mut stream).await {
            let method = message["method"].as_str().unwrap().to_owned();
            self.0.lock().unwrap().push((method.clone(), name));
            let result = match &*method {
                "server/discover" => {
                    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {}, "extensions": {ID: {}}}, "ttlMs": 0, "cacheScope": "private"})
                }
                "tools/call" => {
                    let mut task = working();
                    task["resultType"] = json!("task");
                    task["pollIntervalMs"] = json!(100);
                    task
                }
                "tasks/get" => match self.polls() {
                    1 => {
                        let refused =
                            "HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
                        stream.write_all(refused.as_bytes()).await.unwrap();
                        continue;
                    }
                    2 => return,
                    _ => completed("done"),
                },
                _ => {
                    let error = json!({"code": -32601, "message": "no such method"});
                    answer(&mut stream, "404 Not Found", &message, "error", error).await;
                    continue;
                }
            };
            answer(&mut stream, "200 OK", &message, "result", result).await;
        }
    }
}

/// Reads the next request. Returns its header `Mcp-Name` and its message.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<(Option<String>, Value)> {
    let mut name = None;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let Some((header, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match &*header.to_ascii_lowercase() {
            "mcp-name" => name = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    Some((name, serde_json::from_slice(&body).unwrap()))
}

async fn answer(
    stream: &mut BufReader<TcpStream>,
    status: &str,
    message: &Value,
    member: &str,
    value: Value,
) {
    let body = json!({"jsonrpc": "2.0", "id": message["id"], member: value}).to_string();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .await
        .unwrap();
}

#[tokio::test]
async fn refusals_and_lost_connections_lose_no_task() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Faltering::default();
    tokio::spawn(server.clone().serve(listener));
    let client = Client::builder("test", "1").extension(Tasks::client());
    let client = client
        .connect(http_client(format!("http://{address}/mcp")))
        .await
        .unwrap();
    let start = Instant::now();
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "done");
    assert!(start.elapsed() >= Duration::from_secs(1));
    let seen = server.0.lock().unwrap().clone();
    let polls = seen.iter().filter(|(method, _)| method == "tasks/get");
    let names: Vec<_> = polls.map(|(_, name)| name.as_deref()).collect();
    assert!(names.len() >= 3, "{seen:?}");
    assert!(names.iter().all(|name| *name == Some("t1")), "{seen:?}");
}
