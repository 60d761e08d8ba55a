//! URIs of things that do not exist, in every disguise.

use std::fs;

use mcp_extensions::skills::Skills;
use mcp_runtime::Server;
use mcp_runtime::serde_json::json;

use crate::wire::{BOTH, STATELESS, Wire};

/// Serves a directory with one skill. The files next to the directory must not be readable.
fn server() -> (tempfile::TempDir, Server) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("skills");
    let skill = root.join("pdf");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::create_dir_all(skill.join(".git")).unwrap();
    let front_matter = "---\nname: pdf\ndescription: Read PDF files.\n---\n";
    for (path, contents) in [
        ("skills/pdf/SKILL.md", front_matter),
        ("skills/pdf/scripts/read.py", "print()"),
        ("skills/pdf/.env", "secret"),
        ("skills/pdf/.git/config", "secret"),
        ("skills/README.md", "secret"),
        ("secret.txt", "secret"),
    ] {
        fs::write(home.path().join(path), contents).unwrap();
    }
    let skills = Skills::directory(&root).unwrap();
    (home, Server::builder().extension(skills).build())
}

const STRANGE: &[&str] = &[
    "",
    "pdf/SKILL.md",
    "/etc/passwd",
    "file:///etc/passwd",
    "https://pdf/SKILL.md",
    "skill:pdf/SKILL.md",
    "skill:/pdf/SKILL.md",
    "skill:///pdf/SKILL.md",
    "skill://",
    "skill:///",
    "skill://../secret.txt",
    "skill://pdf/../../secret.txt",
    "skill://pdf/../pdf/SKILL.md",
    "skill://pdf/./SKILL.md",
    "skill://pdf/%2e%2e/%2e%2e/secret.txt",
    "skill://pdf/.%2E/pdf/SKILL.md",
    "skill://pdf/%2e/SKILL.md",
    "skill://pdf/scripts/..%2fSKILL.md",
    "skill://pdf%2fSKILL.md",
    "skill://pdf%2FSKILL.md",
    "skill://pdf/scripts%2fread.py",
    "skill://pdf/scripts%5cread.py",
    "skill://pdf/..%5c..%5csecret.txt",
    "skill://pdf/scripts\\read.py",
    "skill://pdf/SKILL.md%00",
    "skill://pdf/SKILL.md%00.txt",
    "skill://pdf//SKILL.md",
    "skill://pdf/scripts//read.py",
    "skill://pdf/scripts/read.py/",
    "skill://pdf/SKILL.md/",
    "skill://pdf/skill.md",
    "skill://PDF/SKILL.md",
    "skill://pdf/SKILL.md?x",
    "skill://pdf/SKILL.md#x",
    "skill://x@pdf/SKILL.md",
    "skill://pdf:80/SKILL.md",
    "skill://pdf/%zz",
    "skill://pdf/%ff",
    "skill://pdf/.env",
    "skill://pdf/%2eenv",
    "skill://pdf/.git/config",
    "skill://pdf/.git",
    "skill://README.md",
    "skill://pdf/missing.md",
    "skill://other/SKILL.md",
];

#[tokio::test]
async fn only_listed_files_can_be_read() {
    let (_home, server) = server();
    for revision in BOTH {
        let mut wire = Wire::to(&server, revision).await;
        // The base protocol had another code for unknown resources before 2026-07-28.
        let code = if revision == STATELESS {
            -32602
        } else {
            -32002
        };
        for uri in STRANGE {
            let read = wire.read(uri).await;
            let is_refused = read["code"] == code || read["code"] == -32602;
            assert!(is_refused, "{uri}: {read}");
            assert!(!read.to_string().contains("secret\""), "{uri}: {read}");
            for answer in [wire.get(uri).await, wire.directory(uri).await] {
                assert_eq!(answer["code"], -32602, "{uri}: {answer}");
            }
        }
        let contents = wire.read("skill://pdf/scripts/read.py").await;
        assert_eq!(contents["contents"][0]["text"], "print()");
    }
}

#[tokio::test]
async fn a_file_is_not_a_directory_and_only_a_skill_md_is_a_skill() {
    let (_home, server) = server();
    for revision in BOTH {
        let mut wire = Wire::to(&server, revision).await;
        for uri in ["skill://pdf/SKILL.md", "skill://pdf/scripts/read.py"] {
            let answer = wire.directory(uri).await;
            assert_eq!(answer["code"], -32602, "{answer}");
            assert!(
                answer["message"].as_str().unwrap().contains(uri),
                "{answer}"
            );
        }
        for uri in [
            "skill://pdf",
            "skill://pdf/scripts",
            "skill://pdf/scripts/read.py",
        ] {
            let answer = wire.get(uri).await;
            assert_eq!(answer["code"], -32602, "{answer}");
            assert!(
                answer["message"].as_str().unwrap().contains(uri),
                "{answer}"
            );
        }
        for params in [json!({}), json!({"uri": 1}), json!({"uri": null})] {
            for method in ["skills/get", "resources/directory/read"] {
                assert_eq!(wire.ask(method, params.clone()).await["code"], -32602);
            }
        }
    }
}
