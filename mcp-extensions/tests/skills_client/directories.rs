//! Directories: what the server lists never extends the entry.

use mcp_extensions::skills::SkillError;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::types::Resource;

use crate::scripted::{REVISIONS, ROOT, Script, resource};

fn uris(resources: &[Resource]) -> Vec<&str> {
    resources.iter().map(|it| &*it.uri).collect()
}

fn with(path: &str, children: Value) -> Script {
    let mut script = Script::default();
    script.directories.insert(format!("{ROOT}{path}"), children);
    script
}

#[tokio::test]
async fn children_that_the_entry_lacks_are_returned_separately() {
    let children = json!([
        resource("skill://acme/refunds/SKILL.md", "text/markdown"),
        resource("skill://acme/refunds/references", "inode/directory"),
        resource("skill://acme/refunds/NEW.md", "text/markdown"),
        resource("skill://acme/refunds/new", "inode/directory"),
    ]);
    for revision in REVISIONS {
        let script = with("", children.clone());
        let entry = script.first();
        let (skills, seen) = script.skills(revision).await;
        let skill = skills.open(&entry).await.unwrap();
        for reference in [".", "", "./"] {
            seen.take();
            let directory = skill.directory(reference).await.unwrap();
            assert_eq!(seen.take(), [format!("resources/directory/read {ROOT}")]);
            let known = [
                "skill://acme/refunds/SKILL.md",
                "skill://acme/refunds/references",
            ];
            assert_eq!(uris(&directory.children), known);
            let unknown = ["skill://acme/refunds/NEW.md", "skill://acme/refunds/new"];
            assert_eq!(uris(&directory.unlisted), unknown);
        }
        let error = skill.read("NEW.md").await.unwrap_err();
        assert!(matches!(error, SkillError::Refused { .. }), "{error}");
        assert_eq!(seen.take(), [""; 0]);
    }
}

#[tokio::test]
async fn a_directory_that_the_entry_lacks_is_refused_without_a_request() {
    let script = Script::default();
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[0]).await;
    let skill = skills.open(&entry).await.unwrap();
    seen.take();
    for reference in [
        "new",
        "..",
        "references/..",
        "references/FORMS.md",
        "/",
        "skill://acme",
        "SKILL.md",
    ] {
        // A slash alone is the skill's own directory without its end.
        if reference == "/" {
            continue;
        }
        let error = skill.directory(reference).await.unwrap_err();
        assert!(
            matches!(error, SkillError::Refused { .. }),
            "{reference}: {error}"
        );
        assert_eq!(seen.take(), [""; 0], "{reference}");
    }
}

#[tokio::test]
async fn a_subdirectory_is_listed_with_or_without_a_slash() {
    let child = resource("skill://acme/refunds/references/FORMS.md", "text/markdown");
    let script = with("/references", json!([child]));
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    for reference in ["references", "references/", "./references"] {
        let directory = skill.directory(reference).await.unwrap();
        assert_eq!(
            uris(&directory.children),
            ["skill://acme/refunds/references/FORMS.md"]
        );
        assert_eq!(uris(&directory.unlisted), [""; 0]);
    }
}

#[tokio::test]
async fn a_dynamic_skill_learns_its_files_from_directories() {
    let mut script = Script::dynamic();
    let new = resource("skill://acme/refunds/new", "inode/directory");
    script.directories.insert(ROOT.to_owned(), json!([new]));
    script.directories.insert(format!("{ROOT}/new"), json!([]));
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    let directory = skill.directory(".").await.unwrap();
    assert_eq!(uris(&directory.children), ["skill://acme/refunds/new"]);
    assert_eq!(
        uris(&skill.directory("new").await.unwrap().children),
        [""; 0]
    );
    let error = skill.directory("../billing").await.unwrap_err();
    assert!(matches!(error, SkillError::Refused { .. }), "{error}");
}

#[tokio::test]
async fn resources_outside_of_the_directory_are_not_children() {
    let others = [
        "skill://acme/billing/SKILL.md",
        "skill://acme/refunds",
        "skill://acme/refunds/../a.md",
        "file:///etc/passwd",
        "SKILL.md",
    ];
    for mut script in [Script::default(), Script::dynamic()] {
        let resources = others.map(|it| resource(it, "text/markdown"));
        script.directories.insert(ROOT.to_owned(), json!(resources));
        let entry = script.first();
        let (skills, _) = script.skills(REVISIONS[0]).await;
        let skill = skills.open(&entry).await.unwrap();
        let directory = skill.directory(".").await.unwrap();
        assert_eq!(uris(&directory.children), [""; 0]);
        assert_eq!(uris(&directory.unlisted), others);
    }
}

#[tokio::test]
async fn directories_are_not_requested_unless_the_server_declares_them() {
    let cases = [
        json!({}),
        json!({"directoryRead": false}),
        json!({"directoryRead": "true"}),
        json!({"directoryRead": 1}),
    ];
    for settings in cases {
        let mut script = with("", json!([]));
        script.settings = Some(settings);
        let entry = script.first();
        let (skills, seen) = script.skills(REVISIONS[1]).await;
        let skill = skills.open(&entry).await.unwrap();
        seen.take();
        let error = skill.directory(".").await.unwrap_err();
        assert!(matches!(error, SkillError::Refused { .. }), "{error}");
        assert!(error.to_string().contains("directoryRead"), "{error}");
        assert!(skills.directory(ROOT).await.is_err());
        assert_eq!(seen.take(), [""; 0]);
    }
}
