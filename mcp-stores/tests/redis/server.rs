//! A `redis-server` of a test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use mcp_stores::Redis;
use tempfile::TempDir;

pub(crate) struct Server {
    process: Process,
    arguments: Vec<String>,
    port: u16,
    _folder: TempDir,
}

impl Server {
    /// Starts a server on a free port, with arguments of `redis-server`, in which `PORT` is replaced.
    /// Returns `None` if it is not installed.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        // Another process may take the port before the server does.
        for _ in 0..10 {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            drop(listener);
            let fixed = format!("--bind 127.0.0.1 --port {port} --dir");
            let mut all: Vec<_> = fixed.split(' ').map(str::to_owned).collect();
            all.push(folder.path().to_str().unwrap().to_owned());
            let arguments = arguments.iter();
            all.extend(arguments.map(|it| it.replace("PORT", &port.to_string())));
            let Some(mut process) = Process::start(&all) else {
                eprintln!("skipped: redis-server is not installed");
                return None;
            };
            if process.is_ready() {
                return Some(Self {
                    process,
                    arguments: all,
                    port,
                    _folder: folder,
                });
            }
        }
        panic!("redis-server does not start");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) async fn connect(&self) -> Redis {
        Redis::connect(&self.url(), "test").await.unwrap()
    }

    /// Sends a signal, such as `STOP`.
    pub(crate) fn signal(&self, signal: &str) {
        let process = self.process.child.id().to_string();
        let kill = Command::new("kill").args(["-s", signal, &process]).status();
        assert!(kill.unwrap().success());
    }

    /// Kills the server, which loses all values.
    pub(crate) fn kill(&mut self) {
        self.process.child.kill().unwrap();
        self.process.child.wait().unwrap();
    }

    /// Starts the server again after it was killed.
    pub(crate) fn restart(&mut self) {
        self.process = Process::start(&self.arguments).unwrap();
        assert!(self.process.is_ready());
    }

    /// Runs a command such as `CONFIG SET maxmemory 1`, and returns the first line of the answer.
    pub(crate) fn run(&self, command: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(command.as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

/// A process that ends when it is dropped.
struct Process {
    child: Child,
    log: BufReader<ChildStdout>,
}

impl Process {
    fn start(arguments: &[String]) -> Option<Self> {
        let mut command = Command::new("redis-server");
        command
            .args(["--save", "", "--logfile", ""])
            .args(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
        let log = BufReader::new(child.stdout.take().unwrap());
        Some(Self { child, log })
    }

    /// Waits until the server accepts connections. Returns false if it ends instead.
    fn is_ready(&mut self) -> bool {
        let mut line = String::new();
        while self.log.read_line(&mut line).unwrap() > 0 {
            if line.contains("Ready to accept connections") {
                return true;
            }
            line.clear();
        }
        false
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
