//! The methods of the extension, and the resources of skills.

use std::time::Duration;

use mcp_extensions::skills::{Digest, Skill, Skills};
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::types::CacheScope;
use mcp_runtime::{Server, ServerBuilder};

use crate::wire::{BOTH, HANDSHAKE, STATELESS, Wire, strings};

/// Returns two skills, one nested in the other, and one at another path.
pub fn skills() -> Skills {
    let tool = Skill::new("pdf", "Read PDF files.")
        .field("license", "MIT")
        .field("metadata", json!({"version": "1"}))
        .instructions("Run `scripts/read.py`.")
        .file("scripts/read.py", "print()")
        .file("scripts/data/logo.png", [0x89, b'P', 0xff])
        .file("a b.md", "# \u{e9}");
    let nested = Skill::new("forms", "Fill forms.")
        .within("pdf")
        .file("f.txt", "");
    let refunds = Skill::new("refunds", "Process refunds.").within("acme/billing");
    Skills::new([tool, nested, refunds]).unwrap()
}

fn server(skills: Skills) -> Server {
    Server::builder().extension(skills).build()
}

#[tokio::test]
async fn skills_are_listed_with_their_files_to_clients_that_declare_nothing() {
    for revision in BOTH {
        let mut wire = Wire::to(&server(skills()), revision).await;
        let list = wire.list().await;
        assert_eq!(
            strings(&list["skills"], "uri"),
            [
                "skill://acme/billing/refunds/SKILL.md",
                "skill://pdf/SKILL.md",
                "skill://pdf/forms/SKILL.md",
            ],
            "{list}"
        );
        let pdf = &list["skills"][1];
        assert_eq!(
            pdf["frontmatter"],
            json!({"name": "pdf", "description": "Read PDF files.", "license": "MIT",
                "metadata": {"version": "1"}})
        );
        assert_eq!(
            strings(&pdf["resources"], "uri"),
            [
                "skill://pdf/SKILL.md",
                "skill://pdf/a%20b.md",
                "skill://pdf/forms/SKILL.md",
                "skill://pdf/forms/f.txt",
                "skill://pdf/scripts/data/logo.png",
                "skill://pdf/scripts/read.py",
            ]
        );
        assert_eq!(
            pdf["resources"][5],
            json!({"uri": "skill://pdf/scripts/read.py", "size": 7,
                "digest": Digest::of(b"print()").to_string()})
        );
        let members = pdf.as_object().unwrap().len();
        assert_eq!(members, 3, "hosts refuse other members: {pdf}");
        assert_eq!(list.get("ttlMs").is_some(), revision == STATELESS);
        for (entry, uri) in [
            (1, "skill://pdf/SKILL.md"),
            (2, "SKILL://%70df/forms/SKILL.md"),
        ] {
            let got = wire.get(uri).await;
            assert_eq!(got["skill"], list["skills"][entry], "{got}");
        }
    }
}

#[tokio::test]
async fn every_result_says_how_long_it_may_be_cached() {
    let skills = skills().cache(Duration::from_secs(5), CacheScope::Public);
    for (skills, ttl, scope) in [(self::skills(), 0, "private"), (skills, 5000, "public")] {
        let mut wire = Wire::to(&server(skills), STATELESS).await;
        for answer in [
            wire.list().await,
            wire.get("skill://pdf/SKILL.md").await,
            wire.directory("skill://pdf").await,
            wire.read("skill://pdf/SKILL.md").await,
        ] {
            assert_eq!(answer["ttlMs"], ttl, "{answer}");
            assert_eq!(answer["cacheScope"], scope, "{answer}");
            assert_eq!(answer["resultType"], "complete");
        }
    }
}

