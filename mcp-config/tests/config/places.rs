//! Which files count.

use std::fs;

use mcp_config::Servers;

use super::support::User;

const A: &str = r#"{"mcpServers": {"a": {"command": "a"}}}"#;
const B: &str = r#"{"mcpServers": {"b": {"command": "b"}}}"#;

fn names(servers: &Servers) -> Vec<&str> {
    servers.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn files_above_count_up_to_the_root_of_the_repository() {
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
fn without_a_repository_files_above_count_up_to_the_home_folder() {
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
fn the_innermost_entry_of_a_name_counts() {
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
fn a_folder_in_place_of_a_file_does_not_count() {
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
