//! Messages as JSON, and how clients get them.

use std::sync::{Arc, Mutex, OnceLock};

use mcp_types::jsonrpc::write;
use mcp_types::{
    Implementation, OrderedMap, RawJson, RawJsonRef, RequestId, Revision, Side, meta_keys, methods,
};
use serde_json::json;

use crate::connection::Peer;
use crate::protocol::{Change, Negotiated};
use crate::sync::lock;

/// Sends a notification as it is. A notification that is not `urgent` is lost if the peer has not
/// read the earlier ones.
pub(super) fn send(peer: &Peer, method: &str, params: Option<RawJsonRef<'_>>, urgent: bool) {
    let mut frame = Vec::new();
    write::notification(&mut frame, method, params.as_ref());
    if let Err(error) = peer.send_frame(frame, urgent) {
        tracing::debug!(method, %error, "a notification was not passed on");
    }
}

/// Replaces the id of the subscription that a notification or a result belongs to.
pub(super) fn of_subscription(message: &RawJson, id: &RequestId) -> RawJson {
    with(message, &["_meta", meta_keys::SUBSCRIPTION_ID], id)
}

/// Returns the object with the member at `path` set to `value`. Other JSON stays as it is.
pub(super) fn with(object: &RawJson, path: &[&str], value: impl serde::Serialize) -> RawJson {
    let Some((name, rest)) = path.split_first() else {
        return RawJson::encode(&value);
    };
    let Ok(mut members) = object.parse::<OrderedMap<RawJson>>() else {
        return object.clone();
    };
    let member = members.entry((*name).to_owned());
    let member = member.or_insert_with(RawJson::empty_object);
    *member = with(member, rest, value);
    RawJson::encode(&members)
}

/// The name of a proxy, unless a program sets another one.
pub(super) fn info() -> Implementation {
    Implementation::new("mcp-proxy", env!("CARGO_PKG_VERSION"))
}

/// The method and the parameters of the notification that announces a change.
pub(super) fn announcement(change: Change) -> (&'static str, Option<RawJson>) {
    match change {
        Change::Tools => (methods::NOTIFICATIONS_TOOLS_LIST_CHANGED, None),
        Change::Prompts => (methods::NOTIFICATIONS_PROMPTS_LIST_CHANGED, None),
        Change::Resources => (methods::NOTIFICATIONS_RESOURCES_LIST_CHANGED, None),
        Change::Resource(uri) => (
            methods::NOTIFICATIONS_RESOURCES_UPDATED,
            Some(json!({"uri": uri}).into()),
        ),
    }
}

/// Returns true if a server may send the notification in `revision`. Methods that no revision has
/// belong to extensions.
fn exists_in(method: &str, revision: Revision) -> bool {
    Revision::method(method).is_none() || revision.allows(method, Side::Server)
}

/// A client with a handshake, which gets the messages of servers that belong to no request.
pub(super) struct Listener {
    negotiated: Mutex<Arc<Negotiated>>,
    /// The client, from the end of the handshake on.
    peer: OnceLock<Peer>,
}

impl Listener {
    pub(super) fn new(negotiated: &Arc<Negotiated>) -> Self {
        Self {
            negotiated: Mutex::new(Arc::clone(negotiated)),
            peer: OnceLock::new(),
        }
    }

    pub(super) fn revision(&self) -> Revision {
        lock(&self.negotiated).revision
    }

    /// Sets the revision that the server has chosen.
    pub(super) fn agree(&self, revision: Revision) {
        let mut negotiated = lock(&self.negotiated);
        *negotiated = Arc::new(Negotiated {
            revision,
            ..(**negotiated).clone()
        });
    }

    /// Records that the handshake is complete. Returns what was negotiated.
    pub(super) fn begin(&self, peer: &Peer) -> Arc<Negotiated> {
        self.peer.get_or_init(|| peer.clone());
        Arc::clone(&lock(&self.negotiated))
    }

    pub(super) fn peer(&self) -> Option<&Peer> {
        self.peer.get()
    }

    /// Passes on a notification.
    pub(super) fn hear(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(peer) = self.peer()
            && exists_in(method, self.revision())
        {
            send(peer, method, params, true);
        }
    }

    /// Notifies the client of a changed list.
    pub(super) fn announce(&self, list: Change) {
        self.hear(announcement(list).0, None);
    }
}
