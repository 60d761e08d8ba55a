//! Serves line by line. All answers to the lines of one read are sent with one write.

use std::fs::File;
use std::io::{Read, Result, Write};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;

use crate::answer::Answers;

const READ_BYTES: usize = 64 * 1024;

/// The bytes received so far, and the complete lines among them.
#[derive(Default)]
struct Lines {
    input: Vec<u8>,
    output: Vec<u8>,
    scanned: usize,
}

impl Lines {
    fn serve(&mut self, answers: &Answers) {
        self.output.clear();
        let mut start = 0;
        while let Some(end) = memchr::memchr(b'\n', &self.input[self.scanned.max(start)..]) {
            let end = end + self.scanned.max(start);
            let before = self.output.len();
            answers.answer(&self.input[start..end], &mut self.output);
            if self.output.len() > before {
                self.output.push(b'\n');
            }
            start = end + 1;
        }
        self.input.drain(..start);
        self.scanned = self.input.len();
    }
}

/// Serves with blocking system calls, because the process has no other work.
pub(crate) fn serve(answers: &Answers) -> Result<()> {
    let mut input = File::open("/dev/stdin")?;
    let mut output = File::options().write(true).open("/dev/stdout")?;
    let mut lines = Lines::default();
    let mut chunk = vec![0; READ_BYTES];
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        lines.input.extend_from_slice(&chunk[..count]);
        lines.serve(answers);
        output.write_all(&lines.output)?;
    }
}

pub(crate) async fn serve_on_tokio(answers: &Answers) -> Result<()> {
    let mut input = pipe::OpenOptions::new().open_receiver("/dev/stdin")?;
    let mut output = pipe::OpenOptions::new().open_sender("/dev/stdout")?;
    let mut lines = Lines::default();
    loop {
        lines.input.reserve(READ_BYTES);
        if input.read_buf(&mut lines.input).await? == 0 {
            return Ok(());
        }
        lines.serve(answers);
        output.write_all(&lines.output).await?;
    }
}
