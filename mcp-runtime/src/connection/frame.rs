//! The interfaces that a transport implements: connections, and the frames that they carry.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_types::RequestId;

use super::Outbox;
use crate::error::CallError;
use crate::protocol::{ExtensionMethod, Timeouts};

/// Adds a setter for the size of the largest message that a transport accepts.
#[allow(
    unused_macros,
    reason = "some builds only have transports without the setting"
)]
macro_rules! frame_limit {
    ($type:ty, $($field:ident).+) => {
        impl $type {
            /// Sets the size of the largest message that is accepted, in bytes. The default is 16
            /// MiB.
            #[must_use]
            pub fn max_frame_bytes(mut self, limit: usize) -> Self {
                self.$($field).+ = limit;
                self
            }
        }
    };
}

pub(crate) use frame_limit;

/// The byte order mark that may precede UTF-8 text. It is not part of the text (RFC 8259, section
/// 8.1).
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A connection to one peer that can be split into two directions.
///
/// Servers and clients accept any type that implements this trait. Wrap a stream of bytes that
/// implements tokio's `AsyncRead` and `AsyncWrite` in a [`ByteStream`](super::ByteStream), or
/// implement the trait for your own type with the same codec:
///
/// ```
/// use std::io;
/// use mcp_runtime::transport::{MAX_FRAME_BYTES, LineReader, LineWriter, Transport};
/// use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
///
/// struct Tunnel(DuplexStream);
///
/// impl Transport for Tunnel {
///     type Reader = LineReader<ReadHalf<DuplexStream>>;
///     type Writer = LineWriter<WriteHalf<DuplexStream>>;
///
///     async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
///         let (reader, writer) = tokio::io::split(self.0);
///         let reader = LineReader::new(reader, MAX_FRAME_BYTES);
///         Ok((reader, LineWriter::new(writer)))
///     }
/// }
/// ```
///
/// A transport that sends whole messages instead of lines must also implement [`FrameReader`] and
/// [`FrameWriter`]. The example `custom_transport` shows how.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a connection to a server",
    label = "not a `Transport`",
    note = "for a URL, write `http_client(\"https://…\")`, and for a program `ChildProcess::new(\"npx\").args([\"…\"])`",
    note = "`stdio()` is the standard input and output of this process, and `http(…)` is for servers"
)]
pub trait Transport: Send + 'static {
    /// Receives frames.
    type Reader: FrameReader;
    /// Sends frames.
    type Writer: FrameWriter;

    /// Opens the connection.
    ///
    /// # Errors
    ///
    /// When the underlying stream can't be opened or prepared.
    fn open(self) -> impl Future<Output = io::Result<(Self::Reader, Self::Writer)>> + Send;

    /// Sets the time limits of the client that is about to open the connection.
    ///
    /// The default does nothing. Override it for a transport that itself waits for the answer to
    /// each message, like HTTP.
    fn set_timeouts(&mut self, timeouts: Timeouts) {
        let _ = timeouts;
    }

    /// Sets the methods of the client's extensions.
    ///
    /// The default does nothing. Override it for a transport that repeats parameters outside of the
    /// message, like HTTP in `Mcp-Name`.
    fn set_extension_methods(&mut self, methods: Vec<ExtensionMethod>) {
        let _ = methods;
    }

    /// Returns the identifiers of the protocol extensions that the transport uses, such as an
    /// extension for authentication over HTTP.
    ///
    /// The client declares them in its capabilities, without settings. The default is an empty
    /// list.
    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns a counter of the changes of the principal on whose behalf the transport sends
    /// requests.
    ///
    /// When the principal changes, a client with a [cache](crate::ClientBuilder::cache) forgets
    /// private answers. The default counter never changes.
    fn principal(&self) -> PrincipalChanges {
        PrincipalChanges::default()
    }

    /// Returns the name of the program that the transport starts, for errors and logs. The default
    /// is `None`.
    fn program(&self) -> Option<String> {
        None
    }

    /// Returns a transport that opens the same connection again after it was lost. Returns `None`
    /// if it can't be opened twice.
    fn again(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// A counter of the changes of a principal, such as logins and logouts. Clones share the counter.
#[derive(Clone, Debug, Default)]
pub struct PrincipalChanges(Arc<AtomicU64>);

impl PrincipalChanges {
    /// Records a change. Answers to earlier requests must not be shown to the new principal.
    pub fn changed(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// Receives frames.
///
/// The driver takes all buffered frames before it waits for more. Frames that arrive together are
/// therefore served together, and their answers are sent in one write.
pub trait FrameReader: Send + 'static {
    /// Returns the next buffered frame, or `None` if [`fill`](Self::fill) must be awaited first.
    fn next_frame(&mut self) -> Option<Incoming<'_>>;

    /// Waits until more input has arrived. Returns false at the end of input; frames that are still
    /// buffered can then be taken.
    ///
    /// This must be cancel safe: a future that is dropped must not lose input.
    ///
    /// # Errors
    ///
    /// When the connection is lost. The driver then ends.
    fn fill(&mut self) -> impl Future<Output = io::Result<bool>> + Send;

    /// Returns the reason that the peer has given for the end of input.
    ///
    /// A client's calls fail with this reason. The default is `None`, which means a regular end.
    fn end_reason(&mut self) -> Option<String> {
        None
    }
}

/// Sends frames.
///
/// The driver puts complete messages into an [`Outbox`], one message per line. A writer of bytes
/// sends them unchanged. A writer with its own framing takes them line by line.
pub trait FrameWriter: Send + 'static {
    /// Sends some bytes of `outbox`, and removes them.
    ///
    /// The driver calls this until the outbox is empty. It should not wait until everything is
    /// sent, because the driver checks between calls whether the peer still reads.
    ///
    /// This must be cancel safe: a future that is dropped must have removed exactly the bytes that
    /// it sent.
    ///
    /// # Errors
    ///
    /// When the connection is lost, and nothing more can be sent.
    fn write(&mut self, outbox: &mut Outbox) -> impl Future<Output = io::Result<()>> + Send;

    /// Returns true if the writer sends all [`Outbox::parts`], which may divide a line anywhere.
    /// Long answers that many clients get are then not copied. The default is false.
    fn takes_parts(&self) -> bool {
        false
    }

    /// Returns how many bytes at the front of `outbox` may have reached the peer. A request after
    /// these bytes was certainly not sent. The default is all bytes.
    fn in_transit(&self, outbox: &Outbox) -> usize {
        outbox.len()
    }

    /// Closes this direction, so that the peer sees the end of input. It is called once, at the
    /// end.
    ///
    /// # Errors
    ///
    /// When messages may not have arrived.
    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

/// An event of a [`FrameReader`].
#[derive(Debug)]
pub enum Incoming<'a> {
    /// A frame, without the line break.
    Frame(&'a [u8]),
    /// A frame that exceeded the limit and was skipped.
    TooLarge {
        /// The beginning of the frame, to find the id.
        head: &'a [u8],
        /// The end of the frame, to find an id that is last.
        tail: &'a [u8],
        /// The limit, in bytes.
        limit: usize,
    },
    /// A request was sent, but the transport knows that it will not get an answer. Other requests
    /// are not affected.
    Failed {
        /// The id of the request.
        id: RequestId,
        /// The reason why there is no answer.
        error: CallError,
    },
    /// A request has begun or stopped to wait for something other than the peer, such as a login.
    /// The time limits of the request are suspended meanwhile.
    Suspended {
        /// The id of the request.
        id: RequestId,
        /// True if the wait begins, false if it is over.
        suspended: bool,
    },
}
