//! Directories whose files are resources.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_runtime::Server;
use mcp_runtime::resources::FileTree;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Wire, request, stateless};

/// A directory that is gone afterwards: `tree` is offered, `secret.txt` beside it is not.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let tree = place.join("tree");
        fs::create_dir_all(tree.join("sub/.cache")).unwrap();
        fs::write(place.join("secret.txt"), "secret").unwrap();
        fs::write(tree.join("a b.md"), "# A").unwrap();
        fs::write(tree.join("sub/data.bin"), [0, 255, 1]).unwrap();
        fs::write(tree.join("sub/plain"), "text").unwrap();
        fs::write(tree.join("sub/broken.txt"), [b'a', 255]).unwrap();
        fs::write(tree.join("sub/.cache/x"), "hidden").unwrap();
        fs::write(tree.join(".env"), "secret").unwrap();
        fs::write(tree.join("big.txt"), "x".repeat(101)).unwrap();
        fs::write(tree.join("fits.txt"), "x".repeat(100)).unwrap();
        Self(directory)
    }

    fn tree(&self) -> PathBuf {
        self.0.path().join("tree")
    }
}

fn server(root: &Path, configure: impl FnOnce(FileTree) -> FileTree) -> Server {
    let mut server = Server::builder();
    server.resource(configure(FileTree::new(root).unwrap().max_size(100)));
    server.build()
}

/// The answers in both eras, which are the same but for what each era adds.
async fn ask(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let mut wire = Wire::to(server).await;
    wire.handshake("2025-11-25").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

async fn read(server: &Server, uri: &str) -> [Value; 2] {
    ask(server, "resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn files_are_read_as_what_they_are() {
    let place = Place::new();
    let server = server(&place.tree(), |tree| tree);
    for (path, expected) in [
        (
            "a%20b.md",
            json!({"mimeType": "text/markdown", "text": "# A"}),
        ),
        (
            "sub/plain",
            json!({"mimeType": "text/plain", "text": "text"}),
        ),
        (
            "sub/data.bin",
            json!({"mimeType": "application/octet-stream", "blob": "AP8B"}),
        ),
        (
            "sub/broken.txt",
            json!({"mimeType": "text/plain", "blob": "Yf8="}),
        ),
    ] {
        let uri = format!("file:///{path}");
        let mut expected = expected;
        expected["uri"] = json!(uri);
        for answer in read(&server, &uri).await {
            assert_eq!(answer["result"]["contents"], json!([expected]), "{answer}");
        }
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_tree() {
    let place = Place::new();
    let server = server(&place.tree(), |tree| tree);
    let absolute = place.0.path().join("secret.txt").display().to_string();
    let escaped = absolute.replace('/', "%2F");
    for path in [
        "../secret.txt",
        "sub/../../secret.txt",
        "sub/../a%20b.md",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "%2e%2e%2fsecret.txt",
        "%252e%252e/secret.txt",
        "..%5Csecret.txt",
        "sub%5Cplain",
        "./sub/plain",
        "sub//plain",
        "/sub/plain",
        "sub/plain/",
        "sub",
        "sub/plain%00.txt",
        "nowhere",
        ".env",
        "sub/.cache/x",
        "C:/secret.txt",
        &absolute,
        &escaped,
    ] {
        let uri = format!("file:///{path}");
        let [handshake, stateless] = read(&server, &uri).await;
        assert_eq!(handshake["error"]["code"], -32002, "{path}: {handshake}");
        assert_eq!(stateless["error"]["code"], -32602, "{path}: {stateless}");
        for answer in [handshake, stateless] {
            assert_eq!(answer["error"]["data"], json!({"uri": uri}), "{path}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_within_the_tree_only() {
    use std::os::unix::fs::symlink;

    let place = Place::new();
    let tree = place.tree();
    symlink(place.0.path().join("secret.txt"), tree.join("out.txt")).unwrap();
    symlink(place.0.path(), tree.join("up")).unwrap();
    symlink("../..", tree.join("sub/climb")).unwrap();
    symlink(tree.join(".env"), tree.join("shown")).unwrap();
    symlink("sub/plain", tree.join("in")).unwrap();
    let server = server(&tree, |tree| tree.listed(100));
    for path in ["out.txt", "up/secret.txt", "sub/climb/secret.txt", "shown"] {
        let [answer, _] = read(&server, &format!("file:///{path}")).await;
        assert_eq!(answer["error"]["code"], -32002, "{path}: {answer}");
    }
    let [answer, _] = read(&server, "file:///in").await;
    assert_eq!(answer["result"]["contents"][0]["text"], "text");
    let [answer, _] = ask(&server, "resources/list", json!({})).await;
    assert!(!answer.to_string().contains("secret"), "{answer}");
}

#[tokio::test]
async fn a_file_over_the_limit_is_refused() {
    let place = Place::new();
    let server = server(&place.tree(), |tree| tree);
    for answer in read(&server, "file:///big.txt").await {
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("limit of 100 bytes"), "{answer}");
    }
    for answer in read(&server, "file:///fits.txt").await {
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn files_are_listed_only_where_that_was_asked_for() {
    let place = Place::new();
    let quiet = server(&place.tree(), |tree| tree);
    for answer in ask(&quiet, "resources/list", json!({})).await {
        assert_eq!(answer["result"]["resources"], json!([]));
    }
    let listed = server(&place.tree(), |tree| {
        tree.uri("docs:///").listed(4).name("docs")
    });
    for answer in ask(&listed, "resources/list", json!({})).await {
        assert_eq!(
            answer["result"]["resources"],
            json!([
                {"name": "a b.md", "uri": "docs:///a%20b.md", "mimeType": "text/markdown", "size": 3},
                {"name": "big.txt", "uri": "docs:///big.txt", "mimeType": "text/plain", "size": 101},
                {"name": "fits.txt", "uri": "docs:///fits.txt", "mimeType": "text/plain", "size": 100},
                {"name": "sub/broken.txt", "uri": "docs:///sub/broken.txt", "mimeType": "text/plain", "size": 2},
            ])
        );
    }
    for answer in ask(&listed, "resources/templates/list", json!({})).await {
        let template = json!({"name": "docs", "uriTemplate": "docs:///{+path}"});
        assert_eq!(answer["result"]["resourceTemplates"], json!([template]));
    }
    for answer in read(&listed, "docs:///a%20b.md").await {
        assert_eq!(answer["result"]["contents"][0]["text"], "# A");
    }
}

#[tokio::test]
async fn hidden_files_are_offered_on_demand() {
    let place = Place::new();
    let server = server(&place.tree(), FileTree::hidden);
    for path in [".env", "sub/.cache/x"] {
        for answer in read(&server, &format!("file:///{path}")).await {
            assert!(answer["result"].is_object(), "{answer}");
        }
    }
}

#[test]
fn a_root_has_to_be_a_directory() {
    let place = Place::new();
    assert!(FileTree::new(place.tree()).is_ok());
    assert!(FileTree::new(place.tree().join("big.txt")).is_err());
    assert!(FileTree::new(place.tree().join("nowhere")).is_err());
}
