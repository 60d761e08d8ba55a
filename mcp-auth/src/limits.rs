//! Default limits and times, each with its unit and reason.
//!
//! A default of a setting can be changed by the setting; the others are fixed.

/// Bytes of the name of a tenant in the URL of an issuer; a UUID has 36.
pub(crate) const MAX_TENANT_BYTES: usize = 64;

/// Limits of both sides.
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) mod both {
    use std::time::Duration;

    /// Lifetime of an assertion by which a client authenticates itself; it is sent immediately.
    pub(crate) const ASSERTION_LIFETIME: Duration = Duration::from_secs(60);
}

/// Limits of clients.
#[cfg(feature = "client")]
pub(crate) mod client {
    use std::time::Duration;

    /// Authorization servers whose metadata is read, of those that one MCP server names.
    pub(crate) const MAX_ISSUERS: usize = 4;
    /// Time to find the authorization server; at most some ten requests.
    pub(crate) const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(60);
    /// Redirects of one request for metadata.
    pub(crate) const MAX_REDIRECTS: usize = 5;
    /// Time for a person to log in; includes the second factor.
    pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// Longest lifetime of an access token that is believed, in seconds; no clock overflows by it.
    pub(crate) const MAX_TOKEN_LIFETIME: u64 = 10 * 366 * 24 * 60 * 60;
    /// Longest time before its end at which a token is refreshed, in seconds; a quarter of its
    /// lifetime if that is shorter.
    pub(crate) const MAX_EARLY_REFRESH: u64 = 60;
    /// Pause after an early refresh that failed; the token is still good meanwhile.
    pub(crate) const EARLY_REFRESH_PAUSE: Duration = Duration::from_secs(30);

    /// Time for a call of a token store; above that for its lock.
    pub(crate) const STORE_TIMEOUT: Duration = Duration::from_secs(70);
    /// Time after which the lock of a file is an error; another process holds it during a refresh.
    pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
    /// Time between two attempts to lock a file that another process has locked.
    pub(crate) const LOCK_INTERVAL: Duration = Duration::from_millis(50);

    /// Bytes of the head of a request to the loopback listener; the query contains the code.
    pub(crate) const MAX_LOOPBACK_HEAD_BYTES: usize = 16 * 1024;
    /// Connections that the loopback listener serves at the same time. Browsers open some that they
    /// do not use.
    pub(crate) const MAX_LOOPBACK_CONNECTIONS: usize = 32;
    /// Time for a request to arrive at the loopback listener, and for its answer to be written.
    pub(crate) const LOOPBACK_TIMEOUT: Duration = Duration::from_secs(10);
    /// Pause after a connection that can't be accepted; most likely no file descriptor was left.
    pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

    /// Origins whose nonces for proofs of possession are kept; a client talks to few.
    pub(crate) const MAX_NONCE_ORIGINS: usize = 64;
    /// Bytes of a nonce that is kept; it is sent in each header.
    pub(crate) const MAX_NONCE_BYTES: usize = 4096;
}

/// Limits of servers that accept access tokens.
#[cfg(feature = "server")]
pub(crate) mod server {
    use std::time::Duration;

    /// Bytes of a token; longer ones are not looked at.
    pub(crate) const MAX_TOKEN_BYTES: usize = 16 * 1024;
    /// Characters of a bearer token that the user chooses; fewer can be guessed.
    pub(crate) const MIN_BEARER_CHARS: usize = 16;
    /// Characters of a text from a token that are logged.
    pub(crate) const MAX_QUOTED_CHARS: usize = 200;
    /// Keys that are tried for a token without `kid`; each costs a verification.
    pub(crate) const MAX_TRIED_KEYS: usize = 8;
    /// By how much the clocks of an issuer and of this server may differ.
    pub(crate) const CLOCK_LEEWAY: Duration = Duration::from_secs(60);
    /// Tokens in each of the two halves of a cache.
    pub(crate) const CACHE_HALF: usize = 4096;
    /// Time after which a token is verified again: one that was looked up at its next request, each
    /// one for the streams that it has opened.
    pub(crate) const TOKEN_LIFETIME: Duration = Duration::from_secs(60);
    /// Time for which a token that is not valid is remembered; it may become valid.
    pub(crate) const REFUSED_LIFETIME: Duration = Duration::from_secs(5);

    /// Time to fetch keys, metadata included, or to look a token up; below that of an access policy.
    pub(crate) const ISSUER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Pause after a look-up or a fetch of keys that failed, when nothing older can be used.
    pub(crate) const ISSUER_PAUSE: Duration = Duration::from_secs(1);
    /// Longest pause that an answer with 429 can ask for.
    pub(crate) const MAX_ISSUER_PAUSE: Duration = Duration::from_secs(60);
    /// Tokens in a row that can't be looked up for a reason of their own, after which there is a pause
    /// for all: the reason is probably not in the tokens.
    pub(crate) const MAX_FAILED_LOOKUPS: usize = 3;
    /// Look-ups of one issuer at the same time.
    pub(crate) const MAX_LOOKUPS: usize = 1024;
    /// Lifetime of the claims of GitHub's tokens, which name none.
    pub(crate) const GITHUB_LIFETIME: Duration = Duration::from_secs(3600);

