//! Methods that may be called, by the generated table and by the extensions of a server.

use std::sync::Arc;

use mcp_types::{DiscoverRequest, MethodInfo, Request as _, Revision, Side};

use crate::error::RequestError;

/// The table entry of a request that `sender` sends.
///
/// # Errors
///
/// When no revision has such a request in this direction.
pub(super) fn request(method: &str, sender: Side) -> Result<&'static MethodInfo, RequestError> {
    Revision::method(method)
        .filter(|info| info.is_request && !sent_by(info, sender).is_empty())
        .ok_or_else(|| RequestError::UnknownMethod(method.to_owned()))
}

/// The table entry of a request of a client, if there is such a request.
pub(crate) fn method_info(method: &str) -> Option<&'static MethodInfo> {
    request(method, Side::Client).ok()
}

/// Checks that `revision` has the request.
pub(super) fn in_revision(
    info: &'static MethodInfo,
    sender: Side,
    revision: Revision,
) -> Result<(), RequestError> {
    if info.is_sent_by(sender, revision) {
        return Ok(());
    }
    Err(RequestError::NotInRevision {
        method: info.name,
        revision,
    })
}

/// The error for a method that is not served here, because its capability was not declared.
pub(crate) fn not_offered(method: &str, side: Side, revision: Revision) -> RequestError {
    let info = Revision::method(method);
    match info.and_then(|info| Some((info.name, info.capability(side, revision)?))) {
        Some((method, capability)) => RequestError::NotOffered { method, capability },
        None => RequestError::UnknownMethod(method.to_owned()),
    }
}

fn sent_by(info: &MethodInfo, sender: Side) -> mcp_types::Revisions {
    match sender {
        Side::Client => info.by_client,
        Side::Server => info.by_server,
    }
}

/// The methods that the extensions of a server bring.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnMethods(Option<Arc<[String]>>);

impl OwnMethods {
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let names: Vec<_> = names.collect();
        Self((!names.is_empty()).then(|| names.into()))
    }

    /// Looks up a request of a client.
    ///
    /// # Errors
    ///
    /// When neither the protocol nor an extension has such a request.
    pub(super) fn known(&self, method: &str) -> Result<KnownMethod, RequestError> {
        request(method, Side::Client)
            .map(KnownMethod::Protocol)
            .or_else(|error| match &self.0 {
                Some(names) if names.iter().any(|name| name == method) => Ok(KnownMethod::Own),
                _ => Err(error),
            })
    }
}

/// A request that the server may serve.
#[derive(Clone, Copy, Debug)]
pub(super) enum KnownMethod {
    Protocol(&'static MethodInfo),
    /// One of an extension, which exists in every revision.
    Own,
}

impl KnownMethod {
    /// The table entry of a method of the protocol.
    pub(super) fn info(self) -> Option<&'static MethodInfo> {
        match self {
            Self::Protocol(info) => Some(info),
            Self::Own => None,
        }
    }

    /// Checks that `revision` has the request.
    ///
    /// # Errors
    ///
    /// When it has not.
    pub(super) fn in_revision(self, revision: Revision) -> Result<(), RequestError> {
        match self {
            Self::Protocol(info) => in_revision(info, Side::Client, revision),
            Self::Own => Ok(()),
        }
    }

    /// Whether the request is served only to clients with the required capabilities. Discovery tells
    /// clients which those are.
    pub(super) fn needs_capabilities(self) -> bool {
        self.info().map(|info| info.name) != Some(DiscoverRequest::METHOD)
    }
}
