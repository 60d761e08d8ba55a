//! Recordings of connections.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use mcp_types::Side;

use crate::connection::{FrameReader, Incoming, PrincipalChanges, Transport};
use crate::protocol::{ExtensionMethod, Timeouts};
use crate::sync::lock;

/// The messages of a connection, in the order in which they arrived. Cloning is cheap: the clones
/// share the messages.
///
/// The [`Display`](fmt::Display) form has one message per line, for snapshots:
///
/// ```
/// # use mcp_runtime::prelude::*;
/// use mcp_runtime::testing::{self, Recording};
/// # struct Calculator;
/// # #[mcp_server(name = "calculator", version = "1.0.0")]
/// # impl Calculator {
/// #     /// Adds two whole numbers.
/// #     #[tool]
/// #     fn add(&self, a: i64, b: i64) -> i64 { a + b }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::default();
/// let revision = mcp_runtime::Revision::V2025_06_18;
/// let client = testing::connect(Calculator).revision(revision).record(&recording).await?;
/// client.ping().await?;
/// // All earlier messages have arrived before an answer.
/// recording.clear();
/// client.ping().await?;
/// assert_eq!(
///     recording.to_string(),
///     r#"client: {"jsonrpc":"2.0","id":3,"method":"ping","params":{}}
/// server: {"jsonrpc":"2.0","id":3,"result":{}}
/// "#,
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    messages: Arc<Mutex<Vec<(Side, String)>>>,
}

impl Recording {
    /// The messages and their senders.
    #[must_use]
    pub fn messages(&self) -> Vec<(Side, String)> {
        self.lock().clone()
    }

    /// Removes the messages recorded so far, such as the negotiation.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn push(&self, sender: Side, message: &[u8]) {
        let message = String::from_utf8_lossy(message).into_owned();
        self.lock().push((sender, message));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Side, String)>> {
        lock(&self.messages)
    }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().iter().try_for_each(|(sender, message)| {
            let sender = match sender {
                Side::Client => "client",
                Side::Server => "server",
            };
            writeln!(f, "{sender}: {message}")
        })
    }
}

pub(super) struct Recorder<T> {
    transport: T,
    /// The side whose messages arrive here.
    sender: Side,
    recording: Recording,
}

impl<T> Recorder<T> {
    pub(super) fn new(transport: T, sender: Side, recording: &Recording) -> Self {
        Self {
            transport,
            sender,
            recording: recording.clone(),
        }
    }
}

impl<T: Transport> Transport for Recorder<T> {
    type Reader = Recorder<T::Reader>;
    type Writer = T::Writer;

    fn set_timeouts(&mut self, timeouts: Timeouts) {
        self.transport.set_timeouts(timeouts);
    }

    fn set_extension_methods(&mut self, methods: Vec<ExtensionMethod>) {
        self.transport.set_extension_methods(methods);
    }

    fn extensions(&self) -> Vec<String> {
        self.transport.extensions()
    }

    fn principal(&self) -> PrincipalChanges {
        self.transport.principal()
    }

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (reader, writer) = self.transport.open().await?;
        Ok((Recorder::new(reader, self.sender, &self.recording), writer))
    }
}

impl<R: FrameReader> FrameReader for Recorder<R> {
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

    fn end_reason(&mut self) -> Option<String> {
        self.transport.end_reason()
    }
}
