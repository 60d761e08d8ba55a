//! Starts the command and servers as processes.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

/// The path of the example `demo`.
pub(crate) fn demo() -> String {
    example("demo")
}

/// The path of an example, which `cargo test` builds.
pub(crate) fn example(name: &str) -> String {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples");
    path.push(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "`cargo test -p mcp-runtime-cli` builds {}",
        path.display()
    );
    path.display().to_string()
}

/// An example that serves HTTP until it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::of("demo")
    }

    pub(crate) fn of(name: &str) -> Self {
        let mut command = Command::new(example(name));
        let command = command.arg("127.0.0.1:0").stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folders of a user, in which commands run.
pub(crate) struct User(TempDir);

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl User {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_mcp"), arguments)
    }

    /// Prepares another program to run in the user's folders.
    pub(crate) fn command_of(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env("HOME", self.0.path());
        for variable in [
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "CODEX_HOME",
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
        ] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().unwrap().into()
    }

    pub(crate) fn at_demo(&self, arguments: &[&str]) -> Run {
        self.run(&[arguments, &["--", &demo()]].concat())
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut child = self.start(arguments);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        child.wait_with_output().unwrap().into()
    }
}

/// The log of a command, after the first line that contains `text`.
#[track_caller]
pub(crate) fn log_after(child: &mut Child, text: &str) -> Lines<BufReader<ChildStderr>> {
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains(text)), "{text}");
    log
}

#[cfg(unix)]
pub(crate) fn kill(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(sent.unwrap().success());
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Run {
    /// The standard output of a command that has succeeded.
    #[track_caller]
    pub(crate) fn text(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// The standard output of a command that has succeeded, parsed as one JSON document.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Checks the exit code, and that the message contains all parts.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` in {}", self.stderr);
        }
    }
}

/// Runs the command in the folders of a new user.
pub(crate) fn mcp(arguments: &[&str]) -> Run {
    User::new().run(arguments)
}

/// Runs the command on the example `demo` over stdio.
pub(crate) fn at_demo(arguments: &[&str]) -> Run {
    User::new().at_demo(arguments)
}

/// The command line of a server of the handshake era. `answers` has a member of the answer for each
/// method, as JSON.
#[cfg(unix)]
pub(crate) fn scripted(answers: &[(&str, &str)]) -> [String; 3] {
    let initialized = r#""result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
        "serverInfo": {"name": "scripted", "version": "1"}}"#;
    let initialized = initialized.replace('\n', "");
    let other = r#""error": {"code": -32601, "message": "Method not found"}"#;
    let answers = answers.iter().copied();
    let answers = answers.chain([("initialize", &*initialized)]);
    let case = |(method, answer)| format!("*'\"{method}\"'*) answer='{answer}' ;;\n");
    let cases: String = answers.map(case).collect();
    let script = format!(
        r#"while read -r line; do
            case "$line" in
                {cases}
                *'"id"'*) answer='{other}' ;;
                *) continue ;;
            esac
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            printf '{{"jsonrpc": "2.0", "id": %s, %s}}\n' "$id" "$answer"
        done"#
    );
    ["sh".to_owned(), "-c".to_owned(), script]
}

/// Starts a web server that gives the same answer to each request, and returns its URL without a
/// path.
pub(crate) fn answering(head: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap(), head, body));
        }
    });
    format!("http://{address}")
}

pub(crate) fn answer(mut stream: impl Read + Write, head: &str, body: &str) {
    let mut reader = BufReader::new(&mut stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let _ = reader.read_exact(&mut vec![0; length]);
    let length = body.len();
    // The command may have ended already.
    let _ = write!(
        stream,
        "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
}
