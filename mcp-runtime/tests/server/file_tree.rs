//! Directories whose files are resources.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::resources::FileTree;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Wire, ask_in_both_eras as ask, stateless};

/// A temporary directory. The server offers `tree`, but not the file `secret.txt` next to it.
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
    let absolute = absolute.replace('\\', "/");
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
                {"name": "fits.txt", "uri": "docs:///fits.txt", "mimeType": "text/plain", "size": 100},
                {"name": "sub/broken.txt", "uri": "docs:///sub/broken.txt", "mimeType": "text/plain", "size": 2},
                {"name": "sub/data.bin", "uri": "docs:///sub/data.bin", "size": 3},
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

/// Returns the listed URIs, and the cursor of the next page.
async fn page(server: &Server, cursor: Option<&Value>) -> (Vec<String>, Option<Value>) {
    let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
    let message = stateless(1, "resources/list", params);
    let mut answer = Wire::to(server).await.ask(message).await["result"].take();
    let listed = answer["resources"].as_array().unwrap().iter();
    let uris = listed
        .map(|file| file["uri"].as_str().unwrap().to_owned())
        .collect();
    (
        uris,
        Some(answer["nextCursor"].take()).filter(Value::is_string),
    )
}

#[cfg(unix)]
#[tokio::test]
async fn whatever_is_listed_can_be_read() {
    let place = Place::new();
    for name in [
        "a\\b", "c:d", "100%25", "[id].tsx", "a!(b)", "é?#", "sub.txt",
    ] {
        fs::write(place.tree().join(name), "text").unwrap();
    }
    let server = server(&place.tree(), |tree| tree.listed(100));
    let (listed, _) = page(&server, None).await;
    assert_eq!(
        listed,
        [
            "file:///%5Bid%5D.tsx",
            "file:///%C3%A9%3F%23",
            "file:///100%2525",
            "file:///a!(b)",
            "file:///a%20b.md",
            "file:///fits.txt",
            "file:///sub.txt",
            "file:///sub/broken.txt",
            "file:///sub/data.bin",
            "file:///sub/plain",
        ]
    );
    for uri in listed {
        for answer in read(&server, &uri).await {
            assert_eq!(answer["result"]["contents"][0]["uri"], uri, "{answer}");
        }
    }
}

#[tokio::test]
async fn the_walk_of_the_first_page_serves_those_that_follow() {
    let place = tempfile::tempdir().unwrap();
    let names = ["a.txt", "b/1.txt", "b/2.txt", "b.txt", "c.txt"];
    let make = || {
        for name in names {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
    };
    for filtered in [false, true] {
        make();
        let mut server = Server::builder();
        let tree = FileTree::new(place.path()).unwrap();
        server
            .resource(tree.listed(5))
            .page_size(NonZeroUsize::new(2).unwrap());
        if filtered {
            server.filter_resources(|_, _| true);
        }
        let mut inner = Server::builder();
        inner.mount("in", server.build());
        inner.page_size(NonZeroUsize::new(2).unwrap());
        let server = inner.build();
        let uri = |name: &str| format!("in+file:///{name}");

        let (first, next) = page(&server, None).await;
        assert_eq!(first, [uri("a.txt"), uri("b.txt")]);
        fs::remove_file(place.path().join("c.txt")).unwrap();
        let (second, last) = page(&server, next.as_ref()).await;
        assert_eq!(second, [uri("b/1.txt"), uri("b/2.txt")]);
        let (third, end) = page(&server, last.as_ref()).await;
        assert_eq!(third, [uri("c.txt")]);
        assert_eq!(end, None);

        let (_, next) = page(&server, None).await;
        make();
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(31)).await;
        tokio::time::resume();
        let (second, last) = page(&server, next.as_ref()).await;
        assert_eq!(second, [uri("b/1.txt"), uri("b/2.txt")]);
        assert_eq!(page(&server, last.as_ref()).await.0, [uri("c.txt")]);
        let (first, _) = page(&server, None).await;
        assert_eq!(first, [uri("a.txt"), uri("b.txt")]);
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
