//! A skill that a caller may not read in full does not exist for that caller.

use mcp_runtime::serde_json::json;
use mcp_runtime::{Server, ServerBuilder};

use crate::methods::skills;
use crate::wire::{BOTH, STATELESS, Wire, strings};

/// Hides the file of a nested skill from everyone but `ann`.
fn server() -> Server {
    let mut server = ServerBuilder::default();
    server.filter_resources(|uri, cx| {
        let is_ann = cx.client_info().is_some_and(|it| it.name == "ann");
        is_ann || uri != "skill://pdf/forms/f.txt"
    });
    server.extension(skills()).build()
}

#[tokio::test]
async fn a_hidden_file_hides_its_skill_and_the_enclosing_skill_everywhere() {
    let server = server();
    for revision in BOTH {
        let mut ann = Wire::named(&server, revision, "ann").await;
        assert_eq!(ann.uris().await.len(), 3);
        assert!(ann.read("skill://pdf/forms/f.txt").await["contents"].is_array());

        let mut bob = Wire::named(&server, revision, "bob").await;
        let refunds = "skill://acme/billing/refunds/SKILL.md";
        assert_eq!(bob.uris().await, [refunds]);
        let resources = bob.ask("resources/list", json!({})).await;
        assert_eq!(strings(&resources["resources"], "uri"), [refunds]);
        assert!(bob.get(refunds).await["skill"].is_object());
        for skill in ["skill://pdf", "skill://pdf/forms"] {
            let skill_md = format!("{skill}/SKILL.md");
            assert_eq!(bob.get(&skill_md).await["code"], -32602, "{skill}");
            assert!(bob.read(&skill_md).await["code"].is_i64(), "{skill}");
            assert_eq!(bob.directory(skill).await["code"], -32602, "{skill}");
        }
        let scripts = bob.directory("skill://pdf/scripts").await;
        assert_eq!(scripts["code"], -32602, "{scripts}");
    }
}

#[tokio::test]
async fn a_skill_stays_when_only_the_enclosing_skill_is_hidden() {
    let mut builder = ServerBuilder::default();
    builder.filter_resources(|uri, _| uri != "skill://pdf/scripts/read.py");
    let server = builder.extension(skills()).build();
    for revision in BOTH {
        let mut wire = Wire::to(&server, revision).await;
        let forms = "skill://pdf/forms/SKILL.md";
        assert_eq!(wire.uris().await[1..], [forms]);
        assert!(wire.read(forms).await["contents"].is_array());
        let read = wire.read("skill://pdf/a%20b.md").await;
        assert!(read["code"].is_i64(), "{read}");
        let children = wire.directory("skill://pdf").await;
        let uris = strings(&children["resources"], "uri");
        assert_eq!(uris, ["skill://pdf/forms"], "the way to the nested skill");
    }
}

#[tokio::test]
async fn answers_that_depend_on_the_caller_are_private() {
    let public = (
        std::time::Duration::from_secs(60),
        mcp_runtime::types::CacheScope::Public,
    );
    let mut builder = ServerBuilder::default();
    builder.filter_resources(|_, _| true);
    let skills = skills().cache(public.0, public.1);
    let server = builder.extension(skills).build();
    let mut wire = Wire::to(&server, STATELESS).await;
    for answer in [
        wire.list().await,
        wire.get("skill://pdf/SKILL.md").await,
        wire.directory("skill://pdf").await,
        wire.read("skill://pdf/SKILL.md").await,
    ] {
        assert_eq!(answer["cacheScope"], "private", "{answer}");
        assert_eq!(answer["ttlMs"], 60_000, "{answer}");
    }
}

#[tokio::test]
async fn the_filter_of_an_outer_server_applies_to_skills_of_a_mounted_one() {
    let mut outer = ServerBuilder::default();
    outer.filter_resources(|uri, _| uri != "docs+skill://pdf/forms/f.txt");
    let server = outer.mount("docs", server_of_all()).build();
    let mut wire = Wire::to(&server, STATELESS).await;
    let list = wire.list().await;
    let uris = strings(&list["skills"], "uri");
    assert_eq!(uris, ["docs+skill://acme/billing/refunds/SKILL.md"]);
    assert_eq!(list["cacheScope"], "private");
    let read = wire.read("docs+skill://pdf/SKILL.md").await;
    assert_eq!(read["code"], -32602, "{read}");
}

fn server_of_all() -> Server {
    Server::builder().extension(skills()).build()
}
