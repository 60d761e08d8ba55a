//! The certificate authorities that connections trust.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mcp_config::Remote;
use mcp_runtime::transport::http_client::HttpUrl;
use mcp_runtime::transport::websocket::WebSocketUrl;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer as Der, ServerName, UnixTime};
use rustls::{
    ClientConfig, DigitallySignedStruct as Signed, Error, RootCertStore, SignatureScheme,
};
use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};

use crate::failure::Failure;

/// Root certificates in DER format, which add to Mozilla's or replace them.
pub(crate) struct Roots {
    certificates: Vec<Vec<u8>>,
    only: bool,
}

impl Roots {
    /// Loads the certificates of the operating system, of `--ca` and of `NODE_EXTRA_CA_CERTS`.
    ///
    /// If `SSL_CERT_FILE` or `SSL_CERT_DIR` is set, the certificates from there replace those from
    /// Mozilla and the operating system.
    ///
    /// # Errors
    ///
    /// Fails if a file named by an option or a variable contains no certificate.
    pub(crate) fn load(options: &[PathBuf]) -> Result<Self, Failure> {
        let variable = |name| Some((name, PathBuf::from(env::var_os(name)?)));
        let is_set = |it: &(_, PathBuf)| !it.1.as_os_str().is_empty();
        let store = variable("SSL_CERT_FILE").filter(is_set);
        let store = store.or_else(|| variable("SSL_CERT_DIR").filter(is_set));
        let found = load_native_certs();
        let mut certificates = match &store {
            Some((name, place)) => some(found, name, place)?,
            None => usable(&found)
                .into_iter()
                .filter(|it| !is_of_mozilla(it))
                .collect(),
        };
        let extra = variable("NODE_EXTRA_CA_CERTS").filter(is_set);
        let options = options.iter().map(|it| ("--ca", it.clone()));
        for (name, file) in options.chain(extra) {
            let found = load_certs_from_paths(Some(&file), None);
            certificates.extend(some(found, name, &file)?);
        }
        Ok(Self {
            certificates,
            only: store.is_some(),
        })
    }

    pub(crate) fn http(&self, remote: &Remote) -> HttpUrl {
        let mut url = remote.http();
        if self.only {
            url = url.without_default_roots();
        }
        let certificates = self.certificates.iter();
        certificates.fold(url, |url, it| url.root_certificate(&**it))
    }

    pub(crate) fn websocket(&self, remote: &Remote) -> WebSocketUrl {
        let mut url = remote.websocket();
        if self.only {
            url = url.without_default_roots();
        }
        let certificates = self.certificates.iter();
        certificates.fold(url, |url, it| url.root_certificate(&**it))
    }

    /// The settings of a TLS client, and what it sees. Returns `None` if there are no authorities.
    pub(crate) fn observed(&self) -> Option<(ClientConfig, Arc<Observer>)> {
        let defaults = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
        let mut roots = RootCertStore::from_iter(defaults.filter(|_| !self.only));
        roots.add_parsable_certificates(self.certificates.iter().map(|it| (&**it).into()));
        let provider = Arc::new(default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions().ok()?;
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier.build().ok()?;
        let seen = OnceLock::new();
        let observer = Arc::new(Observer { verifier, seen });
        let config = config.dangerous();
        let config = config.with_custom_certificate_verifier(Arc::clone(&observer) as _);
        Some((config.with_no_client_auth(), observer))
    }
}

/// Verifies certificates as usual, and keeps the certificate of the server, even if it is refused.
#[derive(Debug)]
pub(crate) struct Observer {
    verifier: Arc<WebPkiServerVerifier>,
    pub(crate) seen: OnceLock<Vec<u8>>,
}

type Verified = Result<HandshakeSignatureValid, Error>;

impl ServerCertVerifier for Observer {
    fn verify_server_cert(
        &self,
        certificate: &Der<'_>,
        chain: &[Der<'_>],
        name: &ServerName<'_>,
        response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.seen.get_or_init(|| certificate.to_vec());
        let verifier = &self.verifier;
        verifier.verify_server_cert(certificate, chain, name, response, now)
    }

    fn verify_tls12_signature(&self, text: &[u8], by: &Der<'_>, signed: &Signed) -> Verified {
        self.verifier.verify_tls12_signature(text, by, signed)
    }

    fn verify_tls13_signature(&self, text: &[u8], by: &Der<'_>, signed: &Signed) -> Verified {
        self.verifier.verify_tls13_signature(text, by, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// The certificates that are valid trust anchors. Stores of operating systems also contain others.
fn usable(found: &CertificateResult) -> Vec<Vec<u8>> {
    let is_usable = |it: &&_| webpki::anchor_from_trusted_cert(it).is_ok();
    let certificates = found.certs.iter().filter(is_usable);
    certificates.map(|it| it.to_vec()).collect()
}

/// Returns true for a certificate that is trusted by default. Most of an operating system are.
fn is_of_mozilla(certificate: &[u8]) -> bool {
    let certificate = certificate.into();
    let anchor = webpki::anchor_from_trusted_cert(&certificate);
    anchor.is_ok_and(|it| webpki_roots::TLS_SERVER_ROOTS.contains(&it))
}

/// The certificates in the file or folder named by an option or a variable. Fails if there are
/// no certificates.
fn some(found: CertificateResult, name: &str, place: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let certificates = usable(&found);
    if !certificates.is_empty() {
        return Ok(certificates);
    }
    let reason = match found.errors.first() {
        Some(error) => error.to_string(),
        None => "it contains no certificate in PEM form".to_owned(),
    };
    let message = format!("{name} {}: {reason}", place.display());
    Err(Failure::usage(message))
}