#[tokio::test]
async fn the_extension_and_resources_are_declared_from_2025_11_25_on() {
    let server = server(skills());
    let mut wire = Wire::to(&server, STATELESS).await;
    let capabilities = wire.ask("server/discover", json!({})).await["capabilities"].clone();
    let declared = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    assert_eq!(capabilities["extensions"], declared);
    assert!(capabilities["resources"].is_object(), "{capabilities}");

    // In older revisions, the files are resources.
    let mut wire = Wire::to(&server, "2025-06-18").await;
    assert_eq!(wire.list().await["code"], -32601);
    let read = wire.read("skill://acme/billing/refunds/SKILL.md").await;
    assert!(
        read["contents"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("---\n"),
        "{read}"
    );
}

#[tokio::test]
async fn each_skill_md_is_a_resource_with_the_name_and_description_of_its_skill() {
    for revision in BOTH {
        let mut wire = Wire::to(&server(skills()), revision).await;
        let resources = wire.ask("resources/list", json!({})).await["resources"].clone();
        let uris = strings(&resources, "uri");
        assert_eq!(uris, wire.uris().await);
        let pdf = &resources[1];
        assert_eq!(pdf["name"], "pdf");
        assert_eq!(pdf["description"], "Read PDF files.");
        assert_eq!(pdf["mimeType"], "text/markdown");
        let read = wire.read("skill://pdf/SKILL.md").await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert_eq!(pdf["size"], text.len());
        assert!(text.ends_with("---\nRun `scripts/read.py`."), "{text}");
    }
}

#[tokio::test]
async fn bytes_are_text_if_they_are_utf8_without_nul() {
    let skill = Skill::new("kinds", "Has files of all kinds.")
        .file("bom.txt", "\u{feff}a\r\nb")
        .file("data.bin", "only text")
        .file("latin.md", [b'a', 0xe9])
        .file("nul.txt", "a\0b");
    let mut wire = Wire::to(&server(Skills::new([skill]).unwrap()), STATELESS).await;
    for (name, member, value, mime_type) in [
        ("bom.txt", "text", "\u{feff}a\r\nb", "text/plain"),
        ("data.bin", "text", "only text", "text/plain"),
        ("latin.md", "blob", "Yek=", "text/markdown"),
        ("nul.txt", "blob", "YQBi", "text/plain"),
    ] {
        let uri = format!("skill://kinds/{name}");
        let contents = wire.read(&uri).await["contents"].clone();
        let expected = json!([{"uri": uri, "mimeType": mime_type, member: value}]);
        assert_eq!(contents, expected, "{name}");
    }
}

#[tokio::test]
async fn a_directory_has_its_direct_children() {
    for revision in BOTH {
        let mut wire = Wire::to(&server(skills()), revision).await;
        let mut children = async |uri: &str| -> Vec<String> {
            let answer = wire.directory(uri).await;
            let resources = answer["resources"].as_array();
            let resources = resources.unwrap_or_else(|| panic!("{uri}: {answer}"));
            let of = |it: &Value| format!("{} {}", it["uri"].as_str().unwrap(), it["mimeType"]);
            resources.iter().map(of).collect()
        };
        let directory = "\"inode/directory\"";
        assert_eq!(
            children("skill://pdf").await,
            [
                "skill://pdf/SKILL.md \"text/markdown\"".to_owned(),
                "skill://pdf/a%20b.md \"text/markdown\"".to_owned(),
                format!("skill://pdf/forms {directory}"),
                format!("skill://pdf/scripts {directory}"),
            ]
        );
        assert_eq!(children("skill://pdf/forms").await.len(), 2);
        assert_eq!(
            children("skill://pdf/scripts").await,
            [
                format!("skill://pdf/scripts/data {directory}"),
                "skill://pdf/scripts/read.py \"text/x-python\"".to_owned(),
            ]
        );
        // The path to a skill is also a directory.
        let billing = format!("skill://acme/billing {directory}");
        assert_eq!(children("skill://acme").await, [billing]);
        let refunds = format!("skill://acme/billing/refunds {directory}");
        assert_eq!(children("skill://acme/billing").await, [refunds]);
    }
}

/// Asks for all pages, and returns the items of each.
async fn pages(wire: &mut Wire, method: &str, mut params: Value, member: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        let page = wire.ask(method, params.clone()).await;
        pages.push(strings(&page[member], "uri"));
        match page.get("nextCursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn lists_and_directories_have_pages() {
    let mut builder = Server::builder();
    builder.page_size(2.try_into().unwrap());
    let server = builder.extension(skills()).build();
    for revision in BOTH {
        let mut wire = Wire::to(&server, revision).await;
        let skills = pages(&mut wire, "skills/list", json!({}), "skills").await;
        assert_eq!(skills.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        let uri = json!({"uri": "skill://pdf"});
        let method = "resources/directory/read";
        let children = pages(&mut wire, method, uri, "resources").await;
        assert_eq!(children.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
        for (method, cursor) in [
            ("skills/list", "x"),
            ("skills/list", r#"["resources/directory/read","pdf"]"#),
            (method, r#"["skills/list","pdf"]"#),
        ] {
            let params = json!({"uri": "skill://pdf", "cursor": cursor});
            assert_eq!(wire.ask(method, params).await["code"], -32602, "{cursor}");
        }
    }
}

#[tokio::test]
async fn a_page_is_about_a_mebibyte_and_never_splits_an_entry() {
    let skill = |number: usize| {
        let skill = Skill::new(format!("skill-{number}"), "Has many files.");
        let name = |file: usize| format!("{}/{file}.md", "long".repeat(50));
        (1..512).fold(skill, |skill, file| skill.file(name(file), ""))
    };
    let skills = Skills::new((0..10).map(skill)).unwrap();
    let mut wire = Wire::to(&server(skills), STATELESS).await;
    let pages = pages(&mut wire, "skills/list", json!({}), "skills").await;
    assert_eq!(pages.concat().len(), 10);
    assert!((2..10).contains(&pages.len()), "{}", pages.len());
    let last = wire.get("skill://skill-9/SKILL.md").await;
    assert_eq!(last["skill"]["resources"].as_array().unwrap().len(), 512);
}

#[tokio::test]
async fn a_prefix_precedes_all_paths() {
    for prefix in ["acme", "/acme/"] {
        let mut wire = Wire::to(&server(skills().prefix(prefix)), HANDSHAKE).await;
        let uris = wire.uris().await;
        assert_eq!(uris[1], "skill://acme/pdf/SKILL.md");
        for uri in uris {
            assert!(wire.get(&uri).await["skill"].is_object(), "{uri}");
            assert!(wire.read(&uri).await["contents"].is_array(), "{uri}");
        }
        assert_eq!(wire.read("skill://pdf/SKILL.md").await["code"], -32002);
        let children = wire.directory("skill://acme").await;
        assert_eq!(
            strings(&children["resources"], "name"),
            ["acme", "pdf"],
            "{children}"
        );
    }
}

#[tokio::test]
async fn skills_of_a_mounted_server_have_the_prefix_of_the_mount() {
    let mut outer = ServerBuilder::default();
    outer.mount("docs", server(skills()));
    let server = outer.build();
    for revision in BOTH {
        let mut wire = Wire::to(&server, revision).await;
        let list = wire.list().await;
        let uris = strings(&list["skills"], "uri");
        assert_eq!(uris[1], "docs+skill://pdf/SKILL.md");
        let files = strings(&list["skills"][1]["resources"], "uri");
        let resources = wire.ask("resources/list", json!({})).await;
        assert_eq!(strings(&resources["resources"], "uri"), uris);
        for uri in &files {
            let read = wire.read(uri).await;
            assert_eq!(read["contents"][0]["uri"], *uri, "{read}");
        }
        let got = wire.get(&uris[1]).await;
        assert_eq!(got["skill"], list["skills"][1]);
        let children = wire.directory("docs+skill://pdf").await;
        let first = &children["resources"][0]["uri"];
        assert_eq!(first, "docs+skill://pdf/SKILL.md");
        assert_eq!(wire.get("skill://pdf/SKILL.md").await["code"], -32602);
    }
}

#[test]
#[should_panic(expected = "`a/../b` can't be the prefix of skills")]
fn a_prefix_without_names_is_refused() {
    let _ = skills().prefix("a/../b");
}
