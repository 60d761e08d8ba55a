//! Skills from a source: for each caller, unlisted, and dynamic.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_extensions::skills::{PublishedSkill, Skill, SkillSource, Skills};
use mcp_runtime::serde_json::json;
use mcp_runtime::types::CacheScope;
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::{BoxFuture, Context, ProtocolError, Server};

use crate::wire::{BOTH, STATELESS, Wire, strings};

/// Lists the skill `audit` to `ann` only. The skill `hidden` is not listed, and `report` is written
/// again for each read.
struct Store {
    audit: PublishedSkill,
    hidden: PublishedSkill,
    reports: AtomicUsize,
}

impl SkillSource for Store {
    fn list(&self, cx: &Context) -> BoxFuture<Result<Vec<PublishedSkill>, ProtocolError>> {
        let name = cx
            .client_info()
            .map(|it| it.name.clone())
            .unwrap_or_default();
        let mut skills = vec![self.report()];
        skills.extend((name == "ann").then(|| self.audit.clone()));
        Box::pin(async move {
            tokio::task::yield_now().await;
            match &*name {
                "broken" => Err(ProtocolError::new(code::INTERNAL_ERROR, "no database")),
                _ => Ok(skills),
            }
        })
    }

    fn get(
        &self,
        path: &str,
        cx: &Context,
    ) -> BoxFuture<Result<Option<PublishedSkill>, ProtocolError>> {
        if path == "team/hidden" {
            let hidden = self.hidden.clone();
            return Box::pin(async { Ok(Some(hidden)) });
        }
        let listed = self.list(cx);
        let path = path.to_owned();
        Box::pin(async move { Ok(listed.await?.into_iter().find(|it| it.path() == path)) })
    }
}

impl Store {
    fn report(&self) -> PublishedSkill {
        let number = self.reports.fetch_add(1, Ordering::Relaxed);
        let skill = Skill::new("report", "Assemble the report.").within("daily");
        let skill = skill.file("data/now.txt", number.to_string());
        skill.dynamic().publish().unwrap()
    }
}

fn server() -> Server {
    let store = Store {
        audit: Skill::new("audit", "Audit the books.")
            .file("a.md", "a")
            .publish()
            .unwrap(),
        hidden: Skill::new("hidden", "Not listed.")
            .within("team")
            .publish()
            .unwrap(),
        reports: AtomicUsize::new(0),
    };
    let skills = Skills::source(store).cache(std::time::Duration::from_secs(1), CacheScope::Public);
    Server::builder().extension(skills).build()
}

#[tokio::test]
async fn a_source_decides_what_each_caller_gets() {
    let server = server();
    let audit = "skill://audit/SKILL.md";
    for revision in BOTH {
        let mut ann = Wire::named(&server, revision, "ann").await;
        assert_eq!(ann.uris().await, [audit, "skill://daily/report/SKILL.md"]);
        assert!(ann.read("skill://audit/a.md").await["contents"].is_array());
        let mut bob = Wire::named(&server, revision, "bob").await;
        assert_eq!(bob.uris().await, ["skill://daily/report/SKILL.md"]);
        assert_eq!(bob.get(audit).await["code"], -32602);
        assert!(bob.read("skill://audit/a.md").await["code"].is_i64());
        assert_eq!(bob.directory("skill://audit").await["code"], -32602);
    }
    let mut wire = Wire::named(&server, STATELESS, "ann").await;
    for answer in [
        wire.list().await,
        wire.read(audit).await,
        wire.get(audit).await,
    ] {
        assert_eq!(answer["cacheScope"], "private", "{answer}");
    }
}

#[tokio::test]
async fn a_skill_that_is_not_listed_is_served_by_its_uri() {
    for revision in BOTH {
        let mut wire = Wire::to(&server(), revision).await;
        let uri = "skill://team/hidden/SKILL.md";
        let got = wire.get(uri).await;
        assert_eq!(got["skill"]["frontmatter"]["description"], "Not listed.");
        assert!(wire.read(uri).await["contents"].is_array());
        let children = wire.directory("skill://team/hidden").await;
        assert_eq!(strings(&children["resources"], "uri"), [uri]);
    }
}

#[tokio::test]
async fn a_dynamic_skill_has_no_digests_and_is_generated_for_each_read() {
    for revision in BOTH {
        let mut wire = Wire::to(&server(), revision).await;
        let entry = wire.get("skill://daily/report/SKILL.md").await["skill"].clone();
        assert_eq!(entry["resources"], "dynamic");
        let children = wire.directory("skill://daily/report/data").await;
        let uris = strings(&children["resources"], "uri");
        assert_eq!(uris, ["skill://daily/report/data/now.txt"]);
        let first = wire.read(&uris[0]).await["contents"].clone();
        assert_ne!(first, wire.read(&uris[0]).await["contents"]);
    }
}

#[tokio::test]
async fn a_uri_with_very_many_slashes_asks_the_source_for_few_folders() {
    struct Counting(Arc<AtomicUsize>);

    impl SkillSource for Counting {
        fn list(&self, _: &Context) -> BoxFuture<Result<Vec<PublishedSkill>, ProtocolError>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(Vec::new()) })
        }
    }

    let asked = Arc::new(AtomicUsize::new(0));
    let skills = Skills::source(Counting(Arc::clone(&asked)));
    let server = Server::builder().extension(skills).build();
    let mut wire = Wire::to(&server, STATELESS).await;
    let uri = format!("skill://{}", "a/".repeat(100_000));
    assert_eq!(wire.read(&uri).await["code"], -32602);
    assert_eq!(wire.directory(&uri).await["code"], -32602);
    assert!(asked.load(Ordering::Relaxed) <= 130, "{asked:?}");
}

#[tokio::test]
async fn an_error_of_the_source_answers_the_request() {
    let mut wire = Wire::named(&server(), STATELESS, "broken").await;
    for answer in [
        wire.list().await,
        wire.get("skill://audit/SKILL.md").await,
        wire.read("skill://audit/SKILL.md").await,
        wire.directory("skill://audit").await,
        wire.ask("resources/list", json!({})).await,
    ] {
        assert_eq!(answer["code"], -32603, "{answer}");
    }
}
