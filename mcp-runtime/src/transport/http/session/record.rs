//! The record of a session in the store, from which any process opens the session.

use bytes::Bytes;
use mcp_types::RawJson;
use serde::{Deserialize, Serialize};

use super::SessionId;
use crate::server::{Principal, StoredSession};

/// The format of the records that this version writes.
///
/// Processes of two versions share the store during a deploy. So a version that can read a new
/// format writes the old one, and only its successor writes the new one. Within a format, `state`
/// may get new members.
const FORMAT: u32 = 1;

/// The record of a session.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    format: u32,
    /// The name of the principal that opened the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// The parameters of the client's `initialize`.
    pub(super) initialize: RawJson,
    pub(super) state: StoredSession,
}

/// Why a record can't be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    /// A newer version has written it.
    #[error("the record has the format {0}, which only a newer version can read")]
    Newer(u32),
    #[error("the record is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
}

impl SessionRecord {
    pub(super) fn new(owner: Option<&Principal>, initialize: RawJson) -> Self {
        Self {
            format: FORMAT,
            owner: owner.map(|owner| owner.name().to_owned()),
            initialize,
            state: StoredSession::default(),
        }
    }

    /// Returns the key under which the store has the record of a session.
    pub(super) fn key(id: SessionId) -> String {
        format!("session:{id}")
    }

    /// Reads a record.
    ///
    /// # Errors
    ///
    /// When the record is damaged, or a newer version has written it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = serde_json::from_slice(bytes)?;
        if format > FORMAT {
            return Err(RecordError::Newer(format));
        }
        Ok(serde_json::from_slice(bytes)?)
    }

    pub(super) fn write(&self) -> Bytes {
        RawJson::encode(self).get().to_owned().into()
    }

    pub(super) fn belongs_to(&self, principal: Option<&Principal>) -> bool {
        self.owner.as_deref() == principal.map(Principal::name)
    }

    pub(super) fn owner(&self) -> Option<Principal> {
        self.owner.clone().map(Principal::new)
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::LoggingLevel;
    use serde_json::{Value, json};

    use super::*;
    use crate::server::SessionEdit;

    fn record() -> SessionRecord {
        let initialize = RawJson::encode(&json!({"protocolVersion": "2025-06-18"}));
        SessionRecord::new(Some(&Principal::new("ann")), initialize)
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = record();
        for edit in [
            SessionEdit::Initialized,
            SessionEdit::LogLevel(LoggingLevel::Error),
            SessionEdit::Subscribe("a:1".to_owned()),
            SessionEdit::Subscribe("a:2".to_owned()),
            SessionEdit::Subscribe("a:1".to_owned()),
            SessionEdit::Unsubscribe("a:2".to_owned()),
        ] {
            record.state.apply(&edit);
        }
        let written = record.write();
        let json: Value = serde_json::from_slice(&written).unwrap();
        let expected = json!({
            "format": 1,
            "owner": "ann",
            "initialize": {"protocolVersion": "2025-06-18"},
            "state": {"initialized": true, "logLevel": "error", "resources": ["a:1"]},
        });
        assert_eq!(json, expected);
        let read = SessionRecord::read(&written).unwrap();
        assert_eq!(read.write(), written);
        assert!(read.belongs_to(Some(&Principal::new("ann"))));
        assert!(!read.belongs_to(Some(&Principal::new("bob"))) && !read.belongs_to(None));
    }

    #[test]
    fn an_edit_keeps_what_another_version_has_added_to_the_state() {
        let mut json: Value = serde_json::from_slice(&record().write()).unwrap();
        json["state"]["added"] = json!({"later": [1]});
        let mut read = SessionRecord::read(json.to_string().as_bytes()).unwrap();
        read.state.apply(&SessionEdit::Initialized);
        let written: Value = serde_json::from_slice(&read.write()).unwrap();
        assert_eq!(written["state"]["added"], json!({"later": [1]}));
        assert_eq!(written["state"]["initialized"], true);
    }

    #[test]
    fn a_record_of_a_newer_version_is_not_damaged() {
        let newer = SessionRecord::read(br#"{"format": 2, "owner": ["ann", "bob"]}"#);
        assert!(matches!(newer, Err(RecordError::Newer(2))));
        for damaged in ["", "{}", "[1]", r#"{"format": 1}"#, r#"{"format": "1"}"#] {
            let read = SessionRecord::read(damaged.as_bytes());
            assert!(matches!(read, Err(RecordError::Damaged(_))), "{damaged}");
        }
    }
}
