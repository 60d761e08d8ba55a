//! A server that sends wrong values: every member of every result in every revision, one at a time.
//!
//! The client may refuse a value. Then it names the member, does not hang, and does not repeat the
//! call.

use std::time::Duration;

use mcp_runtime::types::*;
use mcp_runtime::{CallError, Client, Revision};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::scripted::Scripted;
use crate::support::wrong_values::{Wrong, sample, wrong};

/// Sends a request for a method, with the parameters in the table.
macro_rules! request {
    ($client:expr, $method:expr, $revision:expr; $($request:ident)*) => {
        match $method {
            $($request::METHOD => {
                let info = Revision::method($method).unwrap();
                let params = sample(info.types.0, $revision);
                let params = serde_json::from_value(params).unwrap();
                $client.request::<$request>(params).await.map(drop)
            })*
            method => panic!("{method} is not in the list"),
        }
    };
}

async fn request(client: Client, method: &str, revision: Revision) -> Result<(), CallError> {
    request! {
        client, method, revision;
        CallToolRequest CancelTaskRequest CompleteRequest DiscoverRequest GetPromptRequest
        GetTaskPayloadRequest GetTaskRequest ListPromptsRequest ListResourceTemplatesRequest
        ListResourcesRequest ListTasksRequest ListToolsRequest PingRequest ReadResourceRequest
        SetLevelRequest SubscribeRequest SubscriptionsListenRequest UnsubscribeRequest
    }
}

fn opening(revision: Revision) -> &'static str {
    let is_sent = revision.allows("server/discover", Side::Client);
    if is_sent {
        "server/discover"
    } else {
        "initialize"
    }
}

/// Returns a result of the first request that offers everything.
fn opened(revision: Revision) -> Value {
    let info = Revision::method(opening(revision)).unwrap();
    let mut result = sample(info.types.1, revision);
    match result.get_mut("supportedVersions") {
        Some(versions) => *versions = json!([revision]),
        None => result["protocolVersion"] = json!(revision),
    }
    result
}

/// Connects to a server that answers the first request with `result`.
async fn connect(revision: Revision, result: &str) -> (Result<Client, String>, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let client = Client::builder("test", "1.0.0").without_keep_alive();
    let mut connecting = tokio::spawn(client.revision(revision).connect(ours).into_future());
    let (id, _) = server.expect(opening(revision)).await;
    answer(&mut server, &id, result).await;
    let client = loop {
        let message = tokio::select! {
            biased;
            message = server.next() => message,
            client = &mut connecting => break client.unwrap(),
        };
        match message {
            Some(message) if message["id"].is_null() => break connecting.await.unwrap(),
            // The client tries the other era after a failed discovery.
            Some(message) => server.refuse(&message["id"], -32601, json!(null)).await,
            // The client has closed the connection, and waits for the server to do so as well.
            None => {
                server = Scripted::pair().1;
                break connecting.await.unwrap();
            }
        }
    };
    (client.map_err(|error| error.to_string()), server)
}

/// Returns the next request, which must have this method.
async fn called(server: &mut Scripted, method: &str) -> (Value, Value) {
    let message = server.next().await.unwrap();
    match message["method"].as_str() {
        Some("notifications/initialized") => server.expect(method).await,
        name => {
            assert_eq!(name, Some(method));
            (message["id"].clone(), message["params"].clone())
        }
    }
}

async fn answer(server: &mut Scripted, id: &Value, result: &str) {
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    server.send_text(&line).await;
}

fn check_named(error: &str, wrong: &Wrong, what: &str) {
    let Wrong { path, fault, .. } = wrong;
    let place = path.split(['.', '[']).next().unwrap();
    assert!(error.contains(place), "{what}.{path}, {fault}: {error}");
    assert!(!error.contains("column"), "{what}.{path}, {fault}: {error}");
}

