//! Where the answer to a request goes.

use std::sync::Arc;

use http::StatusCode;

use super::Batch;
use crate::transport::http::stream::Stream;

/// Where the answer to a request goes.
#[derive(Clone)]
pub(in crate::transport::http) enum Sink {
    /// It goes to a stream, and closes it where that is the request's own.
    Stream { stream: Arc<Stream>, own: bool },
    /// It waits for the answers to the rest of a batch.
    Batch(Arc<Batch>),
}

impl Sink {
    /// The stream of the request.
    pub(in crate::transport::http) fn own(stream: Arc<Stream>) -> Self {
        Self::Stream { stream, own: true }
    }

    pub(super) fn answer(&self, status: StatusCode, message: Vec<u8>) {
        match self {
            Self::Stream { stream, own: true } => stream.answer(status, message),
            Self::Stream { stream, own: false } => {
                stream.push(message);
            }
            Self::Batch(batch) => batch.answer(Some(&message)),
        }
    }

    /// There will be no answer.
    pub(super) fn give_up(&self) {
        match self {
            Self::Stream { stream, own: true } => stream.end(),
            Self::Stream { own: false, .. } => {}
            Self::Batch(batch) => batch.answer(None),
        }
    }

    /// Where the handler's other messages go.
    pub(super) fn stream(&self) -> &Arc<Stream> {
        match self {
            Self::Stream { stream, .. } => stream,
            Self::Batch(batch) => batch.stream(),
        }
    }
}
