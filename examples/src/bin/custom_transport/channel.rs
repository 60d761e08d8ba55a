//! A transport that sends each message through a channel.
use std::io::{self, ErrorKind};

use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use tokio::sync::mpsc::{Receiver, Sender};

pub(crate) struct Channel(pub(crate) Receiver<Vec<u8>>, pub(crate) Sender<Vec<u8>>);
pub(crate) struct Reader(Receiver<Vec<u8>>, Option<Vec<u8>>, Vec<u8>);
pub(crate) struct Writer(Sender<Vec<u8>>);

impl Transport for Channel {
    type Reader = Reader;
    type Writer = Writer;
    async fn open(self) -> io::Result<(Reader, Writer)> {
        Ok((Reader(self.0, None, Vec::new()), Writer(self.1)))
    }
}
impl FrameReader for Reader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        self.2 = self.1.take()?;
        Some(Incoming::Frame(&self.2))
    }
    async fn fill(&mut self) -> io::Result<bool> {
        self.1 = self.0.recv().await;
        Ok(self.1.is_some())
    }
}
impl FrameWriter for Writer {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        let slot = self.0.reserve().await.map_err(|_| ErrorKind::BrokenPipe)?;
        let message = outbox.first_line().unwrap_or_default().to_vec();
        outbox.advance(message.len() + 1);
        slot.send(message);
        Ok(())
    }
    async fn close(&mut self) -> io::Result<()> {
        Ok(()) // The writer is dropped next, which closes the channel.
    }
}
