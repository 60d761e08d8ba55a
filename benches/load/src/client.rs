//! HTTP/2 clients, which can open any number of streams on 64 connections.

use std::net::SocketAddr;

use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::Outcome;

/// An HTTP/2 connection to the server.
pub struct Connection {
    addr: SocketAddr,
    sender: SendRequest<String>,
}

/// An open event stream.
pub struct Stream(Response<Incoming>);

impl Connection {
    pub async fn open(addr: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { addr, sender })
    }

    async fn send(
        &mut self,
        headers: &[(&str, &str)],
        message: &Value,
    ) -> Outcome<Response<Incoming>> {
        let mut request = Request::post(format!("http://{}/mcp", self.addr))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(message.to_string())?;
        Ok(self.sender.send_request(request).await?)
    }

    async fn stateless(&mut self, method: &str, mut params: Value) -> Outcome<Response<Incoming>> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        let headers = &headers[..if name.is_empty() { 2 } else { 3 }];
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send(headers, &message).await
    }

    /// Calls the server's only tool.
    pub async fn call(&mut self) -> Outcome {
        let params = json!({"name": "add", "arguments": {"a": 2, "b": 3}});
        let response = self.stateless("tools/call", params).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        if status == 200 {
            return Ok(());
        }
        Err(format!("{status}: {}", String::from_utf8_lossy(&body)).into())
    }

    /// Opens a session, and returns the session id.
    pub async fn session(&mut self) -> Outcome<String> {
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}, "roots": {"listChanged": true}},
            "clientInfo": {"name": "load", "version": "1.0.0"},
        }});
        let response = self.send(&[], &initialize).await?;
        let name = response.headers().get("mcp-session-id");
        let name = name.ok_or("no session was opened")?.to_str()?.to_owned();
        response.into_body().collect().await?;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let headers = [
            ("mcp-session-id", &*name),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        let response = self.send(&headers, &initialized).await?;
        response.into_body().collect().await?;
        Ok(name)
    }

    /// Opens a stream that listens for changes.
    pub async fn listen(&mut self) -> Outcome<Stream> {
        let params = json!({"notifications": {"toolsListChanged": true}});
        let mut stream = Stream(self.stateless("subscriptions/listen", params).await?);
        stream.until("acknowledged").await?;
        Ok(stream)
    }
}

impl Stream {
    /// Reads until `text` has arrived.
    pub async fn until(&mut self, text: &str) -> Outcome {
        loop {
            let frame = self.0.body_mut().frame().await;
            let frame = frame.ok_or("the stream has ended")??;
            let data = frame.into_data().unwrap_or_default();
            if String::from_utf8_lossy(&data).contains(text) {
                return Ok(());
            }
        }
    }
}
