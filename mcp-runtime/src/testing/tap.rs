//! A transport that writes down what arrives.

use std::io;

use mcp_types::Side;

use super::Recording;
use crate::protocol::Timeouts;
use crate::transport::{FrameReader, Incoming, Transport};

/// One end of a connection.
pub(super) struct Tap<T> {
    transport: T,
    /// Whose messages arrive here.
    sender: Side,
    recording: Recording,
}

impl<T> Tap<T> {
    pub(super) fn new(transport: T, sender: Side, recording: &Recording) -> Self {
        Self {
            transport,
            sender,
            recording: recording.clone(),
        }
    }
}

impl<T: Transport> Transport for Tap<T> {
    type Reader = Tap<T::Reader>;
    type Writer = T::Writer;

    fn set_timeouts(&mut self, timeouts: Timeouts) {
        self.transport.set_timeouts(timeouts);
    }

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (reader, writer) = self.transport.open().await?;
        Ok((Tap::new(reader, self.sender, &self.recording), writer))
    }
}

impl<R: FrameReader> FrameReader for Tap<R> {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        let incoming = self.transport.next_frame()?;
        if let Incoming::Frame(message) = &incoming {
            self.recording.push(self.sender, message);
        }
        Some(incoming)
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.transport.fill().await
    }
}
