//! How the client of a proxy introduces itself, and who gets what the server sends.

use std::str::FromStr as _;
use std::sync::Mutex;

use mcp_types::{ErrorObject, OrderedMap, RawJson, RawJsonRef, Revision, meta_keys};

use crate::connection::BoxFuture;
use crate::sync::lock;

type OnRequest = Box<
    dyn Fn(&str, Option<RawJsonRef<'_>>) -> BoxFuture<Result<RawJson, ErrorObject>> + Send + Sync,
>;

type OnNotification = Box<dyn Fn(&str, Option<RawJsonRef<'_>>) + Send + Sync>;

/// The settings of a client that belongs to a proxy.
pub(crate) struct RelayConfig {
    /// The parameters of a caller's `initialize`, which contain its name and its capabilities.
    pub(crate) introduction: OrderedMap<RawJson>,
    /// Serves the requests of the server, except `ping`.
    pub(crate) on_request: OnRequest,
    pub(crate) on_notification: OnNotification,
    /// The last result of `initialize` or `server/discover`.
    pub(crate) opened: Mutex<Option<RawJson>>,
}

impl RelayConfig {
    /// The revision that the caller requests, if it is known.
    pub(super) fn revision(&self) -> Option<Revision> {
        let requested: String = self.introduction.get("protocolVersion")?.parse().ok()?;
        Revision::from_str(&requested).ok()
    }

    /// Returns the parameters of `initialize`.
    pub(super) fn initialize(&self, asked: Revision) -> RawJson {
        let mut params = self.introduction.clone();
        params.insert("protocolVersion".into(), RawJson::encode(asked.as_str()));
        RawJson::encode(&params)
    }

    pub(super) fn opened_with(&self, result: &RawJson) {
        *lock(&self.opened) = Some(result.clone());
    }

    pub(super) fn opened(&self) -> Option<RawJson> {
        lock(&self.opened).clone()
    }
}

/// Returns the members of `_meta` of a stateless request, as JSON without braces, for a caller with
/// this introduction.
pub(crate) fn request_meta(introduction: &OrderedMap<RawJson>, revision: Revision) -> String {
    let version = revision.as_str();
    let mut meta = format!(r#""{}":"{version}""#, meta_keys::PROTOCOL_VERSION);
    for (key, name) in [
        (meta_keys::CLIENT_INFO, "clientInfo"),
        (meta_keys::CLIENT_CAPABILITIES, "capabilities"),
    ] {
        if let Some(value) = introduction.get(name) {
            meta.push_str(&format!(r#","{key}":{value}"#));
        }
    }
    meta
}
