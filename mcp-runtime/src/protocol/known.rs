//! Which requests a server knows: those of the protocol, and those of its extensions.

use std::sync::Arc;

use mcp_types::{DiscoverRequest, Era, MethodInfo, Request as _, Revision, Side};

use super::methods;
use crate::error::RequestError;

/// The methods that the extensions of a server bring.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnMethods(Option<Arc<[String]>>);

impl OwnMethods {
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let names: Vec<_> = names.collect();
        Self((!names.is_empty()).then(|| names.into()))
    }

    /// What is known about a request of a client.
    ///
    /// # Errors
    ///
    /// When nobody has such a request.
    pub(super) fn known(&self, method: &str) -> Result<Known, RequestError> {
        methods::request(method, Side::Client)
            .map(Known::Protocol)
            .or_else(|refusal| match &self.0 {
                Some(names) if names.iter().any(|name| name == method) => Ok(Known::Own),
                _ => Err(refusal),
            })
    }
}

/// A request that somebody may serve.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Protocol(&'static MethodInfo),
    /// One of an extension, which exists in every revision.
    Own,
}

impl Known {
    /// The name of a method of the protocol.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Protocol(info) => Some(info.name),
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
            Self::Protocol(info) => methods::in_revision(info, Side::Client, revision),
            Self::Own => Ok(()),
        }
    }

    /// Whether the request exists in no other era than `era`.
    pub(super) fn only_in(self, era: Era) -> bool {
        match self {
            Self::Protocol(info) => only_in(era, info),
            Self::Own => false,
        }
    }

    /// Whether the request is served only to clients that have what the server demands of them.
    /// How else would they learn what that is?
    pub(super) fn needs_capabilities(self) -> bool {
        self.name() != Some(DiscoverRequest::METHOD)
    }
}

/// Whether a client's request exists in no other era than `era`.
pub(super) fn only_in(era: Era, info: &MethodInfo) -> bool {
    info.by_client.iter().all(|revision| revision.era() == era)
}
