//! Pages of lists, and malformed lists.

use mcp_extensions::skills::SkillError;
use mcp_runtime::Client;
use mcp_runtime::serde_json::json;

use mcp_extensions::skills::{ReadSkills as _, SkillsClient};

use crate::scripted::{REVISIONS, Script, entry};

/// A server with a skill on each page.
fn paged(cursors: &[Option<&str>]) -> Script {
    let mut script = Script::default();
    let pages = cursors.iter().enumerate().map(|(number, cursor)| {
        let skill = entry(&format!("skill://s{number}"), &[("SKILL.md", "")]);
        (vec![skill], cursor.map(ToOwned::to_owned))
    });
    script.pages = pages.collect();
    script
}

#[tokio::test]
async fn all_pages_are_fetched() {
    for revision in REVISIONS {
        let (skills, seen) = paged(&[Some("a"), Some("b"), None]).skills(revision).await;
        let listing = skills.list().await.unwrap();
        assert_eq!(listing.skills.len(), 3);
        assert_eq!(seen.take(), ["skills/list"; 3]);
    }
}

#[tokio::test]
async fn a_cursor_that_repeats_is_an_error() {
    for revision in REVISIONS {
        for cursors in [&["a", "a"][..], &["a", "b", "a"], &["", ""]] {
            let cursors: Vec<_> = cursors.iter().map(|it| Some(*it)).collect();
            let (skills, seen) = paged(&cursors).skills(revision).await;
            let error = skills.list().await.unwrap_err();
            assert!(matches!(error, SkillError::Call(_)), "{error}");
            assert!(error.to_string().contains("repeats a cursor"), "{error}");
            assert!(seen.take().len() <= 3);
        }
    }
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    let cursors: Vec<_> = (0..20).map(|it| it.to_string()).collect();
    let cursors: Vec<_> = cursors.iter().map(|it| Some(&**it)).collect();
    let host = Client::builder("host", "1.0").extension(SkillsClient::new());
    let (client, seen) = paged(&cursors)
        .client(REVISIONS[0], host.max_pages(10))
        .await;
    let error = client.skills("docs").unwrap().list().await.unwrap_err();
    assert!(error.to_string().contains("more than 10 pages"), "{error}");
    assert_eq!(seen.take().len(), 10);

    let host = Client::builder("host", "1.0").extension(SkillsClient::new());
    let (client, _) = paged(&[None])
        .client(REVISIONS[1], host.max_list_bytes(100))
        .await;
    let error = client.skills("docs").unwrap().list().await.unwrap_err();
    assert!(error.to_string().contains("more than 100 bytes"), "{error}");
}

#[tokio::test]
async fn an_empty_list_is_no_error() {
    let mut script = Script::default();
    let uri = "skill://acme/refunds/SKILL.md";
    script.entry = Some(script.entry_mut().clone());
    script.pages = vec![(Vec::new(), None)];
    let (skills, seen) = script.skills(REVISIONS[1]).await;
    let listing = skills.list().await.unwrap();
    assert!(listing.skills.is_empty() && listing.invalid.is_empty());
    // A skill that is not listed is found by its URI.
    assert_eq!(skills.open_uri(uri).await.unwrap().entry().uri, uri);
    let requests = [
        "skills/list".to_owned(),
        format!("skills/get {uri}"),
        format!("resources/read {uri}"),
    ];
    assert_eq!(seen.take(), requests);
}

#[tokio::test]
async fn malformed_answers_are_errors() {
    let mut script = Script {
        entry: Some(json!(null)),
        ..Script::default()
    };
    script
        .directories
        .insert("skill://acme".to_owned(), json!([{"uri": 1}]));
    let (skills, _) = script.skills(REVISIONS[1]).await;
    assert!(
        skills
            .open_uri("skill://acme/refunds/SKILL.md")
            .await
            .is_err()
    );
    let error = skills.directory("skill://acme").await.unwrap_err();
    assert!(matches!(error, SkillError::Call(_)), "{error}");
}
