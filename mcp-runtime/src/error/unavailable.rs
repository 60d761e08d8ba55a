//! Requests that are not sent.

use mcp_types::Revision;

use crate::protocol::LifecycleState;

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The connection is not, or no longer, in a state that allows the request.
    #[error("`{method}` can't be sent while the connection is {state}")]
    State {
        /// The method of the request.
        method: &'static str,
        /// Where the connection is in its life.
        state: LifecycleState,
    },
    /// The revision that is spoken does not have the method.
    #[error("`{method}` does not exist in revision {revision}, which is spoken")]
    NotInRevision {
        /// The method of the request.
        method: &'static str,
        /// The revision that was agreed on.
        revision: Revision,
    },
    /// The server does not offer what the request asks for.
    #[error("`{method}` needs the capability `{capability}`, which the server does not offer")]
    NotOffered {
        /// The method of the request.
        method: &'static str,
        /// The capability that the server would have to declare.
        capability: &'static str,
    },
    /// The client did not declare that it can be asked such a thing.
    #[error("`{method}` needs the capability `{capability}`, which the client did not declare")]
    NotDeclared {
        /// The method of the request.
        method: &'static str,
        /// The capability that the client would have to declare.
        capability: &'static str,
    },
}
