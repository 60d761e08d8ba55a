//! Kills a server in the middle of a hundred tasks, and starts it again with the same store.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_extensions::tasks::{Task, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{Value, json};

const ID: &str = "io.modelcontextprotocol/tasks";

struct Mill;

#[mcp_server(undocumented = "allow")]
impl Mill {
    #[tool(with(Task::now().restart()))]
    async fn again(&self, milliseconds: u64) -> u64 {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        milliseconds
    }

    #[tool(with(Task::now()))]
    async fn once(&self, milliseconds: u64) -> u64 {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        milliseconds
    }
}

/// A process that serves the mill on its standard input and output.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u32,
}

impl Server {
    fn start(store: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .arg(store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            last: 0,
        }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.last += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {ID: {}}},
        });
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.last, "{answer}");
        answer["result"].clone()
    }

    fn begin(&mut self, tool: &str, milliseconds: u64) -> String {
        let arguments = json!({"milliseconds": milliseconds});
        let created = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(created["resultType"], "task", "{created}");
        created["taskId"].as_str().unwrap().to_owned()
    }

    fn status(&mut self, id: &str) -> Value {
        self.ask("tasks/get", json!({"taskId": id}))
    }
}

fn is_final(status: &Value) -> bool {
    matches!(
        status["status"].as_str(),
        Some("completed" | "failed" | "cancelled")
    )
}

/// Runs the test, or serves the mill if the arguments of the program say so. `tasks` opens a store
/// that `store` returned, if there can be one.
pub(crate) fn run<F: Future<Output = Tasks>>(
    tasks: impl Fn(&str) -> F,
    store: impl FnOnce() -> Option<String>,
) {
    let arguments: Vec<_> = std::env::args().collect();
    match &arguments[1..] {
        [command, store] if command == "serve" => {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let mut server = Mill.into_builder();
            server.extension(runtime.block_on(tasks(store)));
            let serving = server.build().serve(stdio()).into_future();
            runtime.block_on(serving).unwrap();
        }
        _ => {
            let Some(store) = store() else { return };
            nothing_is_lost(&store);
            eprintln!(
                "nothing that was reported finished is lost, and no task is left alone ... ok"
            );
        }
    }
}

fn nothing_is_lost(store: &str) {
    let mut server = Server::start(store);
    let mut repeated = HashSet::new();
    let mut tasks = Vec::new();
    for number in 0..100 {
        let (tool, milliseconds) = match number % 4 {
            0 | 1 => ("once", 20 * number),
            2 => ("once", 600_000),
            _ => ("again", 2_000),
        };
        let id = server.begin(tool, milliseconds);
        if tool == "again" {
            repeated.insert(id.clone());
        }
        tasks.push(id);
    }
    let mut reported = HashMap::new();
    while reported.len() < 20 {
        for id in &tasks {
            let status = server.status(id);
            if is_final(&status) {
                reported.insert(id.clone(), status);
            }
        }
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();

    let start = Instant::now();
    let mut server = Server::start(store);
    let mut left: Vec<_> = tasks.clone();
    while !left.is_empty() {
        left.retain(|id| {
            let status = server.status(id);
            // A task that runs again was changed by the process that took it over.
            let is_settled = is_final(&status) || repeated.contains(id);
            !is_settled
        });
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{} are left alone",
            left.len()
        );
    }
    for (id, before) in &reported {
        assert_eq!(server.status(id), *before);
    }
    for id in &repeated {
        while !is_final(&server.status(id)) {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{id} does not run again"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(server.status(id)["status"], "completed");
    }
    drop(server.input);
    assert!(server.child.wait().unwrap().success());
}
