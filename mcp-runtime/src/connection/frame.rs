//! Interfaces of transports: connections, and the frames that they carry.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_types::RequestId;

use super::Outbox;
use crate::error::CallError;
use crate::protocol::{ExtensionMethod, Timeouts};

/// Adds the setter of the largest message that a transport accepts.
#[allow(
    unused_macros,
    reason = "some builds only have transports without the setting"
)]
macro_rules! frame_limit {
    ($type:ty, $($field:ident).+) => {
        impl $type {
            /// The largest message that is accepted, in bytes; 16 MiB by default.
            #[must_use]
            pub fn max_frame_bytes(mut self, limit: usize) -> Self {
                self.$($field).+ = limit;
                self
            }
        }
    };
}

pub(crate) use frame_limit;

/// May begin a stream or body of UTF-8, and is not part of what follows (RFC 8259, section 8.1).
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A connection to one peer that can be split into two directions.
///
/// Servers and clients take anything that implements this. What tokio reads and writes as bytes
/// becomes one by [`ByteStream`](super::ByteStream), or keeps its own type by using the same codec:
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
/// A transport of whole messages, without line breaks, also implements [`FrameReader`] and
/// [`FrameWriter`], as the example `custom_transport` does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no connection to a server",
    label = "no `Transport`",
    note = "a URL is `http_client(\"https://…\")`, and a program `ChildProcess::new(\"npx\").args([\"…\"])`",
    note = "`stdio()` is the standard input and output of this process, and `http(…)` is for servers"
)]
pub trait Transport: Send + 'static {
    /// The direction that brings frames in.
    type Reader: FrameReader;
    /// The direction that takes frames out.
    type Writer: FrameWriter;

    /// Opens the connection.
    ///
    /// # Errors
    ///
    /// When the underlying stream can't be opened or prepared.
    fn open(self) -> impl Future<Output = io::Result<(Self::Reader, Self::Writer)>> + Send;

    /// Sets the time limits of the client that is about to open the connection. Does nothing unless
    /// a transport waits for an answer to each message by itself, as HTTP does.
    fn set_timeouts(&mut self, timeouts: Timeouts) {
        let _ = timeouts;
    }

    /// Sets the methods of the client's extensions. Does nothing unless a transport repeats parameters
    /// beside each message, as HTTP does in `Mcp-Name`.
    fn set_extension_methods(&mut self, methods: Vec<ExtensionMethod>) {
        let _ = methods;
    }

    /// Identifiers of the protocol's extensions that the transport uses, as an authenticator over
    /// HTTP may: the client declares them in its capabilities, without settings. None by default.
    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Counts the changes of the principal as whom the transport calls, if it can change: a client
    /// with a [cache](crate::ClientBuilder::cache) forgets private answers then.
    fn principal(&self) -> PrincipalChanges {
        PrincipalChanges::default()
    }

    /// The name of the program that is at the other end, for errors and logs; `None` by default, for
    /// transports that start none.
    fn program(&self) -> Option<String> {
        None
    }

    /// The same connection once more, for when it is lost. `None` where it can't be opened twice.
    fn again(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// The number of changes of a principal, such as by a login or a logout. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct PrincipalChanges(Arc<AtomicU64>);

impl PrincipalChanges {
    /// Counts a change: answers to requests that were sent before are not for those who come after.
    pub fn changed(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// Brings frames in.
///
/// The driver takes every frame that is buffered, and only then waits for more: so frames that
/// arrive together are served together, and their answers leave in one write.
pub trait FrameReader: Send + 'static {
    /// The next frame that is already here, or `None` when [`fill`](Self::fill) must be awaited.
    fn next_frame(&mut self) -> Option<Incoming<'_>>;

    /// Waits until more has arrived. `false` means the end of input: frames that are still
    /// buffered can be taken, no others will come.
    ///
    /// Must be cancel safe: a future that is dropped loses no input.
    ///
    /// # Errors
    ///
    /// When the connection is lost; the driver ends then, as it does at the end of input.
    fn fill(&mut self) -> impl Future<Output = io::Result<bool>> + Send;

    /// The reason that the peer has given for the end of input, once that is reached; `None` by
    /// default, and for an end in good order. A client's calls fail with it.
    fn end_reason(&mut self) -> Option<String> {
        None
    }
}

/// Takes frames out: complete messages, each one line, that the driver has put into an [`Outbox`].
/// A writer of bytes sends them as they are; one that frames messages by itself takes them line by
/// line.
pub trait FrameWriter: Send + 'static {
    /// Sends some of what is in `outbox`, and removes it from there. It is called again until
    /// nothing waits, so that the driver sees whether the peer goes on reading.
    ///
    /// Must be cancel safe: a future that is dropped has removed exactly what it sent.
    ///
    /// # Errors
    ///
    /// When the connection is lost: nothing more can be sent.
    fn write(&mut self, outbox: &mut Outbox) -> impl Future<Output = io::Result<()>> + Send;

    /// Returns true if the writer sends all [`Outbox::parts`], which may divide a line anywhere.
    /// Long answers that many clients get are then not copied. `false` by default.
    fn takes_parts(&self) -> bool {
        false
    }

    /// Returns how many bytes at the front of `outbox` may have reached the peer already. A request
    /// behind them was certainly not sent. All bytes by default.
    fn in_transit(&self, outbox: &Outbox) -> usize {
        outbox.len()
    }

    /// Closes this direction, so that the peer sees the end of input. Called once, at the end.
    ///
    /// # Errors
    ///
    /// When what was sent may not have arrived.
    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send;
}

/// An event of a [`FrameReader`].
#[derive(Debug)]
pub enum Incoming<'a> {
    /// The bytes of one frame, without the line break.
    Frame(&'a [u8]),
    /// A frame that exceeded the limit and was skipped.
    TooLarge {
        /// The beginning of the frame, enough to look for its id.
        head: &'a [u8],
        /// The end of the frame, for messages that end with their id.
        tail: &'a [u8],
        /// The limit, in bytes.
        limit: usize,
    },
    /// A request was written, but the transport has found that no answer to it will come. Other
    /// requests are not affected.
    Failed {
        /// The id of the request.
        id: RequestId,
        /// Why there is no answer.
        error: CallError,
    },
    /// The transport waits for something other than the peer because of a request, a login perhaps,
    /// or does so no longer. The time limits of the request are suspended meanwhile.
    Suspended {
        /// The id of the request.
        id: RequestId,
        /// True if it begins to wait, false when it is done.
        suspended: bool,
    },
}
