//! Sends requests over HTTP.

use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::message::{Ask, INITIALIZED, Template, Wire, opening};
use crate::port::Port;
use crate::process::Process;
use crate::stdio::nanoseconds;

pub(super) struct Listening {
    pub(super) process: Process,
    endpoint: Endpoint,
    _port: Port,
}

#[derive(Clone, Copy)]
pub(super) struct Endpoint {
    address: SocketAddr,
    path: &'static str,
}

impl Listening {
    /// Starts `command` with an address to listen on, and waits until the server accepts
    /// connections.
    pub(super) fn start(mut command: Command, path: &'static str) -> Result<Self> {
        let port = Port::free()?;
        let address = port.address();
        command
            .args(["--http", &address.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut server = Self {
            process: Process::start(&mut command)?,
            endpoint: Endpoint { address, path },
            _port: port,
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline || server.process.child.try_wait()?.is_some() {
                return Err(Error::other("the server does not listen"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }

    pub(super) fn connect(&self, wire: Wire) -> Result<Connection> {
        Connection::open(self.endpoint, wire)
    }

    /// Sends `count` requests in total. Each connection sends one request at a time.
    pub(super) fn ask(connections: &mut [Connection], ask: Ask, count: usize) -> Result<Vec<u64>> {
        let each = count.div_ceil(connections.len());
        let took = std::thread::scope(|scope| {
            let workers: Vec<_> = connections
                .iter_mut()
                .map(|connection| scope.spawn(move || connection.ask(ask, each)))
                .collect();
            let results = workers.into_iter().map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| Err(Error::other("a client panicked")))
            });
            results.collect::<Result<Vec<_>>>()
        })?;
        Ok(took.concat())
    }
}

/// A keep-alive connection, with its own session in handshake revisions.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    endpoint: Endpoint,
    wire: Wire,
    session: Option<String>,
}

impl Connection {
    fn open(endpoint: Endpoint, wire: Wire) -> Result<Self> {
        let stream = TcpStream::connect(endpoint.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut connection = Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
            endpoint,
            wire,
            session: None,
        };
        if wire == Wire::Handshake {
            connection.exchange(&opening(wire), "", &mut Vec::new())?;
            connection.exchange(INITIALIZED, "", &mut Vec::new())?;
        }
        Ok(connection)
    }

    pub(super) fn check(&mut self, ask: Ask) -> Result<()> {
        let mut request = Vec::new();
        Template::new(ask, self.wire).write(1_000_000_000, &mut request);
        let mut answer = Vec::new();
        self.exchange(&request, &routing(ask, self.wire), &mut answer)?;
        if answers(&answer).any(|answer| ask.is_answered_by(answer)) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&answer[..answer.len().min(400)]).into_owned();
        Err(Error::other(format!(
            "{} was answered with {text}",
            ask.name()
        )))
    }

    pub(super) fn ask(&mut self, ask: Ask, count: usize) -> Result<Vec<u64>> {
        let template = Template::new(ask, self.wire);
        let routing = routing(ask, self.wire);
        let mut request = Vec::new();
        let mut answer = Vec::new();
        let mut took = Vec::with_capacity(count);
        for id in 1..=count {
            request.clear();
            template.write(id, &mut request);
            let sent = Instant::now();
            self.exchange(&request, &routing, &mut answer)?;
            took.push(nanoseconds(sent.elapsed()));
        }
        Ok(took)
    }

    fn exchange(&mut self, body: &[u8], routing: &str, answer: &mut Vec<u8>) -> Result<()> {
        let session = self.session.as_deref().unwrap_or_default();
        let mut request = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\
             mcp-protocol-version: {}\r\n{session}{routing}\r\n",
            self.endpoint.path,
            self.endpoint.address,
            body.len(),
            self.wire.revision(),
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request)?;
        self.receive(answer)
    }

    fn receive(&mut self, body: &mut Vec<u8>) -> Result<()> {
        body.clear();
        let mut line = String::new();
        let mut length = 0;
        let mut chunked = false;
        self.line(&mut line)?;
        if !line.starts_with("HTTP/1.1 20") {
            return Err(Error::other(format!("the server answered {line}")));
        }
        loop {
            self.line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().map_err(Error::other)?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                "mcp-session-id" => self.session = Some(format!("mcp-session-id: {value}\r\n")),
                _ => {}
            }
        }
        while chunked {
            self.line(&mut line)?;
            let size = usize::from_str_radix(&line, 16).map_err(Error::other)?;
            self.take(size, body)?;
            self.line(&mut line)?;
            chunked = size > 0;
        }
        self.take(length, body)
    }

    fn take(&mut self, count: usize, body: &mut Vec<u8>) -> Result<()> {
        let start = body.len();
        body.resize(start + count, 0);
        self.stream.read_exact(&mut body[start..])
    }

    /// Reads one line, and removes the line ending.
    fn line(&mut self, line: &mut String) -> Result<()> {
        line.clear();
        if self.stream.read_line(line)? == 0 {
            return Err(Error::other("the server closed the connection"));
        }
        line.truncate(line.trim_end().len());
        Ok(())
    }
}

/// Returns the routing headers of a request, if the revision has them.
fn routing(ask: Ask, wire: Wire) -> String {
    let name = match ask.tool() {
        _ if wire == Wire::Handshake => return String::new(),
        Some(tool) => format!("mcp-name: {tool}\r\n"),
        None => String::new(),
    };
    format!("mcp-method: {}\r\n{name}", ask.method())
}

/// Returns the messages in a body: the body itself, or the data of each event.
fn answers(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let events = body
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"data:"));
    std::iter::once(body).chain(events)
}