#[tokio::test(start_paused = true)]
async fn no_wrong_member_of_a_result_makes_a_client_wait_or_call_again() {
    let start = Instant::now();
    let mut count = 0;
    for revision in Revision::ALL {
        let (client, mut server) = connect(revision, &opened(revision).to_string()).await;
        let client = client.unwrap();
        let methods = Revision::methods().iter();
        let methods = methods.filter(|method| method.is_sent_by(Side::Client, revision));
        for info in methods.filter(|method| method.is_request && method.name != "initialize") {
            for wrong in wrong(info.types.1, revision) {
                count += 1;
                let calling = tokio::spawn(request(client.clone(), info.name, revision));
                // A repeated call from the previous round would arrive first.
                let (id, _) = called(&mut server, info.name).await;
                answer(&mut server, &id, &wrong.json).await;
                match calling.await.unwrap() {
                    Ok(()) => {}
                    Err(CallError::Result { reason, .. }) => {
                        check_named(&reason, &wrong, &format!("{revision} {}", info.types.1));
                    }
                    Err(error) => panic!("{revision} {}.{}: {error}", info.types.1, wrong.path),
                }
            }
        }
        client.close().await;
        assert_eq!(server.next().await, None, "{revision}");
    }
    assert!(count > 5_000, "{count}");
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn no_wrong_member_of_a_question_makes_a_client_wait_or_call_again() {
    let start = Instant::now();
    for revision in Revision::ALL
        .into_iter()
        .filter(|it| it.has_type("InputRequiredResult"))
    {
        let (client, mut server) = connect(revision, &opened(revision).to_string()).await;
        let client = client.unwrap();
        for wrong in wrong("InputRequiredResult", revision) {
            let json = wrong.json.replace(
                r#""resultType":"complete""#,
                r#""resultType":"input_required""#,
            );
            let mut calling = tokio::spawn(request(client.clone(), "tools/call", revision));
            let (id, _) = server.expect("tools/call").await;
            answer(&mut server, &id, &json).await;
            let result = tokio::select! {
                result = &mut calling => result.unwrap(),
                // The client retries if the server has no questions.
                (id, params) = server.expect("tools/call") => {
                    assert!(params["requestState"].is_string() || wrong.path == "requestState", "{json}");
                    answer(&mut server, &id, r#"{"resultType":"complete","content":[]}"#).await;
                    calling.await.unwrap()
                }
            };
            match result {
                Ok(()) | Err(CallError::InputRequired { .. }) => {}
                // Without its type, the value is a result of the tool.
                Err(CallError::Result { .. }) if wrong.path == "resultType" => {}
                Err(CallError::Result { reason, .. }) => check_named(&reason, &wrong, "question"),
                Err(error) => panic!("{}, {}: {error}", wrong.path, wrong.fault),
            }
        }
        client.close().await;
        assert_eq!(server.next().await, None, "{revision}");
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn no_wrong_member_of_the_first_result_makes_a_client_wait() {
    let start = Instant::now();
    for revision in Revision::ALL {
        let info = Revision::method(opening(revision)).unwrap();
        for mut wrong in wrong(info.types.1, revision) {
            for name in ["supportedVersions", "protocolVersion"] {
                let of_sample = format!(r#""{name}":{}"#, sample("string", revision));
                let of_sample = of_sample.replace(r#"s":"x""#, r#"s":["x"]"#);
                let own = match name {
                    "protocolVersion" => format!(r#""{name}":"{revision}""#),
                    _ => format!(r#""{name}":["{revision}"]"#),
                };
                wrong.json = wrong.json.replace(&of_sample, &own);
            }
            match connect(revision, &wrong.json).await.0 {
                Ok(client) => client.close().await,
                Err(error) => {
                    let is_revision = error.contains("revision") && wrong.path.contains("ersion");
                    if !is_revision {
                        check_named(&error, &wrong, &format!("{revision} {}", info.types.1));
                    }
                }
            }
        }
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
}
