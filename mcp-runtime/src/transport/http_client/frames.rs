//! The frames of the connection, as the driver sees them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_types::RequestId;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::CallError;
use crate::transport::{FrameReader, FrameWriter, Incoming, Outbox};

/// How long the goodbye to a server may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// Why the server can't be reached, for whoever reads.
#[derive(Debug, Default)]
pub(super) struct Fault(Mutex<Option<io::Error>>);

impl Fault {
    pub(super) fn set(&self, error: io::Error) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What the exchanges with the server bring for the driver.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A message of the server.
    Message(Vec<u8>),
    /// The failure of a request that gets no answer.
    Failed { id: RequestId, error: CallError },
}

/// Reads what the server sends, on whatever response it comes.
#[derive(Debug)]
pub struct HttpReader {
    inbound: mpsc::Receiver<Inbound>,
    fault: Arc<Fault>,
    found: Option<Inbound>,
    /// The message that was taken last.
    current: Vec<u8>,
}

impl HttpReader {
    pub(super) fn new(inbound: mpsc::Receiver<Inbound>, fault: Arc<Fault>) -> Self {
        Self {
            inbound,
            fault,
            found: None,
            current: Vec::new(),
        }
    }
}

impl FrameReader for HttpReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        let found = match self.found.take() {
            Some(found) => found,
            None => self.inbound.try_recv().ok()?,
        };
        Some(match found {
            Inbound::Message(message) => {
                self.current = message;
                Incoming::Frame(&self.current)
            }
            Inbound::Failed { id, error } => Incoming::Failed { id, error },
        })
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.found = self.inbound.recv().await;
        match &self.found {
            Some(_) => Ok(true),
            None => self.fault.take().map_or(Ok(false), Err),
        }
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
