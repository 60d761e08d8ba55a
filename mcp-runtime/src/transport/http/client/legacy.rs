//! HTTP+SSE, the transport of 2024-11-05: everything that the server says comes on one stream,
//! which begins with the address that messages are to be posted to.

use http::{Response, Uri};
use hyper::body::Incoming;

use super::events::{Event, EventParser};
use super::exchange::{Asked, is_stream, next};
use super::outgoing::Outgoing;
use super::reference;
use super::remote::Remote;
use crate::error::CallError;
use crate::limits::ENDPOINT_TIMEOUT;

impl Remote {
    /// Opens the stream, and goes on there until it ends. `false` where the server has no such
    /// stream (2025-11-25, "Transports", section Backwards Compatibility).
    ///
    /// # Errors
    ///
    /// Why the request has no answer. Once it has, [`CallError::Closed`] when the stream ends.
    pub(super) async fn fall_back(
        &self,
        outgoing: &Outgoing,
        asked: &Asked,
    ) -> Result<bool, CallError> {
        let mut response = self.get(None).await?;
        if !is_stream(&response) {
            return Ok(false);
        }
        let mut parser = EventParser::new(self.limit);
        let found = self.endpoint(&mut response, &mut parser);
        let Ok(Some(endpoint)) = tokio::time::timeout(ENDPOINT_TIMEOUT, found).await else {
            return Ok(false);
        };
        tracing::debug!("the server speaks HTTP+SSE");
        self.known().endpoint = Some(endpoint);
        let _ = self.verdict.set(());
        self.entrust(outgoing).await?;
        while let Some(bytes) = next(&mut response).await {
            let events = parser.feed(&bytes);
            for event in &events {
                if let Event::Message(message) = event
                    && asked.is_answered_by(message)
                {
                    self.known().initialized(message, None);
                }
            }
            self.pass_on(events).await;
        }
        tracing::info!("the stream of the server has ended");
        self.known().ended = true;
        Err(CallError::Closed)
    }

    /// Where messages are to be posted, as the stream begins.
    async fn endpoint(
        &self,
        response: &mut Response<Incoming>,
        parser: &mut EventParser,
    ) -> Option<Uri> {
        while parser.endpoint.is_none() {
            let bytes = next(response).await?;
            parser.feed(&bytes);
        }
        let named = parser.endpoint.take()?;
        let endpoint = reference::same_origin(&self.uri, &named);
        if endpoint.is_none() {
            tracing::warn!("messages are not posted to another origin");
        }
        endpoint
    }
}
