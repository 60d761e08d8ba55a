//! The stream of a session, on which the server says what belongs to no request.

use http::StatusCode;
use tokio::time::Instant;

use super::events::{Event, EventParser};
use super::exchange::{is_stream, next};
use super::frames::Delivery;
use super::remote::{Ended, Remote};
use super::retry;
use crate::error::CallError;
use crate::limits::STABLE_STREAM;

impl Remote {
    /// Reads the stream of the session, and resumes it as long as the session lives. Returns when
    /// the server does not offer it.
    ///
    /// # Errors
    ///
    /// When the session has ended.
    pub(super) async fn listen(&self) -> Result<(), Ended> {
        if self.has_one_stream() {
            return Ok(());
        }
        let mut parser = EventParser::new(self.limit);
        let mut short = 0;
        loop {
            let begun = Instant::now();
            let has_resumed = parser.last_id.is_some();
            match self.get(parser.last_id.as_ref()).await {
                Ok(mut response) if is_stream(&response) => {
                    parser.resume();
                    while let Some(bytes) = next(&mut response).await {
                        self.pass_on(parser.feed(&bytes)).await;
                    }
                    tracing::debug!("the stream of the session has ended");
                }
                Ok(response) if comes_back(response.status()) => {
                    let status = response.status();
                    tracing::debug!(%status, "the stream of the session can't be opened yet");
                }
                // The events since then may be gone.
                Ok(_) if has_resumed => parser.last_id = None,
                Ok(response) => {
                    let status = response.status();
                    tracing::debug!(%status, "the server offers no stream of the session");
                    return Ok(());
                }
                Err(CallError::SessionEnded) => return Err(Ended),
                Err(error) => {
                    tracing::debug!(%error, "the stream of the session can't be opened yet");
                }
            }
            if begun.elapsed() >= STABLE_STREAM {
                short = 0;
            }
            tokio::time::sleep(retry::resumption(parser.retry, short)).await;
            short += 1;
        }
    }

    /// Delivers what came on a stream that belongs to no request.
    pub(super) async fn pass_on(&self, events: Vec<Event>) {
        for event in events {
            self.deliver(match event {
                Event::Message(message) => Delivery::Message(message),
                Event::TooLarge(head) => {
                    let limit = self.limit;
                    tracing::warn!(limit, "a message of the server over the limit is skipped");
                    Delivery::TooLarge(head)
                }
            })
            .await;
        }
    }
}

/// Whether a server that has answered like this may offer a stream later: it is out of order for
/// now, or has not noticed yet that the last stream is gone.
fn comes_back(status: StatusCode) -> bool {
    let for_now = [
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    let never = status == StatusCode::NOT_IMPLEMENTED;
    for_now.contains(&status) || status.is_server_error() && !never
}
