//! Tests which files are read.

use std::fs;

use mcp_config::Servers;

use super::support::User;

const A: &str = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
const B: &str = r#"{"mcpServers": {"b": {"command": "b"}}}"#;

fn names(servers: &Servers) -> Vec<&str> {
    servers.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn files_above_are_read_up_to_the_root_of_the_repository() {
    let user = User::new();
    user.write(".git/HEAD", "");
    user.write(".mcp.json", A);
    user.write("../.mcp.json", B);
    let inner = user.project.join("src/bin");
    fs::create_dir_all(&inner).unwrap();
    let servers = Servers::find_in(inner, &user.home);
    assert_eq!(names(&servers), ["a"]);
}

#[test]
fn without_a_repository_files_above_are_read_up_to_the_home_folder() {
    let user = User::new();
    user.write(".mcp.json", A);
    user.write("../.mcp.json", B);
    user.write(
        "../../.mcp.json",
        r#"{"mcpServers": {"of-the-home": {"command": "h"}}}"#,
    );
    assert_eq!(names(&user.servers()), ["a", "b"]);
    let servers = Servers::find_in(&user.project, "/some/other/home");
    assert_eq!(names(&servers), ["a"]);
}

#[test]
fn the_innermost_entry_of_a_name_is_used() {
    let user = User::new();
    user.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "inner"}}}"#,
    );
    user.write("../.cursor/mcp.json", A);
    let servers = user.servers();
    assert_eq!(names(&servers), ["a"]);
    assert_eq!(
        servers.get("a").unwrap().file,
        user.project.join(".cursor/mcp.json")
    );
}

#[test]
fn files_of_a_project_are_marked() {
    let user = User::of_all_clients();
    user.write("../.cursor/mcp.json", B);
    let servers = user.servers();
    for entry in servers.iter() {
        let is_of_project = entry.file.starts_with(user.home.join("work"));
        assert_eq!(entry.is_of_project, is_of_project, "{entry:?}");
        assert_eq!(entry.file_text(), fs::read_to_string(&entry.file).unwrap());
    }
    let marked = servers.iter().filter(|it| it.is_of_project).count();
    assert!((1..servers.iter().count()).contains(&marked), "{marked}");
    let read = Servers::read(user.project.join(".mcp.json")).unwrap();
    assert!(read.iter().all(|it| !it.is_of_project));
}

#[test]
fn in_the_home_folder_a_file_of_the_user_is_not_one_of_a_project() {
    let user = User::new();
    user.write("../../.cursor/mcp.json", A);
    user.write("../../.mcp.json", B);
    user.write("../../.codex/config.toml", "[");
    let servers = Servers::find_in(&user.home, &user.home);
    let marked = servers.iter().map(|it| (&*it.name, it.is_of_project));
    assert_eq!(marked.collect::<Vec<_>>(), [("b", true), ("a", false)]);
    assert_eq!(servers.faults().len(), 1, "it is read once");
}

#[test]
fn a_folder_in_place_of_a_file_is_ignored() {
    let user = User::new();
    fs::create_dir_all(user.project.join(".mcp.json")).unwrap();
    let servers = user.servers();
    assert_eq!((names(&servers), servers.faults()), (vec![], &[][..]));
}

#[test]
fn a_folder_that_does_not_exist_has_the_files_of_the_user() {
    let user = User::of_all_clients();
    let servers = Servers::find_in(user.home.join("missing"), &user.home);
    assert!(servers.get("notes").is_ok());
}

#[test]
fn all_places_are_named_whether_they_exist_or_not() {
    let user = User::new();
    user.write(".git/HEAD", "");
    user.write("a/.mcp.json", A);
    let servers = Servers::find_in(user.project.join("a"), &user.home);
    let places = servers.places().iter();
    let files: Vec<_> = places.map(|it| (&*it.file, it.is_of_project)).collect();
    let home = |file| user.home.join(file);
    for (file, is_of_project) in [
        (user.project.join("a/.mcp.json"), true),
        (user.project.join(".mcp.json"), true),
        (user.project.join(".cursor/mcp.json"), true),
        (home(".cursor/mcp.json"), false),
        (home(".claude.json"), false),
        (home(".codex/config.toml"), false),
    ] {
        assert!(files.contains(&(&*file, is_of_project)), "{files:?}");
    }
    let file = Servers::read(user.project.join("a/.mcp.json")).unwrap();
    assert!(file.places().is_empty());
}
