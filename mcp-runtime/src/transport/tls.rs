//! TLS, as clients use it.

use std::io;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

/// TLS with servers whose certificates lead to the roots of the Mozilla project, or to one of
/// `roots`, which are in DER.
///
/// # Errors
///
/// When one of `roots` is no certificate.
pub(in crate::transport) fn config(roots: &[Vec<u8>]) -> io::Result<Arc<ClientConfig>> {
    let mut trusted = RootCertStore::empty();
    trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for root in roots {
        let added = trusted.add(CertificateDer::from(root.clone()));
        added.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(Arc::new(
        config.with_root_certificates(trusted).with_no_client_auth(),
    ))
}