    /// Time for which metadata is used before it is fetched again.
    pub(crate) const METADATA_LIFETIME: Duration = Duration::from_secs(3600);
    /// Pause after a fetch of metadata that failed; requests that wait for it fail together.
    pub(crate) const METADATA_PAUSE: Duration = Duration::from_millis(500);
    /// Age at which keys are fetched again, while the old ones are used.
    pub(crate) const KEYS_REFRESH: Duration = Duration::from_secs(300);
    /// Age of keys after which they are fetched again before they are used. Keys get this old
    /// while no requests arrive. After a failed attempt they are used up to their greatest age.
    pub(crate) const KEYS_IDLE: Duration = Duration::from_secs(600);
    /// Age at which keys are not used any more.
    pub(crate) const KEYS_MAX_AGE: Duration = Duration::from_secs(24 * 3600);
    /// Pause between fetches because of an unknown key, and after one that failed while there are
    /// keys; anybody can send a token with an unknown key.
    pub(crate) const KEYS_PAUSE: Duration = Duration::from_secs(30);

    /// By how much `iat` of a proof may differ from this server's clock.
    pub(crate) const PROOF_WINDOW: Duration = Duration::from_secs(60);
    /// Time for which a proof is remembered: until its `iat`, which may be in the future, or its nonce
    /// is out of date.
    pub(crate) const PROOF_LIFETIME: Duration = Duration::from_secs(120);
    /// Time for which a nonce is handed out. It is accepted for as long again.
    pub(crate) const NONCE_PERIOD: Duration = Duration::from_secs(60);
    /// Bytes of the `jti` of a proof.
    pub(crate) const MAX_JTI_BYTES: usize = 256;
    /// Proofs of one key that are remembered: 136 a second.
    pub(crate) const MAX_PROOFS_OF_KEY: usize = 16 * 1024;
    /// Remembered proofs beyond which each key has only its share.
    pub(crate) const MAX_SHARED_PROOFS: usize = 256 * 1024;
    /// Proofs that each key has room for, which is one proof every two seconds. Proofs of other keys
    /// take this room only if more than 4096 keys use theirs.
    pub(crate) const PROOFS_SHARE: usize = 64;
    /// Proofs of all keys that are remembered.
    pub(crate) const MAX_PROOFS: usize = 512 * 1024;
    /// Minimum time between two removals of expired proofs while there is no room for more.
    pub(crate) const SWEEP_PAUSE: Duration = Duration::from_secs(1);
    /// `Retry-After` of the answer to a proof for which there is no room.
    pub(crate) const PROOFS_FULL_PAUSE: Duration = Duration::from_secs(10);
}

/// Limits of the proxy. Each is listed in `docs/authorization.md`.
#[cfg(feature = "proxy")]
pub(crate) mod proxy {
    use std::time::Duration;

    /// Lifetime of an access token, in seconds.
    pub(crate) const ACCESS_LIFETIME: u64 = 10 * 60;
    /// Lifetime of a code, in seconds.
    pub(crate) const CODE_LIFETIME: u64 = 60;
    /// Time for the consent page, and then for the login at the provider, in seconds each.
    pub(crate) const PAGE_LIFETIME: u64 = 10 * 60;
    /// Time after which a person logs in again, in seconds; refresh tokens work no longer.
    pub(crate) const LOGIN_LIFETIME: u64 = 90 * 24 * 60 * 60;

    /// Logins that are kept of one person; a further one ends the oldest of the same person.
    pub(crate) const MAX_LOGINS_OF_PERSON: usize = 32;
    /// Logins that are kept in each of 256 parts, which are chosen by a hash of the person.
    pub(crate) const MAX_LOGINS_OF_PART: usize = 512;

    /// Redirect URIs of one client.
    pub(crate) const MAX_REDIRECT_URIS: usize = 16;
    /// Bytes of a redirect URI, and of the URL of a client.
    pub(crate) const MAX_URI: usize = 1024;
    /// Bytes of all redirect URIs of a client: its registered identifier contains them.
    pub(crate) const MAX_REDIRECT_URI_BYTES: usize = 2048;
    /// Characters of a client's name.
    pub(crate) const MAX_NAME: usize = 80;
    /// Bytes of a request for authorization, which a cookie contains.
    pub(crate) const MAX_ASKED: usize = 2560;

    /// Bytes of a client's metadata document.
    pub(crate) const MAX_DOCUMENT: usize = 16 * 1024;
    /// Documents that are remembered.
    pub(crate) const MAX_DOCUMENTS: usize = 1024;
    /// Longest time for which a document is remembered, in seconds.
    pub(crate) const MAX_DOCUMENT_LIFETIME: u64 = 60 * 60;
    /// Documents that are being fetched at the same time.
    pub(crate) const MAX_FETCHES: usize = 16;
    /// Documents of one host that are being fetched at the same time.
    pub(crate) const MAX_FETCHES_OF_HOST: usize = 2;
    /// Documents that are being fetched at the same time for callers with one address.
    pub(crate) const MAX_FETCHES_OF_CALLER: usize = 8;
    /// The time after which a fetch is ended to make room for another fetch.
    pub(crate) const FETCH_PATIENCE: Duration = Duration::from_secs(1);
    /// How long a document that can't be used is not fetched again.
    pub(crate) const FAILED_LIFETIME: Duration = Duration::from_secs(30);
    /// Time for a document.
    pub(crate) const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
    /// Time for all requests to the provider that one request of a client takes; below that of an access
    /// policy.
    pub(crate) const PROVIDER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Time after which a request is given up that its client waits for no longer: a store may never answer.
    pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
    /// Pause after the logins could not be read from the store.
    pub(crate) const STORE_PAUSE: Duration = Duration::from_secs(5);
}
