//! Runs the examples with layers. A client sees the same in both eras.

use std::path::Path;

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::{CallError, Client, Revision};
use serde_json::json;

const REVISIONS: [Revision; 2] = [Revision::LATEST_HANDSHAKE, Revision::LATEST];

async fn connect(binary: &str, arguments: &[&Path], revision: Revision) -> Client {
    let example = ChildProcess::new(binary).args(arguments);
    let client = Client::builder("layers", "1.0.0").revision(revision);
    client.connect(example).await.unwrap()
}

#[tokio::test]
async fn an_audit_has_a_line_for_each_call_without_its_arguments() {
    for revision in REVISIONS {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.log");
        let client = connect(env!("CARGO_BIN_EXE_audit"), &[&log], revision).await;
        for divisor in [4, 0] {
            let arguments = json!({"dividend": 4321, "divisor": divisor});
            client.call_tool("divide", arguments).await.unwrap();
        }
        assert!(client.call_tool("nothing", json!({})).await.is_err());
        client.close().await;
        let log = std::fs::read_to_string(log).unwrap();
        let calls = log.lines().filter(|line| line.contains("tools/call"));
        let calls: Vec<_> = calls
            .map(|line| line.split(" after ").next().unwrap())
            .collect();
        let expected = [
            r#"anonymous tools/call "divide": answered"#,
            r#"anonymous tools/call "divide": failed"#,
            r#"anonymous tools/call "nothing": failed"#,
        ];
        assert_eq!(calls, expected);
        assert!(!log.contains("4321"), "{log}");
    }
}

#[tokio::test]
async fn numbers_of_cards_are_redacted_and_others_are_not() {
    for revision in REVISIONS {
        let client = connect(env!("CARGO_BIN_EXE_redaction"), &[], revision).await;
        let order: String = client.call("order", json!({"number": 7})).await.unwrap();
        let expected = "order 7: paid with **** **** **** ****, sent to Hartfield";
        assert_eq!(order, expected);
        let receipt = client.read_resource("order://12").await.unwrap();
        let text = receipt.contents[0].as_text().unwrap();
        assert_eq!(text, "receipt of order 12: ****************");
        client.close().await;
    }
}

#[tokio::test]
async fn contents_are_read_once() {
    for revision in REVISIONS {
        let client = connect(env!("CARGO_BIN_EXE_resource_cache"), &[], revision).await;
        for (uri, number) in [
            ("book://emma", 1),
            ("book://emma", 1),
            ("book://persuasion", 2),
        ] {
            let read = client.read_resource(uri).await.unwrap();
            let text = read.contents[0].as_text().unwrap();
            assert!(text.ends_with(&format!("number {number}")), "{text}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn what_is_too_much_at_the_same_time_is_refused_with_the_time_to_try_again() {
    for revision in REVISIONS {
        let client = connect(env!("CARGO_BIN_EXE_load_shedding"), &[], revision).await;
        let report = |milliseconds: u64| {
            let call = client.call::<String>("report", json!({"milliseconds": milliseconds}));
            tokio::spawn(async move { call.await })
        };
        let long = [report(600_000), report(600_000)];
        loop {
            match report(0).await.unwrap() {
                // The other calls have not arrived yet.
                Ok(_) => {}
                Err(CallError::Rpc(error)) => {
                    assert_eq!(error.code, -32603);
                    assert_eq!(error.data.unwrap().get(), r#"{"retryAfterMs":1000}"#);
                    break;
                }
                Err(error) => panic!("{error}"),
            }
        }
        for call in &long {
            call.abort();
        }
        while report(0).await.unwrap().is_err() {}
        client.close().await;
    }
}
