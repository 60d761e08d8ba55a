//! Switches.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;

/// Switches of an [`AuthorizationServer`](crate::AuthorizationServer). All can be changed while it runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the metadata is.
    pub metadata: Metadata,
    /// The path of the issuer, as `/tenant1`; empty for none. Read when the server starts.
    pub path: String,
    /// `issuer` of the metadata, where it is not the server's.
    pub claimed_issuer: Option<String>,
    /// `scopes_supported`. Others are refused, unless the list is empty.
    pub scopes: Vec<String>,
    /// Resources that tokens are issued for. Others are refused, unless the list is empty.
    pub resources: Vec<String>,
    /// Offers dynamic registration (RFC 7591).
    pub registration: bool,
    /// Takes any https URL as the identifier of a public client, and does not fetch it.
    pub client_metadata_documents: bool,
    /// `token_endpoint_auth_methods_supported`; other methods are refused.
    pub auth_methods: Vec<&'static str>,
    /// Offers pushed authorization requests (RFC 9126).
    pub pushed_requests: bool,
    /// Requires them.
    pub only_pushed_requests: bool,
    /// Advertises PKCE with S256. It is required in any case.
    pub advertise_s256: bool,
    /// `iss` of authorization responses.
    pub iss: Iss,
    /// Advertises `iss` (RFC 9207).
    pub advertise_iss: bool,
    /// What the person decides.
    pub decision: Decision,
    /// Proofs of possession (RFC 9449).
    pub dpop: Dpop,
    /// Requires the server's nonce in proofs.
    pub dpop_nonces: bool,
    /// Issues refresh tokens; each is good for one use, and a second use revokes all of its login.
    pub refresh_tokens: bool,
    /// Lifetime of access tokens.
    pub access_lifetime: Duration,
    /// Lifetime of refresh tokens.
    pub refresh_lifetime: Duration,
    /// Tells the lifetime in `expires_in`.
    pub expires_in: bool,
    /// The form of access tokens.
    pub token_format: TokenFormat,
    /// The algorithm of the keys that are made from now on.
    pub algorithm: Algorithm,
    /// Offers introspection (RFC 7662).
    pub introspection: bool,
    /// Offers revocation (RFC 7009).
    pub revocation: bool,
    /// By how many seconds the server's clock is fast.
    pub clock_offset: i64,
    /// `sub` of whoever logs in.
    pub subject: String,
    /// Other claims of ID tokens; null removes one.
    pub id_token_claims: Value,
    /// Clients that are registered beforehand.
    pub clients: Vec<Client>,
}

/// Where the metadata of an issuer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// `/.well-known/oauth-authorization-server`, before the issuer's path.
    Rfc8414,
    /// `/.well-known/openid-configuration`, before the issuer's path.
    OpenId,
    /// `/.well-known/openid-configuration`, behind the issuer's path.
    OpenIdBehind,
    /// Nowhere.
    None,
}

/// `iss` of authorization responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Iss {
    /// The issuer.
    Sent,
    /// None.
    Missing,
    /// Another text.
    Is(String),
}

/// What the person decides at the authorization endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Grants what was asked for.
    Grant,
    /// Grants only these scopes.
    Narrow(Vec<String>),
    /// Refuses, with `error` and `error_description`.
    Refuse(String, String),
}

/// Whether tokens are bound to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dpop {
    /// Never: proofs are ignored.
    Off,
    /// If the client sends a proof.
    Offered,
    /// Always.
    Required,
}

/// The form of access tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFormat {
    /// A JWT of RFC 9068.
    Jwt,
    /// A random text, for introspection.
    Opaque,
}

/// The algorithm of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256.
    Es256,
    /// RSASSA-PKCS1-v1_5. There are two such keys, which rotation takes in turn.
    Rs256,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            metadata: Metadata::Rfc8414,
            path: String::new(),
            claimed_issuer: None,
            scopes: Vec::new(),
            resources: Vec::new(),
            registration: true,
            client_metadata_documents: false,
            auth_methods: vec![
                "none",
                "client_secret_basic",
                "client_secret_post",
                "private_key_jwt",
            ],
            pushed_requests: false,
            only_pushed_requests: false,
            advertise_s256: true,
            iss: Iss::Sent,
            advertise_iss: true,
            decision: Decision::Grant,
            dpop: Dpop::Off,
            dpop_nonces: false,
            refresh_tokens: true,
            access_lifetime: Duration::from_secs(300),
            refresh_lifetime: Duration::from_secs(86_400),
            expires_in: true,
            token_format: TokenFormat::Jwt,
            algorithm: Algorithm::Es256,
            introspection: true,
            revocation: true,
            clock_offset: 0,
            subject: "alice".to_owned(),
            id_token_claims: json!({}),
            clients: Vec::new(),
        }
    }
}
