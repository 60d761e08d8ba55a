//! Authentication of a client to an authorization server.

use std::fmt;
use std::time::SystemTime;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use http::header::{AUTHORIZATION, HeaderMap};

use super::assertion::AssertionKey;
use crate::jwt::SigningKeyError;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How a client authenticates at the endpoints of an authorization server (RFC 6749 §2.3, OpenID
/// Connect Core 1.0 §9). `Debug` shows no secret.
#[derive(Clone)]
pub(crate) enum ClientAuthentication {
    /// A public client, which sends only its identifier.
    None,
    Basic(String),
    Post(String),
    /// `private_key_jwt` (RFC 7523 §2.2).
    PrivateKeyJwt(AssertionKey),
}

#[derive(Clone, Debug)]
pub(crate) struct ClientCredentials {
    pub(crate) client_id: String,
    pub(crate) authentication: ClientAuthentication,
}

impl ClientAuthentication {
    /// The name of the method in authorization server metadata.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic(_) => "client_secret_basic",
            Self::Post(_) => "client_secret_post",
            Self::PrivateKeyJwt(_) => "private_key_jwt",
        }
    }
}

impl ClientCredentials {
    pub(crate) fn authenticate(
        &self,
        issuer: &str,
        parameters: &mut Vec<(&'static str, String)>,
        headers: &mut HeaderMap,
    ) -> Result<(), SigningKeyError> {
        match &self.authentication {
            ClientAuthentication::Basic(secret) => {
                headers.insert(AUTHORIZATION, basic(&self.client_id, secret));
                return Ok(());
            }
            ClientAuthentication::Post(secret) => {
                parameters.push(("client_secret", secret.clone()));
            }
            ClientAuthentication::PrivateKeyJwt(key) => {
                let assertion = key.assertion(&self.client_id, issuer, SystemTime::now())?;
                parameters.push(("client_assertion_type", ASSERTION_TYPE.to_owned()));
                parameters.push(("client_assertion", assertion));
            }
            ClientAuthentication::None => {}
        }
        // A workload has no client identifier.
        if !self.client_id.is_empty() {
            parameters.push(("client_id", self.client_id.clone()));
        }
        Ok(())
    }
}

impl fmt::Debug for ClientAuthentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The `Authorization` header for a client's identifier and secret, which are form-encoded first
/// (RFC 6749 §2.3.1).
pub(crate) fn basic(id: &str, secret: &str) -> HeaderValue {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = BASE64_STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
    // Base64 contains only characters that are valid in a header.
    let value = HeaderValue::try_from(format!("Basic {pair}"));
    let mut value = value.unwrap_or_else(|_| HeaderValue::from_static("Basic"));
    value.set_sensitive(true);
    value
}

/// The credential with which a client authenticates at an authorization server. `Debug` shows no
/// secret.
///
/// ```
/// use mcp_auth::Issuer;
/// use mcp_auth::authentication::{AssertionKey, ClientCredential};
/// use mcp_auth::jwt::SigningKey;
///
/// let key = AssertionKey::new(SigningKey::generate()?);
/// let by_key = Issuer::new("https://login.example.com").introspection("mcp-server", key);
/// let by_secret = Issuer::new("https://login.example.com").introspection("mcp-server", "secret");
/// let by_none = Issuer::new("https://login.example.com")
///     .introspection("mcp-server", ClientCredential::None);
/// # drop((by_key, by_secret, by_none));
/// # Ok::<(), mcp_auth::jwt::SigningKeyError>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ClientCredential {
    /// No credential: a public client, which sends only its identifier.
    #[default]
    None,
    /// A secret, which is sent with `client_secret_basic`, or with `client_secret_post` if the
    /// server offers only that (RFC 6749 §2.3.1).
    Secret(String),
    /// A private key, which is used with `private_key_jwt` (RFC 7523 §2.2).
    Key(AssertionKey),
}

