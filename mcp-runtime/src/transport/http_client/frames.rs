//! The frames of the connection, as the driver sees them.

use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::transport::{FrameReader, FrameWriter, Incoming, Outbox};

/// How long the goodbye to a server may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// Reads what the server sends, on whatever response it comes.
#[derive(Debug)]
pub struct HttpReader {
    messages: mpsc::Receiver<Vec<u8>>,
    found: Option<Vec<u8>>,
    /// The message that was taken last.
    current: Vec<u8>,
}

impl HttpReader {
    pub(super) fn new(messages: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            messages,
            found: None,
            current: Vec::new(),
        }
    }
}

impl FrameReader for HttpReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        self.current = match self.found.take() {
            Some(found) => found,
            None => self.messages.try_recv().ok()?,
        };
        Some(Incoming::Frame(&self.current))
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.found = self.messages.recv().await;
        Ok(self.found.is_some())
    }
}

/// Sends each message as a request of its own.
#[derive(Debug)]
pub struct HttpWriter {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    running: JoinHandle<()>,
}

impl HttpWriter {
    pub(super) fn new(lines: mpsc::UnboundedSender<Vec<u8>>, running: JoinHandle<()>) -> Self {
        Self {
            lines: Some(lines),
            running,
        }
    }
}

impl FrameWriter for HttpWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        let lines = self.lines.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        while let Some(line) = outbox.first_line() {
            let sent = lines.send(line.to_vec());
            sent.map_err(|_| io::ErrorKind::NotConnected)?;
            let length = line.len() + 1;
            outbox.advance(length);
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines = None;
        if tokio::time::timeout(GOODBYE, &mut self.running)
            .await
            .is_err()
        {
            self.running.abort();
        }
        Ok(())
    }
}
