//! Open connections, taken apart.

use std::io;

use crate::transport::{FrameReader, FrameWriter};

/// A connection that carries messages as lines.
pub(super) trait Stream: Send + 'static {
    /// The direction that brings messages in.
    type Reader: FrameReader;
    /// The direction that takes messages out.
    type Writer: FrameWriter;

    /// The two directions.
    ///
    /// # Errors
    ///
    /// When the connection is lost already.
    fn halves(self, max_frame_bytes: usize) -> io::Result<(Self::Reader, Self::Writer)>;
}