impl ClientCredential {
    /// Chooses how to use the credential at an endpoint that offers these methods.
    ///
    /// A secret is sent with `client_secret_basic`, which every issuer should support (RFC 6749
    /// §2.3.1), unless only `client_secret_post` is offered. Returns `None` if the endpoint accepts
    /// only keys, so a secret must not be sent.
    pub(crate) fn authentication(
        &self,
        offered: Option<&[String]>,
    ) -> Option<ClientAuthentication> {
        let offers = |name: &str| offered.is_some_and(|all| all.iter().any(|it| it == name));
        let secret = match self {
            Self::None => return Some(ClientAuthentication::None),
            Self::Key(key) => return Some(ClientAuthentication::PrivateKeyJwt(key.clone())),
            Self::Secret(secret) => secret.clone(),
        };
        match (offers("client_secret_basic"), offers("client_secret_post")) {
            (false, true) => Some(ClientAuthentication::Post(secret)),
            (false, false) if offers("private_key_jwt") => None,
            _ => Some(ClientAuthentication::Basic(secret)),
        }
    }
}

impl<T: Into<String>> From<T> for ClientCredential {
    fn from(secret: T) -> Self {
        Self::Secret(secret.into())
    }
}

impl From<AssertionKey> for ClientCredential {
    fn from(key: AssertionKey) -> Self {
        Self::Key(key)
    }
}

impl fmt::Debug for ClientCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Secret(_) => "Secret",
            Self::Key(_) => "Key",
        })
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::*;
    use crate::jwt::SigningKey;

    fn credentials(authentication: ClientAuthentication) -> (String, HeaderMap) {
        let client = ClientCredentials {
            client_id: "a b:c".to_owned(),
            authentication,
        };
        let mut parameters = Vec::new();
        let mut headers = HeaderMap::new();
        let issuer = "https://as.example.com";
        client
            .authenticate(issuer, &mut parameters, &mut headers)
            .unwrap();
        assert!(!format!("{client:?}").contains("hidden"), "{client:?}");
        (format!("{parameters:?}"), headers)
    }

    #[test]
    fn each_way_sends_what_belongs_to_it() {
        let id = r#"("client_id", "a b:c")"#;
        let (parameters, headers) = credentials(ClientAuthentication::None);
        assert_eq!(parameters, format!("[{id}]"));
        assert!(headers.is_empty());
        let (parameters, headers) = credentials(ClientAuthentication::Post("hidden".to_owned()));
        assert_eq!(
            parameters,
            format!(r#"[("client_secret", "hidden"), {id}]"#)
        );
        assert!(headers.is_empty());
        let (parameters, headers) =
            credentials(ClientAuthentication::Basic("%ü+hidden".to_owned()));
        assert_eq!(parameters, "[]");
        let value = headers[AUTHORIZATION].to_str().unwrap();
        let pair = BASE64_STANDARD.decode(value.strip_prefix("Basic ").unwrap());
        assert_eq!(pair.unwrap(), b"a+b%3Ac:%25%C3%BC%2Bhidden");
        assert!(headers[AUTHORIZATION].is_sensitive());
        let key = AssertionKey::new(SigningKey::generate().unwrap());
        let (parameters, _) = credentials(ClientAuthentication::PrivateKeyJwt(key));
        assert!(
            parameters.contains(ASSERTION_TYPE) && parameters.contains("client_assertion\", \"ey")
        );
    }

    #[test]
    fn a_secret_is_used_as_the_issuer_offers() {
        for (offered, expected) in [
            (None, Some("client_secret_basic")),
            (Some(vec!["client_secret_post"]), Some("client_secret_post")),
            (
                Some(vec!["client_secret_post", "client_secret_basic"]),
                Some("client_secret_basic"),
            ),
            (Some(vec!["none"]), Some("client_secret_basic")),
            (Some(vec!["private_key_jwt", "none"]), None),
        ] {
            let offered = offered.map(|all| all.into_iter().map(str::to_owned).collect::<Vec<_>>());
            let found = ClientCredential::from("secret").authentication(offered.as_deref());
            assert_eq!(found.map(|found| found.name()), expected);
        }
    }
}
