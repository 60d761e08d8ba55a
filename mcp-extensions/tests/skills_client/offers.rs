//! Servers and clients that do not agree on skills.

use mcp_extensions::skills::{ReadSkills as _, SkillError, SkillsClient};
use mcp_runtime::serde_json::json;
use mcp_runtime::{Client, Revision};

use crate::scripted::{REVISIONS, Script};

async fn refusal(script: Script, revision: Revision, declares: bool) -> String {
    let mut host = Client::builder("host", "1.0");
    if declares {
        host = host.extension(SkillsClient::new());
    }
    let (client, seen) = script.client(revision, host).await;
    let error = client.skills("docs").unwrap_err();
    assert!(matches!(error, SkillError::NotOffered(_)), "{error}");
    assert_eq!(seen.take(), [""; 0]);
    error.to_string()
}

#[tokio::test]
async fn a_server_without_skills_is_named() {
    for revision in REVISIONS {
        let script = Script {
            settings: None,
            ..Script::default()
        };
        let reason = refusal(script, revision, true).await;
        assert!(reason.contains("does not offer skills"), "{reason}");
    }
}

#[tokio::test]
async fn an_unknown_revision_of_the_extension_is_not_used() {
    for revision in REVISIONS {
        for unknown in [json!("2027-01-01"), json!(2), json!(null)] {
            let script = Script {
                settings: Some(json!({"directoryRead": true, "revision": unknown})),
                ..Script::default()
            };
            let reason = refusal(script, revision, true).await;
            assert!(reason.contains(&format!("revision {unknown}")), "{reason}");
        }
    }
}

#[tokio::test]
async fn a_client_must_declare_skills() {
    for revision in REVISIONS {
        let reason = refusal(Script::default(), revision, false).await;
        assert!(reason.contains("does not declare skills"), "{reason}");
    }
}

#[tokio::test]
async fn older_revisions_have_no_skills() {
    refusal(Script::default(), Revision::V2025_06_18, true).await;
}
