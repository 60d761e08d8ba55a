//! Metadata of protected resources (RFC 9728) and authorization servers (RFC 8414, OpenID Connect
//! Discovery 1.0), the URLs at which it is found, and the checks without which it must not be used.

mod authorization_server;
mod error;
mod issuer_template;
mod resource;
pub(crate) mod url;

pub use authorization_server::{AuthorizationServerMetadata, authorization_server_metadata_urls};
pub use error::MetadataError;
pub use issuer_template::IssuerTemplate;
pub use resource::{ProtectedResourceMetadata, ResourceMetadataUrl, resource_metadata_urls};
