//! The mutable state of the server.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::client::Client;
use crate::fault::Fault;
use crate::key::{self, Key};
use crate::record::{Endpoint, Recorded};
use crate::settings::Settings;

pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) issuer: String,
    pub(crate) origin: String,
    /// The published keys. The last one signs.
    pub(crate) keys: Vec<Key>,
    key_number: usize,
    pub(crate) registered: Vec<Client>,
    /// Pushed authorization requests by their `request_uri`.
    pub(crate) pushed: HashMap<String, Recorded>,
    pub(crate) codes: HashMap<String, Code>,
    pub(crate) refresh_tokens: HashMap<String, RefreshToken>,
    /// The claims of access tokens that were issued and not revoked.
    pub(crate) access_tokens: HashMap<String, AccessToken>,
    /// Identifiers of used assertions and proofs.
    pub(crate) seen: HashSet<String>,
    pub(crate) nonce: String,
    pub(crate) faults: HashMap<Endpoint, Fault>,
    pub(crate) holds: HashMap<Endpoint, watch::Receiver<()>>,
    pub(crate) log: Vec<Recorded>,
    /// Issuers whose assertions are accepted as grants.
    pub(crate) trusted: Vec<crate::AuthorizationServer>,
}

#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) client_id: String,
    pub(crate) subject: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) resource: Option<String>,
    /// The thumbprint of the key that tokens are bound to.
    pub(crate) thumbprint: Option<String>,
    /// The `nonce` of OpenID Connect.
    pub(crate) nonce: Option<String>,
    /// The identifier of the login, which all its tokens share.
    pub(crate) login: String,
}

pub(crate) struct Code {
    pub(crate) grant: Grant,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: String,
}

pub(crate) struct RefreshToken {
    pub(crate) grant: Grant,
    pub(crate) is_used: bool,
    pub(crate) expires_at: i64,
}

pub(crate) struct AccessToken {
    pub(crate) login: String,
    pub(crate) claims: Value,
}

impl State {
    pub(crate) fn new(settings: Settings, origin: String) -> Self {
        let mut state = Self {
            issuer: format!("{origin}{}", settings.path),
            origin,
            settings,
            keys: Vec::new(),
            key_number: 0,
            registered: Vec::new(),
            pushed: HashMap::new(),
            codes: HashMap::new(),
            refresh_tokens: HashMap::new(),
            access_tokens: HashMap::new(),
            seen: HashSet::new(),
            nonce: key::random(),
            faults: HashMap::new(),
            holds: HashMap::new(),
            log: Vec::new(),
            trusted: Vec::new(),
        };
        state.add_key();
        state
    }

    pub(crate) fn add_key(&mut self) {
        self.key_number += 1;
        let key = Key::new(self.settings.algorithm, self.key_number);
        self.keys.push(key);
    }

    pub(crate) fn key(&self) -> &Key {
        self.keys.last().expect("there is always a key")
    }

    pub(crate) fn jwks(&self) -> Value {
        let keys: Vec<_> = self.keys.iter().map(Key::jwk).collect();
        json!({"keys": keys})
    }

    /// The time of the server's clock, in seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(now.as_secs()).unwrap() + self.settings.clock_offset
    }

    pub(crate) fn revoke(&mut self, login: &str) {
        self.refresh_tokens.retain(|_, it| it.grant.login != login);
        self.access_tokens.retain(|_, it| it.login != login);
    }

    /// Creates a signed token. The given claims replace the default ones; null removes a claim.
    pub(crate) fn mint(&self, header: &Value, claims: &Value) -> String {
        let now = self.now();
        let lifetime = i64::try_from(self.settings.access_lifetime.as_secs()).unwrap();
        let mut all = json!({
            "iss": self.issuer,
            "sub": self.settings.subject,
            "exp": now + lifetime,
            "iat": now,
            "jti": key::random(),
            "client_id": "test-client",
        });
        key::merge(&mut all, claims);
        let mut full = json!({"typ": "at+jwt"});
        for (name, value) in header.as_object().expect("an object") {
            full[name] = value.clone();
        }
        self.key().sign(&full, &all)
    }
}
