//! Tests certificate authorities from options and variables.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::{Run, User, answer};

pub(crate) const ROOT: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/root.der");
pub(crate) const CERTIFICATE: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/localhost.der");
pub(crate) const KEY: &[u8] =
    include_bytes!("../../../mcp-runtime/tests/transports/certificates/localhost.key.der");

/// Starts a server that has this certificate, and answers with 404. Returns its port.
pub(crate) fn encrypted(certificate: &'static [u8], key: &'static [u8]) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate)],
            PrivateKeyDer::try_from(key).unwrap(),
        );
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let stream = StreamOwned::new(connection, stream.unwrap());
            thread::spawn(move || answer(stream, "404 Not Found", ""));
        }
    });
    port
}

/// A file with a root certificate, after a comment.
pub(crate) fn pem(root: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(root);
    format!("# a comment\n-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

/// A user with the root certificate in files: as PEM after a comment, and as DER.
fn user() -> User {
    let user = User::new();
    let pem = pem(ROOT);
    user.write("ca.pem", &pem);
    user.write("none.pem", "# a comment\n");
    user.write("broken.pem", &pem.replace("MII", "MIJ"));
    std::fs::write(user.path("ca.der"), ROOT).unwrap();
    user
}

fn inspect(user: &User, url: &str, options: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = user.command(&["inspect", url]);
    let command = command.args(options).envs(variables.iter().copied());
    command.output().unwrap().into()
}

#[test]
fn authorities_are_added_and_replaced() {
    let user = user();
    let port = encrypted(CERTIFICATE, KEY);
    let both = ["https", "wss"].map(|scheme| format!("{scheme}://localhost:{port}/"));
    for url in &both {
        let run = inspect(&user, url, &[], &[]);
        run.fails(4, &["an authority that is not trusted", "--ca FILE"]);
        assert!(!run.stderr.contains("root_certificate"), "{run:?}");
        for (options, variables) in [
            (&["--ca", "ca.pem"][..], &[][..]),
            (&["--ca", "ca.pem", "--ca", "ca.pem"], &[]),
            (&[], &[("NODE_EXTRA_CA_CERTS", "ca.pem")]),
            (&[], &[("SSL_CERT_FILE", "ca.pem")]),
            (
                &["--ca", "ca.pem"],
                &[("NODE_EXTRA_CA_CERTS", ""), ("SSL_CERT_FILE", "")],
            ),
        ] {
            let run = inspect(&user, url, options, variables);
            run.fails(4, &["404"]);
        }
    }
    let checked = json_check(&user, &both[0]);
    assert!(checked.contains("404"), "{checked}");
}

/// The output of `servers --check` for a URL, with `--ca`.
fn json_check(user: &User, url: &str) -> String {
    let servers = serde_json::json!({"mcpServers": {"s": {"url": url}}});
    user.write("servers.json", &servers.to_string());
    let arguments = [
        "servers",
        "--check",
        "--config",
        "servers.json",
        "--ca",
        "ca.pem",
    ];
    let run = user.run(&arguments);
    run.fails(4, &["1 of 1 servers"]);
    run.stdout
}

#[test]
fn a_file_without_a_certificate_is_named() {
    let user = user();
    let url = "https://localhost:9/";
    let node = "NODE_EXTRA_CA_CERTS";
    for (options, variables, parts) in [
        (
            &["--ca", "missing.pem"][..],
            &[][..],
            ["--ca missing.pem: ", "No such file"],
        ),
        (
            &["--ca", "none.pem"],
            &[],
            ["--ca none.pem: ", "no certificate in PEM form"],
        ),
        (
            &["--ca", "broken.pem"],
            &[],
            ["--ca broken.pem: ", "no certificate in PEM form"],
        ),
        (
            &["--ca", "ca.der"],
            &[],
            ["--ca ca.der: ", "no certificate in PEM form"],
        ),
        (
            &[],
            &[(node, "missing.pem")],
            ["NODE_EXTRA_CA_CERTS missing.pem: ", "No such file"],
        ),
        (
            &[],
            &[("SSL_CERT_FILE", "x")],
            ["SSL_CERT_FILE x: ", "No such file"],
        ),
    ] {
        inspect(&user, url, options, variables).fails(2, &parts);
    }
}
