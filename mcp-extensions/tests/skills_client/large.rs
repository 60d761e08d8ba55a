//! The largest file of a skill, which is longer than most messages.

use std::future::IntoFuture as _;
use std::net::TcpListener;

use mcp_extensions::skills::{ReadSkills as _, SkillEntry, SkillsClient};
use mcp_runtime::serde_json::json;
use mcp_runtime::testing::connect;
use mcp_runtime::transport::http::http;
use mcp_runtime::transport::http_client;
use mcp_runtime::types::BlobResourceContents;
use mcp_runtime::{Client, ClientBuilder};

use crate::scripted::{REVISIONS, ROOT, SKILL_MD, Script, Seen, file};

/// A skill that has exactly 16 MiB, most of them in one file.
fn largest() -> (Script, SkillEntry, usize) {
    let size = 16 * 1024 * 1024 - SKILL_MD.len();
    let bytes: Vec<_> = (0..size).map(|it| (it % 251) as u8).collect();
    let uri = format!("{ROOT}/data.bin");
    let mut script = Script::default();
    let own = script.entry_mut()["resources"][0].clone();
    script.entry_mut()["resources"] = json!([own, file(&uri, &bytes)]);
    let blob = BlobResourceContents::from_bytes(&uri, &bytes);
    script.files.insert(uri, json!([blob]));
    let entry = script.first();
    (script, entry, size)
}

fn host() -> ClientBuilder {
    Client::builder("host", "1.0").extension(SkillsClient::new())
}

async fn is_read(client: Client, entry: &SkillEntry, size: usize) {
    let skill = client.skills("docs").unwrap().open(entry).await.unwrap();
    let contents = skill.read("data.bin").await.unwrap();
    assert_eq!(contents.bytes.len(), size);
}

#[tokio::test]
async fn the_largest_file_is_read_over_a_stream() {
    for revision in REVISIONS {
        let (script, entry, size) = largest();
        let server = script.server(&Seen::default());
        let client = connect(server).client(host()).revision(revision);
        is_read(client.await.unwrap(), &entry, size).await;
    }
}

#[tokio::test]
async fn the_largest_file_is_read_over_http() {
    for revision in REVISIONS {
        let (script, entry, size) = largest();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let serving = script.server(&Seen::default()).serve(http(listener));
        let serving = tokio::spawn(serving.signals(false).into_future());
        let client = host().revision(revision).connect(http_client(url));
        is_read(client.await.unwrap(), &entry, size).await;
        serving.abort();
    }
}
