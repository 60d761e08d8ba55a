//! Servers that keep the rules, in ways that are easily overlooked.

use mcp_extensions::skills::{Digest, ReadSkills as _, SkillsClient};
use mcp_runtime::Client;
use mcp_runtime::client::ResponseCache;
use mcp_runtime::serde_json::json;

use crate::scripted::{FORMS, REVISIONS, ROOT, SKILL_MD, Script, file};

#[tokio::test]
async fn nothing_is_read_before_it_is_needed() {
    for revision in REVISIONS {
        let (skills, seen) = Script::default().skills(revision).await;
        assert_eq!(seen.take(), [""; 0]);
        let listing = skills.list().await.unwrap();
        assert_eq!(seen.take(), ["skills/list"]);
        let skill = skills.open(&listing.skills[0]).await.unwrap();
        assert_eq!(seen.take(), [format!("resources/read {ROOT}/SKILL.md")]);
        let contents = skill.read("references/FORMS.md").await.unwrap();
        assert_eq!(
            seen.take(),
            [format!("resources/read {ROOT}/references/FORMS.md")]
        );
        assert_eq!(contents.text(), Some(FORMS));
        assert_eq!(&*contents.server, "docs");
        assert_eq!(skill.id(), ("docs", "skill://acme/refunds/SKILL.md"));
        assert_eq!(skill.instructions().text(), Some(SKILL_MD));
        assert_eq!(skill.entry(), &listing.skills[0]);
    }
}

#[tokio::test]
async fn a_verified_file_is_requested_once() {
    let script = Script::default();
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[0]).await;
    for number in 0..3 {
        let skill = skills.clone().open(&entry).await.unwrap();
        skill.read("SKILL.md").await.unwrap();
        skill.read("references/FORMS.md").await.unwrap();
        assert_eq!(seen.take().len(), if number == 0 { 2 } else { 0 });
    }
}

#[tokio::test]
async fn an_answer_in_the_cache_of_responses_is_not_used() {
    let cache = ResponseCache::new();
    let old = Script::of(&[(ROOT, &[("SKILL.md", "old")])]);
    let host = || {
        Client::builder("host", "1.0")
            .cache(cache.clone())
            .extension(SkillsClient::new())
    };
    let (client, _) = old.client(REVISIONS[1], host()).await;
    let uri = format!("{ROOT}/SKILL.md");
    client.read_resource(&uri).await.unwrap();

    let script = Script::default();
    let entry = script.first();
    let (client, seen) = script.client(REVISIONS[1], host()).await;
    let read = client.read_resource(&uri).await.unwrap();
    assert_eq!(read.contents[0].as_text(), Some("old"));
    assert_eq!(seen.take(), [""; 0]);
    client.skills("docs").unwrap().open(&entry).await.unwrap();
    assert_eq!(seen.take(), [format!("resources/read {uri}")]);
}

#[tokio::test]
async fn two_skills_of_one_name_are_two_skills() {
    let files = [("SKILL.md", SKILL_MD)];
    let script = Script::of(&[
        ("skill://billing/refunds", &files),
        ("skill://support/refunds", &files),
    ]);
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let listing = skills.list().await.unwrap();
    let found = listing.by_name("refunds");
    assert_eq!(found.len(), 2);
    assert!(listing.by_name("billing").is_empty());
    let one = skills.open(found[0]).await.unwrap();
    let other = skills.open(found[1]).await.unwrap();
    assert_ne!(one.id(), other.id());
    assert_ne!(one.fingerprint(), other.fingerprint());
}

#[tokio::test]
async fn the_skill_md_of_a_nested_skill_is_read_as_a_file() {
    let nested = "---\nname: [\n";
    let files = [("SKILL.md", SKILL_MD), ("nested/SKILL.md", nested)];
    let script = Script::of(&[(ROOT, &files)]);
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[0]).await;
    let skill = skills.open(&entry).await.unwrap();
    assert_eq!(
        skill.read("nested/SKILL.md").await.unwrap().text(),
        Some(nested)
    );
}

#[tokio::test]
async fn bytes_are_handed_out_as_they_are() {
    let windows = format!("\u{feff}{}", SKILL_MD.replace('\n', "\r\n"));
    let mut script = Script::of(&[(ROOT, &[("SKILL.md", &windows)])]);
    let bytes = [0, 159, 146, 150, 13, 10];
    let uri = format!("{ROOT}/logo.png");
    let files = script.entry_mut()["resources"].as_array_mut().unwrap();
    files.push(file(&uri, &bytes));
    let blob = json!([{"uri": "SKILL://acme/refunds/%6Cogo.png", "blob": "AJ+Slg0K", "mimeType": "image/png"}]);
    script.files.insert(uri.clone(), blob);
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    assert_eq!(skill.instructions().text(), Some(&*windows));
    let logo = skill.read("logo.png").await.unwrap();
    assert_eq!((&*logo.bytes, logo.text()), (&bytes[..], None));
    assert_eq!(logo.mime_type.as_deref(), Some("image/png"));
    assert_eq!(logo.uri, uri);
}

#[tokio::test]
async fn a_fingerprint_depends_on_each_uri_and_digest_alone() {
    let mut script = Script::default();
    let first = script.first();
    let entry = script.entry_mut();
    entry["resources"].as_array_mut().unwrap().reverse();
    entry["frontmatter"]["description"] = json!("x");
    assert_eq!(script.first().fingerprint(), first.fingerprint());
    script.entry_mut()["resources"][0]["digest"] = json!(Digest::of(b""));
    assert_ne!(script.first().fingerprint(), first.fingerprint());
    script.entry_mut()["resources"][0] = file(&format!("{ROOT}/new"), FORMS.as_bytes());
    assert_ne!(script.first().fingerprint(), first.fingerprint());
}
