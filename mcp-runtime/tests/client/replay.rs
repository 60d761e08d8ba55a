//! Tests servers that answer from a recording.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::testing::{self, Recording, Replay};
use mcp_runtime::types::ErrorObject;
use mcp_runtime::{CallError, Client, ClientBuilder, Era};
use serde_json::json;
use tempfile::TempDir;

#[derive(Default)]
struct Desk {
    calls: AtomicI64,
}

/// A visitor.
#[derive(Serialize, Deserialize, JsonSchema, Elicit)]
struct Guest {
    name: String,
}

#[mcp_server(name = "desk", version = "1.0.0")]
impl Desk {
    /// Counts its calls.
    #[tool]
    fn count(&self) -> i64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Reports its progress.
    #[tool]
    fn climb(&self, steps: u64, cx: &Context) -> String {
        for step in 1..=steps {
            cx.progress(step, steps, format!("step {step}"));
        }
        "at the top".to_owned()
    }

    /// Asks for a name.
    #[tool]
    fn greet(&self, #[elicit("Who are you?")] guest: Guest) -> String {
        format!("Hello, {}!", guest.name)
    }
}

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::write(fixture.path(), text).unwrap();
        fixture
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("desk.jsonl")
    }

    /// Records the calls of all tests.
    async fn recorded(era: Era) -> Self {
        let fixture = Self::new("");
        let recording = Recording::to_file(fixture.path()).unwrap();
        let client = testing::connect(Desk::default());
        let client = client.client(answering()).era(era).record(&recording);
        use_all(&client.await.unwrap(), [0, 1]).await;
        fixture
    }

    async fn client(&self) -> Client {
        let replay = Replay::from_file(self.path()).unwrap();
        answering().connect(replay).await.unwrap()
    }
}

fn answering() -> ClientBuilder {
    Client::builder("answering", "1.0.0")
        .on_form(|form| async move { form.accept(json!({"name": "Ada"})) })
}

async fn use_all(client: &Client, counts: [i64; 2]) {
    for count in counts {
        assert_eq!(client.call::<i64>("count", json!({})).await.unwrap(), count);
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&seen);
    let call = client.call::<String>("climb", json!({"steps": 2}));
    let call = call.on_progress(move |it| all.lock().unwrap().extend(it.message));
    assert_eq!(call.await.unwrap(), "at the top");
    assert_eq!(*seen.lock().unwrap(), ["step 1", "step 2"]);
    let greeting: String = client.call("greet", json!({})).await.unwrap();
    assert_eq!(greeting, "Hello, Ada!");
}

#[tokio::test]
async fn a_client_sees_what_was_recorded() {
    for era in [Era::Handshake, Era::Stateless] {
        let recorded = Fixture::recorded(era).await;
        let client = recorded.client().await;
        assert_eq!(client.revision().era(), era);
        // Ids and tokens differ from those in the recording.
        assert!(client.list_prompts().await.is_err());
        use_all(&client, [0, 1]).await;
        let again: i64 = client.call("count", json!({})).await.unwrap();
        assert_eq!(again, 1, "the last answer is repeated");
    }
}

#[tokio::test]
async fn an_unknown_request_is_refused_with_the_most_similar_one() {
    let recorded = Fixture::recorded(Era::Stateless).await;
    let client = recorded.client().await;
    let error = client.call::<String>("climb", json!({"steps": 3})).await;
    let Err(CallError::Rpc(ErrorObject { message, .. })) = error else {
        panic!("{error:?}");
    };
    let name = recorded.path().display().to_string();
    assert!(
        message.starts_with(&format!("{name} has no request tools/call {{")),
        "{message}"
    );
    assert!(
        message.ends_with(r#": tools/call {"arguments":{"steps":2},"name":"climb"}"#),
        "{message}"
    );
}

#[test]
fn an_incomplete_last_line_is_left_out() {
    let line =
        r#"{"connection":1,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    let read = |text: &str| Replay::from_file(Fixture::new(text).path()).map(|it| it.is_cut());
    assert!(!read(&format!("{line}\n")).unwrap());
    assert!(!read(line).unwrap(), "only the line break is missing");
    assert!(read(&format!("{line}\n{{\"time\":")).unwrap());
    for (text, part) in [
        (format!("{line}\n{{\"time\":\n{line}\n"), "line 2 is not"),
        (
            format!("{line}\n{{\"connection\":1,\"from\":\"client\"}}\n"),
            "line 2 is not",
        ),
        ("# Notes".to_owned(), "line 1 is not"),
        (String::new(), "no request"),
    ] {
        let error = read(&text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_request_without_a_recorded_answer_is_refused() {
    let recorded = Fixture::recorded(Era::Stateless).await;
    let text = std::fs::read_to_string(recorded.path()).unwrap();
    let end = text.rfind("\"from\":\"client\"").unwrap();
    let end = end + text[end..].find('\n').unwrap();
    let killed = Fixture::new(&text[..=end]);
    let client = killed.client().await;
    let error = client.call::<String>("greet", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("has no answer"), "{error}");
}
