//! The outcome of version and capability negotiation.

use mcp_types::{
    ClientCapabilities, Era, Implementation, Revision, ServerCapabilities, Side, methods,
};

use crate::error::Unavailable;

/// What two peers negotiated: once by a handshake, or anew with each stateless request.
///
/// `C` is the peer's type of capabilities: a server holds [`ClientCapabilities`], a client holds
/// [`ServerCapabilities`](mcp_types::ServerCapabilities). Follows "Lifecycle" of 2025-11-25 and the
/// section on `_meta` of 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiated<C = ClientCapabilities> {
    /// The revision that is spoken.
    pub revision: Revision,
    /// Name and version of the peer, as it states them; never verified, and left out by some.
    pub peer_info: Option<Implementation>,
    /// Capabilities that the peer declared.
    pub peer_capabilities: C,
    /// How to use the server, in words for a model. Only servers send it.
    pub instructions: Option<String>,
}

impl Negotiated {
    /// Whether each result carries the name of the server, because no handshake did.
    pub(crate) fn results_name_server(&self) -> bool {
        self.revision.era() == Era::Stateless
    }

    /// Whether a client's settings hold until the end of the session, not only for the request that
    /// carries them.
    pub(crate) fn outlive_requests(&self) -> bool {
        self.revision.era() == Era::Handshake
    }

    /// Whether the client understands a stream that begins with an event without data, only there
    /// for its id (2025-11-25, "Transports", section "Sending Messages to the Server").
    pub(crate) fn primes_streams(&self) -> bool {
        self.revision.era() == Era::Handshake && self.revision >= Revision::V2025_11_25
    }
}

/// Whether `revision` lets only an object be structured content (2025-11-25, "Tools"); later ones
/// take any JSON.
pub(crate) fn structured_content_is_object(revision: Revision) -> bool {
    revision < Revision::V2026_07_28
}

impl Negotiated<ServerCapabilities> {
    /// Whether a request may be sent by what was negotiated.
    pub(super) fn allows(&self, method: &'static str) -> Result<(), Unavailable> {
        if !self.revision.allows(method, Side::Client) {
            return Err(Unavailable::NotInRevision {
                method,
                revision: self.revision,
            });
        }
        match self.missing_capability(method) {
            Some(capability) => Err(Unavailable::NotOffered { method, capability }),
            None => Ok(()),
        }
    }

    /// The capability that `method` needs and the server does not offer.
    fn missing_capability(&self, method: &str) -> Option<&'static str> {
        let offered = &self.peer_capabilities;
        let resources = offered.resources.as_ref();
        let (capability, present) = match method {
            methods::TOOLS_LIST | methods::TOOLS_CALL => ("tools", offered.tools.is_some()),
            methods::PROMPTS_LIST | methods::PROMPTS_GET => ("prompts", offered.prompts.is_some()),
            methods::RESOURCES_LIST
            | methods::RESOURCES_TEMPLATES_LIST
            | methods::RESOURCES_READ => ("resources", resources.is_some()),
            methods::RESOURCES_SUBSCRIBE | methods::RESOURCES_UNSUBSCRIBE => {
                let subscribe = resources.and_then(|resources| resources.subscribe);
                ("resources.subscribe", subscribe == Some(true))
            }
            methods::LOGGING_SET_LEVEL => ("logging", offered.logging.is_some()),
            // The first revision had completion, and no capability for it.
            methods::COMPLETION_COMPLETE => {
                let present = offered.completions.is_some();
                (
                    "completions",
                    present || self.revision == Revision::V2024_11_05,
                )
            }
            methods::TASKS_GET | methods::TASKS_RESULT => ("tasks", offered.tasks.is_some()),
            methods::TASKS_LIST => {
                let tasks = offered.tasks.as_ref();
                (
                    "tasks.list",
                    tasks.is_some_and(|tasks| tasks.list.is_some()),
                )
            }
            methods::TASKS_CANCEL => {
                let tasks = offered.tasks.as_ref();
                (
                    "tasks.cancel",
                    tasks.is_some_and(|tasks| tasks.cancel.is_some()),
                )
            }
            _ => return None,
        };
        (!present).then_some(capability)
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{ServerCapabilitiesResources, ServerCapabilitiesTools};

    use super::*;

    fn negotiated(revision: Revision) -> Negotiated<ServerCapabilities> {
        let resources = ServerCapabilitiesResources::new();
        Negotiated {
            revision,
            peer_info: None,
            peer_capabilities: ServerCapabilities::new()
                .with_tools(ServerCapabilitiesTools::new())
                .with_resources(resources),
            instructions: None,
        }
    }

    #[test]
    fn what_is_not_offered_is_not_asked_for() {
        let negotiated = negotiated(Revision::V2025_11_25);
        assert_eq!(negotiated.allows(methods::TOOLS_CALL), Ok(()));
        assert_eq!(negotiated.allows(methods::RESOURCES_READ), Ok(()));
        for (method, capability) in [
            (methods::PROMPTS_LIST, "prompts"),
            (methods::RESOURCES_SUBSCRIBE, "resources.subscribe"),
            (methods::LOGGING_SET_LEVEL, "logging"),
            (methods::COMPLETION_COMPLETE, "completions"),
            (methods::TASKS_CANCEL, "tasks.cancel"),
        ] {
            let refused = Unavailable::NotOffered { method, capability };
            assert_eq!(negotiated.allows(method), Err(refused));
        }
    }

    #[test]
    fn the_first_revision_completes_without_a_capability() {
        let negotiated = negotiated(Revision::V2024_11_05);
        assert_eq!(negotiated.allows(methods::COMPLETION_COMPLETE), Ok(()));
    }

    #[test]
    fn what_the_revision_lacks_is_not_asked_for() {
        let negotiated = negotiated(Revision::V2026_07_28);
        let refused = Unavailable::NotInRevision {
            method: methods::PING,
            revision: Revision::V2026_07_28,
        };
        assert_eq!(negotiated.allows(methods::PING), Err(refused));
    }
}
