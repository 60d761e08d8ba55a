//! Where the answer to a request goes.

use std::sync::Arc;

use http::StatusCode;

use super::Batch;
use crate::transport::http::stream::Stream;

/// Where the answer to a request goes.
#[derive(Clone)]
pub(in crate::transport::http) enum Sink {
    /// It closes the stream of the request.
    Stream(Arc<Stream>),
    /// It goes among everything else that the session sends.
    Shared(Arc<Stream>),
    /// It waits for the answers to the rest of a batch.
    Batch(Arc<Batch>),
}

impl Sink {
    pub(super) fn answer(&self, status: StatusCode, message: Vec<u8>) {
        match self {
            Self::Stream(stream) => stream.answer(status, message),
            Self::Shared(stream) => {
                stream.push(message);
            }
            Self::Batch(batch) => batch.answer(Some(&message)),
        }
    }

    /// There will be no answer.
    pub(super) fn give_up(&self) {
        match self {
            Self::Stream(stream) => stream.end(),
            Self::Shared(_) => {}
            Self::Batch(batch) => batch.answer(None),
        }
    }

    /// Where the handler's other messages go.
    pub(super) fn stream(&self) -> &Arc<Stream> {
        match self {
            Self::Stream(stream) | Self::Shared(stream) => stream,
            Self::Batch(batch) => batch.stream(),
        }
    }
}
