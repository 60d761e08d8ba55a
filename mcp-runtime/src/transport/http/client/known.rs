//! What the messages that passed have told of the connection.

use http::Uri;
use http::header::HeaderValue;
use mcp_types::jsonrpc::{Frame, Message};
use serde::Deserialize;
use serde_json::Value;

use super::annotations::Annotations;

/// What the messages that passed have told.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The session of the handshake era, where the server gave one.
    pub(super) session: Option<HeaderValue>,
    /// The version that the handshake settled on.
    pub(super) version: Option<HeaderValue>,
    pub(super) annotations: Annotations,
    /// Whether the server has ended the session: nothing is sent any more.
    pub(super) ended: bool,
    /// Where messages go, if not to the server's own address: HTTP+SSE.
    pub(super) endpoint: Option<Uri>,
}

impl Known {
    /// Learns from the answer to `initialize`.
    pub(super) fn initialized(&mut self, message: &[u8], session: Option<HeaderValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Initialized {
            protocol_version: String,
        }

        let Ok(Frame::Single(Message::Response {
            outcome: Ok(result),
            ..
        })) = Frame::parse(message)
        else {
            return;
        };
        // Whoever waits for the answer refuses one without a version, and one that is unknown.
        let Ok(result) = serde_json::from_str::<Initialized>(result.get()) else {
            return;
        };
        self.version = HeaderValue::try_from(result.protocol_version).ok();
        self.session = session.map(|mut session| {
            session.set_sensitive(true);
            session
        });
    }

    /// Learns from a list of tools, and takes those out of it whose annotations are invalid.
    ///
    /// # Errors
    ///
    /// If the list can't be read: its annotations would not be known.
    pub(super) fn listed(&mut self, message: Vec<u8>) -> serde_json::Result<Vec<u8>> {
        let has_annotations = memchr::memmem::find(&message, b"x-mcp-header").is_some();
        if !has_annotations {
            return Ok(message);
        }
        let mut list = serde_json::from_slice::<Value>(&message)?;
        let Some(tools) = list.pointer_mut("/result/tools") else {
            return Ok(message);
        };
        let invalid = self.annotations.learn(tools);
        if invalid.is_empty() {
            return Ok(message);
        }
        if let Value::Array(tools) = tools {
            let mut place = 0;
            tools.retain(|_| {
                place += 1;
                !invalid.contains(&(place - 1))
            });
        }
        serde_json::to_vec(&list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_whatever_else_the_server_says() {
        let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":1e400,"y":"\ud800"}}}"#;
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let mut known = Known::default();
        known.initialized(message.as_bytes(), HeaderValue::try_from("s-1").ok());
        assert_eq!(known.version.unwrap(), "2025-11-25");
        let session = known.session.unwrap();
        assert!(session == "s-1" && session.is_sensitive());
    }
}
