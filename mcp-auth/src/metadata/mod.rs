//! Metadata of protected resources (RFC 9728) and authorization servers (RFC 8414, OpenID Connect
//! Discovery 1.0), the URLs where it is found, and the checks that it must pass before use.

mod authorization_server;
mod issuer_template;
mod resource;
pub(crate) mod url;

pub use authorization_server::{AuthorizationServerMetadata, authorization_server_metadata_urls};
pub use issuer_template::IssuerTemplate;
pub use resource::{ProtectedResourceMetadata, ResourceMetadataUrl, resource_metadata_urls};

/// The reason why metadata can't be found or must not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The identifier is not an absolute `http` or `https` URL with a host, or it has a user or a fragment.
    #[error(
        "`{0}` is not the URL of a server: it needs https, a host, and neither user nor fragment"
    )]
    Url(String),
    /// The document is not a JSON object with the required members, or a member has the wrong type.
    #[error("the metadata can't be read: {0}")]
    Document(String),
    /// The document describes a different resource than the server (RFC 9728 §3.3).
    #[error("the metadata describes `{found}`, but the server is `{expected}`: it is not used")]
    Resource {
        /// The server's URL.
        expected: String,
        /// The `resource` of the document.
        found: String,
    },
    /// The document belongs to a different issuer than the requested one (RFC 8414 §3.3).
    #[error("the metadata belongs to the issuer `{found}`, not to `{expected}`: it is not used")]
    Issuer {
        /// The requested issuer.
        expected: String,
        /// The `issuer` of the document.
        found: String,
    },
}
