//! TLS of HTTP and WebSocket clients.

use std::error::Error;
use std::io;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, ClientConfig, RootCertStore};

/// Returns a configuration that trusts the root certificates of the Mozilla project and `roots`, which
/// are in DER.
///
/// # Errors
///
/// If one of `roots` is no certificate.
pub(in crate::transport) fn config(roots: &[Vec<u8>]) -> io::Result<ClientConfig> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let mut trusted = RootCertStore::empty();
    trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for root in roots {
        if root.trim_ascii_start().starts_with(b"-----BEGIN") {
            let reason = "the root certificate is PEM, but must be DER: convert it, for example by \
                          `openssl x509 -in root.pem -outform der -out root.der`";
            return Err(invalid(reason.to_owned()));
        }
        let added = trusted.add(CertificateDer::from(root.clone()));
        added.map_err(|error| invalid(format!("the root certificate can't be used: {error}")))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(config.with_root_certificates(trusted).with_no_client_auth())
}

/// Returns advice for TLS errors that users meet.
pub(in crate::transport) fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut error = error;
    // One error of I/O may hold another one, which is not its source.
    while let Some(outer) = error.downcast_ref::<io::Error>() {
        error = outer.get_ref()?;
    }
    match error.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidMessage(_) => Some(
            "the server does not speak TLS there: use another port, or a URL without TLS \
             (`http://`, `ws://`)",
        ),
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Some(
            "the server's certificate was issued by an authority that is not trusted here: add the \
             certificate of that authority by `root_certificate`",
        ),
        // webpki names it `CaUsedAsEndEntity`, and rustls keeps that as a foreign error.
        rustls::Error::InvalidCertificate(CertificateError::Other(other))
            if format!("{other:?}").contains("CaUsedAsEndEntity") =>
        {
            Some(
                "the server's certificate is self-signed, or that of an authority, and can't be \
                 trusted as a server's: issue another one for the server, signed by it, and add \
                 the first one by `root_certificate`",
            )
        }
        _ => None,
    }
}
