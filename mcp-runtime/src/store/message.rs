//! The messages that the replicas of a server publish on a bus.

use std::collections::BTreeSet;

use bytes::Bytes;
use mcp_types::RawJson;
use serde::{Deserialize, Serialize};

use super::{Bus, StoreFuture};
use crate::limits::MAX_BUS_MESSAGE_BYTES;
use crate::protocol::Change;

/// The format of the messages that this version publishes and understands. As with records of
/// sessions, a version must understand a new format before its successor publishes it.
const FORMAT: u32 = 1;

/// A message on the bus.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BusMessage {
    format: u32,
    /// The random number of the replica that publishes the message; 0 for other processes.
    pub(crate) from: u64,
    pub(crate) content: BusContent,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum BusContent {
    /// The server has changed.
    Changes(BTreeSet<Change>),
    /// A client's answer, cancellation or progress that concerns no request of the publisher.
    Forwarded {
        session: String,
        /// Names the message for [`Taken`](Self::Taken).
        number: u64,
        body: RawJson,
    },
    /// The replica that waited for a forwarded answer has it.
    Taken { number: u64 },
    /// The record of a session has changed.
    Edited { session: String },
    /// A session has ended.
    Ended { session: String },
}

impl BusMessage {
    /// Writes a message. Returns `None` if it is too large for a bus.
    pub(crate) fn write(from: u64, content: BusContent) -> Option<Bytes> {
        let format = FORMAT;
        let message = Self {
            format,
            from,
            content,
        };
        let written = RawJson::encode(&message).get().to_owned();
        (written.len() <= MAX_BUS_MESSAGE_BYTES).then(|| written.into())
    }

    /// Reads a message. Returns `None` if it is too large or can't be read, for example because a
    /// newer version has published it.
    pub(crate) fn read(message: &[u8]) -> Option<Self> {
        let is_small = message.len() <= MAX_BUS_MESSAGE_BYTES;
        let read: Self = is_small.then(|| serde_json::from_slice(message).ok())??;
        (read.format == FORMAT).then_some(read)
    }
}

/// Notifies the clients of all replicas that listen on `bus` of changes, from a process that serves
/// nothing, such as a worker. The replicas also run their
/// [`on_change`](crate::ServerBuilder::on_change) hooks.
///
/// A server with the bus publishes its own changes, so it does not need this function.
///
/// # Errors
///
/// The future fails if the bus is unavailable. The changes are then lost.
///
/// ```
/// use mcp_runtime::Change;
/// use mcp_runtime::store::{MemoryBus, StoreError, publish_changes};
///
/// # async fn example() -> Result<(), StoreError> {
/// let bus = MemoryBus::new();
/// publish_changes(&bus, [Change::Resource("report://today".to_owned())]).await
/// # }
/// ```
pub fn publish_changes(
    bus: &(impl Bus + ?Sized),
    changes: impl IntoIterator<Item = Change>,
) -> StoreFuture<()> {
    let content = BusContent::Changes(changes.into_iter().collect());
    match BusMessage::write(0, content) {
        Some(message) => bus.publish(message),
        None => Box::pin(async { Err(super::StoreError::new("too many changes in one message")) }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let body = RawJson::encode(&json!({"jsonrpc": "2.0", "id": 7, "result": {"a": 1.0}}));
        let changes = [Change::Tools, Change::Resource("a:1".to_owned())];
        for content in [
            BusContent::Changes(changes.into()),
            BusContent::Forwarded {
                session: "0a".to_owned(),
                number: u64::MAX,
                body,
            },
            BusContent::Taken { number: 1 },
        ] {
            let expected = format!("{content:?}");
            let written = BusMessage::write(9, content).unwrap();
            let read = BusMessage::read(&written).unwrap();
            assert_eq!((read.from, format!("{:?}", read.content)), (9, expected));
        }
    }

    #[test]
    fn a_message_that_is_unknown_or_too_large_is_ignored() {
        let known = r#"{"format":1,"from":2,"content":{"taken":{"number":3}}}"#;
        assert!(BusMessage::read(known.as_bytes()).is_some());
        for unknown in [
            "",
            "null",
            &known.replace("taken", "shaken"),
            &known.replace(r#""format":1"#, r#""format":2"#),
            &format!("{known}{}", " ".repeat(MAX_BUS_MESSAGE_BYTES)),
        ] {
            assert!(
                BusMessage::read(unknown.as_bytes()).is_none(),
                "{unknown:.80}"
            );
        }
        let large = "x".repeat(MAX_BUS_MESSAGE_BYTES);
        let content = BusContent::Ended { session: large };
        assert!(BusMessage::write(1, content).is_none());
    }
}
