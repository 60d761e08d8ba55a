//! HTTP+SSE, the transport of revision 2024-11-05. All messages of the server arrive on one stream,
//! which begins with the URL that messages are posted to.

#[cfg(not(feature = "sse"))]
use std::io;
use std::sync::atomic::Ordering;

use super::body::next_bytes;
use super::outgoing::Outgoing;
use super::remote::{Remote, resolve_same_origin};
use super::response::is_stream;
use crate::deprecations;
use crate::error::CallError;
use crate::limits::ENDPOINT_TIMEOUT;
use crate::transport::http::sse::{Event, EventParser};

#[cfg(not(feature = "sse"))]
const NEEDS_FEATURE: &str = "the server accepts no messages at this URL, but answers GET with a stream, as \
    servers of HTTP+SSE (2024-11-05) do: enable the feature `sse` of mcp-runtime";

impl Remote {
    /// Opens the stream, sends `initialize`, and reads the stream until it ends. Returns false if
    /// the server does not offer such a stream (2025-11-25, "Transports", section "Backwards
    /// Compatibility").
    ///
    /// # Errors
    ///
    /// The reason why the request has no answer. After it has been answered, [`CallError::Closed`]
    /// when the stream ends.
    #[cfg(feature = "sse")]
    pub(super) async fn fall_back(&self, outgoing: &Outgoing) -> Result<bool, CallError> {
        let mut response = self.get(None, Some(outgoing)).await?;
        if !is_stream(&response) {
            return Ok(false);
        }
        let mut parser = EventParser::new(self.max_message_bytes);
        // The first event is the URL for messages.
        let found = async {
            while parser.endpoint.is_none() {
                let bytes = next_bytes(response.body_mut()).await?.ok()?;
                parser.feed(&bytes);
            }
            resolve_same_origin(&self.uri, &parser.endpoint.take()?)
        };
        let Ok(Some(endpoint)) = tokio::time::timeout(ENDPOINT_TIMEOUT, found).await else {
            return Ok(false);
        };
        tracing::debug!("the server speaks HTTP+SSE");
        deprecations::HTTP_SSE.warn();
        self.state().endpoint = Some(endpoint);
        self.is_legacy.store(true, Ordering::Relaxed);
        self.post_to_endpoint(outgoing).await?;
        while !parser.is_endless()
            && let Some(Ok(bytes)) = next_bytes(response.body_mut()).await
        {
            let events = parser.feed(&bytes);
            for event in &events {
                if let Event::Message(message) = event
                    && outgoing.is_answered_by(message)
                {
                    self.state().initialized(message, None);
                }
            }
            self.pass_on(events).await;
        }
        tracing::info!("the stream of the server has ended");
        self.state().ended = true;
        Err(CallError::Closed)
    }
    /// Returns false, because this build does not support HTTP+SSE.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] with a hint at the feature, if the server answers GET as servers of
    /// HTTP+SSE do (2025-11-25, "Transports", section "Backwards Compatibility").
    #[cfg(not(feature = "sse"))]
    pub(super) async fn fall_back(&self, outgoing: &Outgoing) -> Result<bool, CallError> {
        match self.get(None, Some(outgoing)).await {
            Ok(response) if is_stream(&response) => {
                let error = io::Error::new(io::ErrorKind::Unsupported, NEEDS_FEATURE);
                Err(CallError::NotSent(error))
            }
            _ => Ok(false),
        }
    }
}
