//! Skills that are loaded again.

use std::fs;
use std::path::Path;

use mcp_extensions::skills::Skills;
use mcp_runtime::Server;
use mcp_runtime::serde_json::json;

use crate::wire::{HANDSHAKE, STATELESS, Wire};

fn write(root: &Path, name: &str, files: &[(&str, &str)]) {
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    let skill_md = format!("---\nname: {name}\ndescription: Something.\n---\n");
    fs::write(folder.join("SKILL.md"), skill_md).unwrap();
    for (file, contents) in files {
        fs::write(folder.join(file), contents).unwrap();
    }
}

#[tokio::test]
async fn reloading_reports_and_announces_what_has_changed() {
    let root = tempfile::tempdir().unwrap();
    for name in ["kept", "edited", "grown", "gone"] {
        write(root.path(), name, &[("a.md", "a")]);
    }
    let skills = Skills::directory(root.path()).unwrap();
    let server = Server::builder().extension(skills.clone()).build();
    let mut wire = Wire::to(&server, HANDSHAKE).await;
    let mut listener = Wire::to(&server, STATELESS).await;
    let filter = json!({"notifications": {"resourcesListChanged": true}});
    listener.send("subscriptions/listen", filter).await;
    let acknowledged = listener.next().await;
    let accepted = &acknowledged["params"]["notifications"];
    assert_eq!(*accepted, json!({"resourcesListChanged": true}));

    assert_eq!(skills.reload().await.unwrap(), Default::default());

    write(root.path(), "edited", &[("a.md", "b")]);
    write(root.path(), "grown", &[("b.md", "b")]);
    write(root.path(), "new", &[]);
    fs::remove_dir_all(root.path().join("gone")).unwrap();
    // Until then, the bytes are those that were listed.
    let read = wire.read("skill://edited/a.md").await;
    assert_eq!(read["contents"][0]["text"], "a");
    assert_eq!(wire.uris().await.len(), 4);

    let changes = skills.reload().await.unwrap();
    assert_eq!(changes.added, ["new"]);
    assert_eq!(changes.changed, ["edited", "grown"]);
    assert_eq!(changes.removed, ["gone"]);
    let method = "notifications/resources/list_changed";
    assert_eq!(listener.next().await["method"], method);
    assert_eq!(wire.next().await["method"], method);
    assert_eq!(wire.uris().await.len(), 4);
    let read = wire.read("skill://edited/a.md").await;
    assert_eq!(read["contents"][0]["text"], "b");
    assert!(wire.read("skill://gone/a.md").await["code"].is_i64());
}

#[tokio::test]
async fn skills_stay_as_they_are_if_one_is_wrong() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "good", &[]);
    let skills = Skills::directory(root.path()).unwrap();
    let server = Server::builder().extension(skills.clone()).build();
    write(root.path(), "good", &[("new.md", "")]);
    fs::create_dir(root.path().join("bad")).unwrap();
    fs::write(root.path().join("bad/SKILL.md"), "# Nothing").unwrap();
    let error = skills.reload().await.unwrap_err();
    assert!(error.to_string().starts_with("bad/SKILL.md:1: "), "{error}");
    let mut wire = Wire::to(&server, STATELESS).await;
    assert_eq!(wire.uris().await, ["skill://good/SKILL.md"]);
    assert!(wire.read("skill://good/new.md").await["code"].is_i64());
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_put_in_the_place_of_a_file_after_loading_is_not_served() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "pdf", &[("a.md", "loaded")]);
    let secret = root.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let skills = Skills::directory(root.path()).unwrap();
    let server = Server::builder().extension(skills.clone()).build();
    let file = root.path().join("pdf/a.md");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    let mut wire = Wire::to(&server, STATELESS).await;
    let read = wire.read("skill://pdf/a.md").await;
    assert_eq!(read["contents"][0]["text"], "loaded");
    let error = skills.reload().await.unwrap_err().to_string();
    assert!(error.starts_with("pdf/a.md: "), "{error}");
}

#[tokio::test]
async fn more_than_the_memory_limit_is_not_loaded() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "large", &[("a.md", &"x".repeat(1000))]);
    let error = Skills::directory_within(1000, root.path()).unwrap_err();
    assert!(error.to_string().contains("memory limit"), "{error}");
    let skills = Skills::directory_within(2000, root.path()).unwrap();
    write(root.path(), "large", &[("b.md", &"x".repeat(1000))]);
    skills.reload().await.unwrap_err();
}

#[tokio::test]
async fn skills_of_the_program_do_not_change() {
    let skills = crate::methods::skills();
    let server = Server::builder().extension(skills.clone()).build();
    assert_eq!(skills.reload().await.unwrap(), Default::default());
    let mut wire = Wire::to(&server, STATELESS).await;
    let discovered = wire.ask("server/discover", json!({})).await;
    let resources = &discovered["capabilities"]["resources"];
    assert!(
        resources.get("listChanged").is_none_or(|it| it == false),
        "{resources}"
    );
}
