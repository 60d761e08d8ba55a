//! The frames of the connection, as the driver sees them.

use std::io;

use mcp_types::RequestId;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::CallError;
use crate::limits::CLOSE_TIMEOUT;
use crate::transport::{FrameReader, FrameWriter, Incoming, Outbox};

/// Something for the driver.
#[derive(Debug)]
pub(super) enum Delivery {
    Message(Vec<u8>),
    /// A message over the limit; its beginning.
    TooLarge(Vec<u8>),
    /// Why a request gets no answer.
    Failed(RequestId, CallError),
}

/// Reads what the server sends, on whatever response it comes.
#[derive(Debug)]
pub struct HttpReader {
    deliveries: mpsc::Receiver<Delivery>,
    /// The largest message, in bytes.
    limit: usize,
    found: Option<Delivery>,
    /// The message that was taken last, or its beginning.
    current: Vec<u8>,
}

impl HttpReader {
    pub(super) fn new(deliveries: mpsc::Receiver<Delivery>, limit: usize) -> Self {
        Self {
            deliveries,
            limit,
            found: None,
            current: Vec::new(),
        }
    }
}

impl FrameReader for HttpReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        let delivery = match self.found.take() {
            Some(found) => found,
            None => self.deliveries.try_recv().ok()?,
        };
        Some(match delivery {
            Delivery::Message(message) => {
                self.current = message;
                Incoming::Frame(&self.current)
            }
            Delivery::TooLarge(head) => {
                self.current = head;
                Incoming::TooLarge {
                    head: &self.current,
                    tail: &[],
                    limit: self.limit,
                }
            }
            Delivery::Failed(id, error) => Incoming::Failed { id, error },
        })
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.found = self.deliveries.recv().await;
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
        if tokio::time::timeout(CLOSE_TIMEOUT, &mut self.running)
            .await
            .is_err()
        {
            self.running.abort();
        }
        Ok(())
    }
}
