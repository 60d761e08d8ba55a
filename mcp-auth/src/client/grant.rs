//! The grants by which a client gets its first token.

use std::fmt;

use super::identity_provider::IdentityProvider;
use super::token_source::TokenSource;

const CLIENT_CREDENTIALS: &str = "io.modelcontextprotocol/oauth-client-credentials";
const ENTERPRISE: &str = "io.modelcontextprotocol/enterprise-managed-authorization";

/// The way by which a client gets its first token.
#[derive(Clone)]
pub(crate) enum Grant {
    /// A person logs in.
    Login,
    /// The client itself has the rights (RFC 6749 §4.4).
    ClientCredentials,
    /// A person's identity provider decides (ID-JAG).
    Enterprise(IdentityProvider),
    /// A token of the workload's platform is presented (RFC 7523 §2.1).
    Workload(TokenSource),
}

impl Grant {
    /// True if nobody is asked: a new token can be had at any time.
    pub(crate) fn is_unattended(&self) -> bool {
        !matches!(self, Self::Login)
    }

    /// The identifier of the protocol's extension that defines it.
    pub(crate) fn extension(&self) -> Option<&'static str> {
        match self {
            Self::ClientCredentials => Some(CLIENT_CREDENTIALS),
            Self::Enterprise(_) => Some(ENTERPRISE),
            Self::Login | Self::Workload(_) => None,
        }
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Login => "Login",
            Self::ClientCredentials => "ClientCredentials",
            Self::Enterprise(_) => "Enterprise",
            Self::Workload(_) => "Workload",
        })
    }
}
