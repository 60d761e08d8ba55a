//! Runs the extension `com.example/tickets` over standard streams and HTTP, in both eras.

#[path = "../../src/bin/extension/client.rs"]
mod client;
#[path = "../../src/bin/extension/server.rs"]
mod server;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

use mcp_runtime::client::ClientBuilder;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::{ChildProcess, http, http_client};
use mcp_runtime::{Client, Revision};

use self::client::Following;

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

/// Serves the workshop over HTTP until the test ends.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = server::workshop().serve(http(listener)).signals(false);
    tokio::spawn(serving.into_future());
    address
}

fn builder(revision: Revision) -> ClientBuilder {
    let builder = Client::builder("guest", "1.0.0").revision(revision);
    builder.on_form(|form| async move { form.accept(json!({"answer": "red"})) })
}

/// Connects a client over each transport in each era.
async fn clients(configure: impl Fn(ClientBuilder) -> ClientBuilder) -> Vec<Client> {
    let url = format!("http://{}/mcp", serve());
    let mut clients = Vec::new();
    for revision in REVISIONS {
        let child = ChildProcess::new(env!("CARGO_BIN_EXE_extension"));
        let client = configure(builder(revision)).connect(child).await;
        clients.push(client.unwrap());
        let client = configure(builder(revision))
            .connect(http_client(&url))
            .await;
        clients.push(client.unwrap());
    }
    clients
}

#[tokio::test]
async fn a_client_gets_the_finished_value_of_a_call_that_is_answered_by_a_ticket() {
    for client in clients(|builder| builder.extension(Following)).await {
        for (days, expected) in [
            (0, "repaired"),
            (1, "repaired"),
            (2, "repaired, and painted red"),
        ] {
            let repaired: String = client.call("repair", json!({"days": days})).await.unwrap();
            assert_eq!(repaired, expected, "{}", client.revision());
        }
        // The tickets of the last two calls.
        let tickets = client.list_resources().await.unwrap();
        assert!(tickets.len() >= 2, "{tickets:?}");
        let ticket = client.read_resource(&tickets[0].uri).await.unwrap();
        assert!(
            json!(ticket.contents).to_string().contains("repaired"),
            "{ticket:?}"
        );
        client.close().await;
    }
}

#[tokio::test]
async fn a_client_that_knows_no_tickets_gets_the_plain_result() {
    for client in clients(|builder| builder).await {
        let repaired: String = client.call("repair", json!({"days": 2})).await.unwrap();
        assert_eq!(repaired, "repaired, and painted red");
        assert!(client.list_resources().await.unwrap().is_empty());
        client.close().await;
    }
}

#[tokio::test]
async fn both_eras_declare_it() {
    for client in clients(|builder| builder.extension(Following)).await {
        let declared = json!(client.server_capabilities().extensions);
        assert_eq!(declared, json!({server::ID: {}}));
        client.close().await;
    }
}

/// Returns the answer to a stateless request for a ticket.
async fn get(address: SocketAddr, declared: Value, name: &'static str) -> Value {
    let asking = tokio::task::spawn_blocking(move || {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": server::GET.name(), "params": {
            "id": "no such",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"extensions": declared},
            },
        }});
        let body = body.to_string();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\nMcp-Name: {name}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            server::GET.name(),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        mcp_runtime::serde_json::from_str::<Value>(body).unwrap()
    });
    asking.await.unwrap()
}

#[tokio::test]
async fn what_is_not_declared_or_named_otherwise_is_refused() {
    let address = serve();
    let declared = || json!({server::ID: {}});
    for (declared, name, expected) in [
        (declared(), "no such", -32602),
        (json!({}), "no such", -32021),
        (declared(), "another", -32020),
    ] {
        let answer = get(address, declared, name).await;
        assert_eq!(answer["error"]["code"], expected, "{answer}");
    }
}
