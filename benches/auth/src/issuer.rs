//! A local issuer that publishes one key.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub struct Issuer {
    /// The issuer's identifier.
    pub url: String,
}

impl Issuer {
    /// Starts an issuer that publishes `key` under the key id `key`.
    pub async fn start(key: &Value) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let mut key = key.clone();
        key["kid"] = json!("key");
        let keys = json!({"keys": [key]}).to_string();
        let metadata = json!({"issuer": url, "jwks_uri": format!("{url}/jwks")}).to_string();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // The client sends one request on each connection.
                if let Err(error) = answer(stream, &metadata, &keys).await {
                    eprintln!("the issuer: {error}");
                }
            }
        });
        Ok(Self { url })
    }
}

async fn answer(stream: TcpStream, metadata: &str, keys: &str) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await?;
    let mut line = first.clone();
    while line.trim_end() != "" {
        line.clear();
        stream.read_line(&mut line).await?;
    }
    let body = if first.starts_with("GET /jwks ") {
        keys
    } else {
        metadata
    };
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(format!("{head}{body}").as_bytes()).await
}
