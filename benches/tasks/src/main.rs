//! Creates ten thousand tasks in the memory store over stdio. Reports the server's memory per
//! task, and its CPU time in the following ten seconds. Linux only.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use mcp_extensions::tasks::{CreatedTask, Task, TaskLimits, Tasks};
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

const TASKS: u32 = 10_000;

/// A server whose tasks never end.
struct Park;

#[mcp_server(undocumented = "allow")]
impl Park {
    /// Waits.
    #[tool(with(Task::now()))]
    async fn alone(&self) {
        std::future::pending().await
    }

    /// Waits while it holds its context.
    #[tool(with(Task::now()))]
    async fn with_context(&self, cx: &Context) {
        std::future::pending::<()>().await;
        cx.progress(1, 2, "");
    }

    /// Creates a task, and leaves the work to another program.
    #[tool(with(Task::deferred()))]
    async fn elsewhere(&self, cx: &Context) -> Result<CreatedTask, ToolError> {
        let tasks = cx.extension::<Tasks>();
        let tasks = tasks.ok_or(ToolError::new("the server has no tasks"))?;
        Ok(tasks.create(cx).await?)
    }

    /// Answers immediately.
    #[tool]
    fn plain(&self) -> u32 {
        0
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("serve") {
        let limits = TaskLimits::new().running(usize::MAX, usize::MAX);
        let mut server = Park.into_builder();
        server.extension(Tasks::memory().limits(limits));
        return Ok(server.build().serve(stdio()).await?);
    }
    println!("{TASKS} tasks | KiB of the server for each | of these before | CPU in 10 s, ms");
    for tool in ["alone", "with_context", "elsewhere"] {
        measure(tool)?;
    }
    Ok(())
}

fn measure(tool: &str) -> Result<(), Box<dyn Error>> {
    let mut server = Server::start()?;
    for _ in 0..200 {
        server.call("plain")?;
    }
    let before = server.memory()?;
    for _ in 0..TASKS {
        let answer = server.call(tool)?;
        if answer["result"]["resultType"] != "task" {
            return Err(format!("{tool} is not a task: {answer}").into());
        }
    }
    let each = |memory: u64| memory as f64 / f64::from(TASKS);
    let memory = server.memory()?;
    let cpu = server.cpu()?;
    thread::sleep(Duration::from_secs(10));
    println!(
        "{tool} | {:.2} | {:.2} | {}",
        each(memory),
        each(before),
        server.cpu()? - cpu
    );
    Ok(())
}

struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(env::current_exe()?)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take();
        let output = process.stdout.take();
        Ok(Self {
            process,
            input: input.ok_or("no input")?,
            output: BufReader::new(output.ok_or("no output")?),
        })
    }

    fn call(&mut self, tool: &str) -> Result<Value, Box<dyn Error>> {
        let extensions = json!({"io.modelcontextprotocol/tasks": {}});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": tool,
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
            },
        }});
        writeln!(self.input, "{request}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Returns the resident memory, in KiB.
    fn memory(&self) -> Result<u64, Box<dyn Error>> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
        let number = line.and_then(|it| it.split_whitespace().next());
        Ok(number.ok_or("no memory")?.parse()?)
    }

    /// Returns the CPU time so far, in ms. The kernel counts in hundredths of a second.
    fn cpu(&self) -> Result<u64, Box<dyn Error>> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields: Vec<_> = stat.split_whitespace().collect();
        Ok((fields[13].parse::<u64>()? + fields[14].parse::<u64>()?) * 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
