//! Settings of the authorization server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;

/// Settings of an [`AuthorizationServer`](crate::AuthorizationServer). They can be changed while
/// the server runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The URL of the metadata.
    pub metadata: Metadata,
    /// The path of the issuer, such as `/tenant1`, or an empty string. It is read when the server
    /// starts.
    pub path: String,
    /// The `issuer` in the metadata, if it differs from the server's issuer.
    pub claimed_issuer: Option<String>,
    /// `scopes_supported`. Other scopes are rejected, unless the list is empty.
    pub scopes: Vec<String>,
    /// Resources that tokens are issued for. Other resources are rejected, unless the list is
    /// empty.
    pub resources: Vec<String>,
    /// Offers dynamic registration (RFC 7591).
    pub registration: bool,
    /// Accepts any https URL as the identifier of a public client, without fetching it.
    pub client_metadata_documents: bool,
    /// `token_endpoint_auth_methods_supported`. Other methods are rejected.
    pub auth_methods: Vec<&'static str>,
    /// Offers pushed authorization requests (RFC 9126).
    pub pushed_requests: bool,
    /// Requires pushed authorization requests.
    pub only_pushed_requests: bool,
    /// Advertises PKCE with S256, which is required in any case.
    pub advertise_s256: bool,
    /// The `iss` of authorization responses.
    pub iss: Iss,
    /// Advertises `iss` in authorization responses (RFC 9207).
    pub advertise_iss: bool,
    /// The person's decision.
    pub decision: Decision,
    /// Proofs of possession (RFC 9449).
    pub dpop: Dpop,
    /// Requires the server's nonce in proofs.
    pub dpop_nonces: bool,
    /// Issues refresh tokens. Each can be used once, and a second use revokes all tokens of its
    /// login.
    pub refresh_tokens: bool,
    /// The lifetime of access tokens.
    pub access_lifetime: Duration,
    /// The lifetime of refresh tokens.
    pub refresh_lifetime: Duration,
    /// Reports the lifetime of tokens in `expires_in`.
    pub expires_in: bool,
    /// The form of access tokens.
    pub token_format: TokenFormat,
    /// The algorithm of keys that are created from now on.
    pub algorithm: Algorithm,
    /// Offers introspection (RFC 7662).
    pub introspection: bool,
    /// Offers revocation (RFC 7009).
    pub revocation: bool,
    /// How many seconds the server's clock is fast.
    pub clock_offset: i64,
    /// The `sub` of everybody who logs in.
    pub subject: String,
    /// Additional claims of ID tokens. Null removes a claim.
    pub id_token_claims: Value,
    /// Clients that are registered in advance.
    pub clients: Vec<Client>,
}

/// The URL of an issuer's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// `/.well-known/oauth-authorization-server` followed by the issuer's path.
    Rfc8414,
    /// `/.well-known/openid-configuration` followed by the issuer's path.
    OpenId,
    /// The issuer's path followed by `/.well-known/openid-configuration`.
    OpenIdBehind,
    /// There is no metadata.
    None,
}

/// The `iss` of authorization responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Iss {
    /// The identifier of the issuer.
    Sent,
    /// The parameter is missing.
    Missing,
    /// A different string.
    Is(String),
}

/// The person's decision at the authorization endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Grants the requested scopes.
    Grant,
    /// Grants only these scopes.
    Narrow(Vec<String>),
    /// Refuses with this `error` and `error_description`.
    Refuse(String, String),
}

/// Whether tokens are bound to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dpop {
    /// Never; proofs are ignored.
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
    /// A random string, for introspection.
    Opaque,
}

/// The algorithm of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256.
    Es256,
    /// RSASSA-PKCS1-v1_5. There are two such keys, and rotation alternates between them.
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
