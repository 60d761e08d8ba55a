//! Sends requests over standard input and output.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use crate::message::{Ask, INITIALIZED, Template, Wire, opening};
use crate::process::Process;

pub(super) struct Piped {
    pub(super) process: Process,
    input: ChildStdin,
    output: ChildStdout,
    unread: Vec<u8>,
}

impl Piped {
    pub(super) fn start(mut command: Command) -> Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = Process::start(&mut command)?;
        let child = &mut process.child;
        let missing = || Error::other("a pipe is missing");
        Ok(Self {
            input: child.stdin.take().ok_or_else(missing)?,
            output: child.stdout.take().ok_or_else(missing)?,
            process,
            unread: Vec::new(),
        })
    }

    /// Performs the handshake, if the era has one.
    pub(super) fn open(&mut self, wire: Wire) -> Result<()> {
        self.send(&opening(wire))?;
        self.line()?;
        if wire == Wire::Handshake {
            self.send(INITIALIZED)?;
        }
        Ok(())
    }

    fn send(&mut self, message: &[u8]) -> Result<()> {
        let mut line = message.to_vec();
        line.push(b'\n');
        self.input.write_all(&line)
    }

    /// Reads the bytes that have arrived.
    fn fill(&mut self) -> Result<usize> {
        let mut chunk = [0; 64 * 1024];
        match self.output.read(&mut chunk)? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => {
                self.unread.extend_from_slice(&chunk[..count]);
                Ok(count)
            }
        }
    }

    fn line(&mut self) -> Result<Vec<u8>> {
        let mut seen = 0;
        loop {
            if let Some(end) = self.unread[seen..].iter().position(|byte| *byte == b'\n') {
                let end = seen + end;
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                return Ok(line);
            }
            seen = self.unread.len();
            self.fill()?;
        }
    }

    pub(super) fn check(&mut self, ask: Ask, wire: Wire) -> Result<()> {
        let mut request = Vec::new();
        Template::new(ask, wire).write(1_000_000_000, &mut request);
        self.send(&request)?;
        let answer = self.line()?;
        if ask.is_answered_by(&answer) {
            return Ok(());
        }
        let answer = String::from_utf8_lossy(&answer[..answer.len().min(400)]).into_owned();
        Err(Error::other(format!(
            "{} was answered with {answer}",
            ask.name()
        )))
    }

    /// Sends `count` requests, with `window` requests in flight, and returns the latency of each in
    /// nanoseconds. The answers must arrive in the order of the requests.
    pub(super) fn ask(
        &mut self,
        template: &Template,
        count: usize,
        window: usize,
    ) -> Result<Vec<u64>> {
        let mut sent_at = Vec::with_capacity(count);
        let mut took = Vec::with_capacity(count);
        let mut batch = Vec::new();
        while took.len() < count {
            batch.clear();
            while sent_at.len() < count && sent_at.len() - took.len() < window {
                template.write(sent_at.len() + 1, &mut batch);
                batch.push(b'\n');
                sent_at.push(Instant::now());
            }
            self.input.write_all(&batch)?;
            let mut answers = 0;
            while answers == 0 {
                let fresh = self.fill()?;
                let fresh = self.unread.len() - fresh;
                answers = self.unread[fresh..]
                    .iter()
                    .filter(|it| **it == b'\n')
                    .count();
            }
            let now = Instant::now();
            for _ in 0..answers {
                took.push(nanoseconds(now - sent_at[took.len()]));
            }
            let rest = self.unread.iter().rposition(|byte| *byte == b'\n');
            self.unread.drain(..=rest.unwrap_or_default());
        }
        Ok(took)
    }

    /// Closes the server's input, and waits until the server has ended.
    pub(super) fn close(self) -> Result<()> {
        let Self {
            mut process,
            input,
            output,
            ..
        } = self;
        drop((input, output));
        process.wait()
    }
}

pub(super) fn nanoseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
