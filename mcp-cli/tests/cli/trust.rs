//! Tests that the files of a project are used only after the user trusts them.

use std::net::TcpListener;
use std::{fs, io};

use serde_json::{Value, json};

use crate::support::{Run, User, demo};

/// A user in a stranger's folder. A file there names a program that leaves a trace, and URLs.
struct Visitor {
    user: User,
    listener: TcpListener,
}

impl Visitor {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let visitor = Self {
            user: User::new(),
            listener,
        };
        visitor.write("stranger/.mcp.json");
        visitor
    }

    fn write(&self, file: &str) {
        let address = self.listener.local_addr().unwrap();
        let servers = json!({"mcpServers": {
            "program": {"command": "touch", "args": [self.user.path("trace")]},
            "remote": {"type": "http", "url": format!("http://{address}/?token=${{TOKEN}}")},
            "socket": {"type": "ws", "url": format!("ws://{address}/?token=${{TOKEN}}")},
            "demo": {"command": demo()},
        }});
        self.user.write(file, &servers.to_string());
    }

    fn run_in(&self, folder: &str, arguments: &[&str]) -> Run {
        let mut command = self.user.command(arguments);
        let command = command
            .current_dir(self.user.path(folder))
            .env("TOKEN", "t");
        command.output().unwrap().into()
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_in("stranger", arguments)
    }

    /// Checks that no program was started, and that no command has connected.
    #[track_caller]
    fn assert_untouched(&self) {
        assert!(!self.user.path("trace").exists());
        let accepted = self.listener.accept().map_err(|it| it.kind());
        assert_eq!(accepted.err(), Some(io::ErrorKind::WouldBlock));
    }
}

#[test]
fn no_command_uses_a_file_of_a_project_without_trust() {
    let visitor = Visitor::new();
    fs::create_dir_all(visitor.user.path("stranger/a/b")).unwrap();
    for server in ["program", "remote", "socket", "project:program"] {
        for arguments in [
            &["inspect", server][..],
            &["doctor", server],
            &["call", server, "x"],
            &["read", server, "x:y"],
            &["prompt", server, "x"],
            &["listen", server],
            &["login", server],
            &["logout", server],
            &["bindgen", server, "-o", "x.rs"],
            &["inspect", server, "--json"],
        ] {
            for folder in ["stranger", "stranger/a/b"] {
                let run = visitor.run_in(folder, arguments);
                run.fails(
                    2,
                    &["stranger/.mcp.json", "is not trusted", "--trust-project"],
                );
            }
        }
    }
    visitor.assert_untouched();
}

#[test]
fn a_check_leaves_out_what_is_not_trusted() {
    let visitor = Visitor::new();
    let own = json!({"mcpServers": {"own": {"command": demo()}}});
    visitor.user.write(".cursor/mcp.json", &own.to_string());
    let shown = visitor.run(&["servers", "--check"]).text();
    let skipped = shown.lines().filter(|it| it.contains("not checked "));
    for line in skipped.clone() {
        assert!(
            line.contains("stranger/.mcp.json") && line.contains("--trust-project"),
            "{line}"
        );
    }
    assert_eq!(skipped.count(), 4, "{shown}");
    assert!(shown.contains("tools: 7"), "{shown}");
    let listed = visitor.run(&["servers", "--check", "--json"]).json();
    let skipped = |it: &&Value| it["check"]["skipped"].is_string();
    let servers = listed["servers"].as_array().unwrap();
    assert_eq!(servers.iter().filter(skipped).count(), 4, "{listed}");
    visitor.assert_untouched();
    let run = visitor.run(&["servers", "--check", "--json", "--trust-project"]);
    run.fails(4, &["3 of 5 servers failed the check"]);
    let checked: Value = serde_json::from_str(&run.stdout).unwrap();
    let servers = checked["servers"].as_array().unwrap();
    assert_eq!(servers.iter().filter(skipped).count(), 0, "{checked}");
    assert!(visitor.user.path("trace").exists());
}

#[test]
fn trust_is_kept_for_a_path_and_its_contents() {
    let visitor = Visitor::new();
    let call = ["call", "demo", "echo", "text=x"];
    let trusting = [&call[..], &["--trust-project"]].concat();
    let untrusted = |run: Run| run.fails(2, &["is not trusted"]);
    untrusted(visitor.run(&call));
    assert_eq!(visitor.run(&trusting).text(), "x\n");
    assert_eq!(visitor.run(&call).text(), "x\n");
    // A file at another path is not trusted, but a link to the trusted path is.
    visitor.write("other/.mcp.json");
    untrusted(visitor.run_in("other", &call));
    #[cfg(unix)]
    {
        fs::create_dir(visitor.user.path("linked")).unwrap();
        let file = "stranger/.mcp.json";
        let link = "linked/.mcp.json";
        std::os::unix::fs::symlink(visitor.user.path(file), visitor.user.path(link)).unwrap();
        assert_eq!(visitor.run_in("linked", &call).text(), "x\n");
    }
    // Changed contents are not trusted.
    let file = visitor.user.path("stranger/.mcp.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text} ")).unwrap();
    untrusted(visitor.run(&call));
    fs::write(&file, text).unwrap();
    assert_eq!(visitor.run(&call).text(), "x\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = visitor.user.path(".local/share/mcp/trusted");
        for file in fs::read_dir(folder).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0);
        }
    }
}

#[test]
fn a_file_that_the_user_names_needs_no_trust() {
    let visitor = Visitor::new();
    let call = ["call", "demo", "echo", "text=x", "--config", ".mcp.json"];
    assert_eq!(visitor.run(&call).text(), "x\n");
    let listed = visitor.run(&["servers", "--check", "--json", "--config", ".mcp.json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert!(!listed.to_string().contains("skipped"), "{listed}");
    visitor
        .run(&["call", "demo", "echo", "text=x"])
        .fails(2, &["is not trusted"]);
    // The answer can't be stored, because the folder is a file.
    visitor.user.write("file", "");
    let mut command = visitor
        .user
        .command(&["call", "demo", "echo", "text=x", "--trust-project"]);
    let command = command.current_dir(visitor.user.path("stranger"));
    let run: Run = command
        .env("XDG_DATA_HOME", visitor.user.path("file"))
        .output()
        .unwrap()
        .into();
    assert!(run.stderr.contains("can't be kept"), "{run:?}");
    assert_eq!(run.text(), "x\n");
}
